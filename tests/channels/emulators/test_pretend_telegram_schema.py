"""The published description of the Bot API as a second judge, of what comes in and of what goes out."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from telegram import Bot, InlineKeyboardMarkup, InputMediaPhoto, ReplyParameters
from telegram import InlineKeyboardButton as Button

from channels.emulators.telegram import limits
from channels.emulators.telegram.methods.table import METHODS
from channels.emulators.telegram.parameters import NOT_PLAYED
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.schema import FILE_NAME, SchemaCheck
from core.clock import ManualClock
from tests.channels.emulators.conftest import sdk

pytestmark = pytest.mark.specs


@pytest.fixture(scope="module")
def schema() -> SchemaCheck:
    return SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME)


@pytest.fixture
async def judged(schema: SchemaCheck, clock: ManualClock) -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram(clock=clock, judge=schema) as telegram:
        yield telegram


@pytest.fixture
async def bot(judged: PretendTelegram) -> AsyncIterator[Bot]:
    async with sdk(judged) as bot:
        yield bot


async def everything_a_person_does(telegram: PretendTelegram) -> None:
    ada = telegram.person("Ada", last_name="Lovelace", username="ada")
    chat = ada.private_chat()
    said = await chat.start("code")
    await chat.say("<b> @someone /help https://example.com/ #tag")
    await chat.reply(said, "reply", quote="start")
    await chat.forward("words", of="Somebody")
    await chat.forward("words", of=ada)
    await chat.edit(said, "/start again")
    await chat.photo()
    await chat.file("a.txt", b"x", "caption")
    await chat.voice(b"x")
    await chat.album([("a.png", TINY_PNG), ("b.png", TINY_PNG)])
    await chat.react(said, "👍")
    await chat.block()
    await chat.unblock()
    forum = telegram.group("Forum", [ada], forum=True, bots=[])
    await forum.add_bot(telegram.bot, admin=True)
    topic = await forum.open_topic("Plans")
    await forum.screen(ada).mention("hello", thread=topic)
    await forum.remove_bot(telegram.bot)
    basic = telegram.group("Basic", [ada], basic=True)
    await basic.upgrade()


async def test_every_update_is_shaped_as_described(judged: PretendTelegram, bot: Bot) -> None:
    judged.bot.queue.allow(["message_reaction", *limits.UPDATE_TYPES_UNASKED])
    await everything_a_person_does(judged)

    updates = await bot.get_updates()

    assert judged.problems == []
    assert len(updates) == 21


async def test_every_answer_is_shaped_as_described(judged: PretendTelegram, bot: Bot) -> None:
    ada = judged.person("Ada", username="ada")
    chat = ada.private_chat()
    said = await chat.start()
    forum = judged.group("Forum", [ada], forum=True)
    await forum.set_admin(judged.bot, admin=True)

    message = await bot.send_message(
        ada.id,
        '<b>x</b> <pre><code class="language-py">y</code></pre> <a href="https://a.bc">z</a>',
        parse_mode="HTML",
        reply_parameters=ReplyParameters(said.id, quote="start"),
        reply_markup=InlineKeyboardMarkup([[Button("a", callback_data="b"), Button("c", url="https://d.ef")]]),
    )
    press = await chat.press(message.message_id, "a")
    await bot.answer_callback_query(press.id, "done")
    await message.edit_text("other")
    await bot.send_photo(ada.id, TINY_PNG, caption="c")
    await bot.send_document(ada.id, b"x", filename="x.txt")
    await bot.send_voice(ada.id, b"x", duration=1)
    await bot.send_audio(ada.id, b"x", title="t")
    await bot.send_video(ada.id, b"x")
    await bot.send_media_group(ada.id, [InputMediaPhoto(TINY_PNG), InputMediaPhoto(TINY_PNG)])
    await bot.send_message_draft(ada.id, 1, "d")
    await bot.send_chat_action(ada.id, "typing")
    await bot.set_message_reaction(ada.id, said.id, "👍")
    await bot.set_my_commands([("a", "b")], language_code="de")
    await bot.get_my_commands(language_code="de")
    topic = await bot.create_forum_topic(forum.id, "Plans")
    await bot.send_message(forum.id, "in it", message_thread_id=topic.message_thread_id)
    await bot.get_chat(forum.id)
    await bot.get_chat(ada.id)
    for who in (ada.id, bot.id, judged.person("Eve").id):
        await bot.get_chat_member(forum.id, who)
    await bot.get_chat_administrators(forum.id)
    await bot.get_file(chat.answers[-1].file.id if chat.answers[-1].file else "")
    await bot.set_webhook("http://127.0.0.1:9/")
    await bot.get_webhook_info()
    await bot.delete_webhook()
    await bot.get_updates()

    assert judged.problems == []
    assert [record.status for record in judged.calls()] == [200] * len(judged.calls())


def test_every_method_takes_what_is_described(schema: SchemaCheck) -> None:
    described = schema.parameters()

    ours = {method.name: set(method.parameters) for method in METHODS.values()}

    assert {name: names - described[name] for name, names in ours.items() if names - described[name]} == {}
    assert {name: described[name] - names for name, names in ours.items() if described[name] - names} == {}


def test_some_parameters_are_known_but_not_played() -> None:
    assert METHODS["sendmessage"].parameters["message_effect_id"] is NOT_PLAYED


@pytest.mark.parametrize(
    ("method", "values", "wrong"),
    [
        ("sendMessage", {"chat_id": 1, "text": "x"}, []),
        ("sendMessage", {"chat_id": 1}, ["sendMessage.text: is missing"]),
        ("sendMessage", {"chat_id": 1, "text": "x", "foo": 1}, ["sendMessage.foo: no such field"]),
        ("sendMessage", {"chat_id": 1, "text": 5}, ["sendMessage.text: is no String"]),
        ("sendMessage", {"chat_id": True, "text": "x"}, ["sendMessage.chat_id: is no Integer"]),
        (
            "sendMessage",
            {
                "chat_id": 1,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "x", "callback_data": "é" * 33}]]},
            },
            ["sendMessage.reply_markup.inline_keyboard[0][0].callback_data: 66 bytes, 1-64 allowed"],
        ),
        ("answerCallbackQuery", {"callback_query_id": "1", "text": "a" * 201}, ["201 characters, 0-200 allowed"]),
        ("setMyCommands", {"commands": [{"command": "a", "description": "b"}] * 101}, ["101 commands, 0-100 allowed"]),
        ("setMyCommands", {"commands": [], "scope": {"type": "chat"}}, ["setMyCommands.scope.chat_id: is missing"]),
        ("sendPhoto", {"chat_id": 1, "photo": "<file>"}, []),
        ("fly", {}, ["fly: no such method"]),
    ],
)
def test_a_wrong_request_is_named(schema: SchemaCheck, method: str, values: dict[str, Any], wrong: list[str]) -> None:
    found = schema.request(method, values)

    assert len(found) == len(wrong)
    assert all(words in said for words, said in zip(wrong, found, strict=True))


def test_a_wrong_update_is_named(schema: SchemaCheck) -> None:
    assert schema.update({"update_id": 1, "message": {"message_id": 1}}) == [
        "update.message.date: is missing",
        "update.message.chat: is missing",
    ]


async def test_the_judge_refuses_what_only_it_knows(judged: PretendTelegram, bot: Bot) -> None:
    found = judged.api.judge.request("sendMessage", {"text": "x"}) if judged.api.judge else []

    assert found == ["sendMessage.chat_id: is missing"]
