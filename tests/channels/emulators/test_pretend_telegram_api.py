"""The Bot API as HTTP: tokens, names, bodies, and what strictness adds."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from telegram import Bot
from telegram.error import InvalidToken
from telegram.ext import Application, ApplicationBuilder, CommandHandler, ContextTypes

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import Wire, sdk


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("bot7000000009:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/getMe", 401, "Unauthorized"),
        ("bot123:short/getMe", 404, "Not Found"),
        (f"bot{DEFAULT_BOT}/getMee", 404, "Not Found"),
        (f"bot{DEFAULT_BOT}", 404, "Not Found"),
        ("", 404, "Not Found"),
        (f"file/bot{DEFAULT_BOT}/documents/file_1.txt", 404, "Not Found"),
        ("file/bot123:short/documents/file_1.txt", 404, "Not Found"),
    ],
)
async def test_what_is_not_there_is_said_as_telegram_says_it(
    telegram: PretendTelegram, session: aiohttp.ClientSession, path: str, status: int, words: str
) -> None:
    async with session.get(f"http://127.0.0.1:{telegram.port}/{path}") as response:
        assert response.status == status
        assert await response.json() == {"ok": False, "error_code": status, "description": words}


async def test_the_sdk_takes_a_wrong_token_for_one(telegram: PretendTelegram) -> None:
    with pytest.raises(InvalidToken):
        async with sdk(telegram, "7000000009:" + DEFAULT_BOT.partition(":")[2]):
            pass


@pytest.mark.parametrize("name", ["getMe", "GETME", "getme"])
async def test_the_case_of_a_name_does_not_matter(wire: Wire, name: str) -> None:
    assert (await wire(name))["result"]["username"] == "pretend_bot"


async def test_parameters_come_in_any_way_that_http_has(
    telegram: PretendTelegram, session: aiohttp.ClientSession, ada: Player, chat: Screen
) -> None:
    url = f"{telegram.base_url}{telegram.bot.token}/sendMessage"
    form = aiohttp.FormData({"chat_id": str(ada.id), "text": "multipart"})
    form.add_field("reply_parameters", json.dumps({"message_id": 1}), content_type="application/json")

    await session.get(url, params={"chat_id": ada.id, "text": "query"})
    await session.post(url, data={"chat_id": ada.id, "text": "form é&=+"})
    await session.post(url, json={"chat_id": str(ada.id), "text": "json", "reply_parameters": '{"message_id": 1}'})
    await session.post(url, data=form(), headers=form._writer.headers if form.is_multipart else None)

    assert [message.text for message in chat.answers[:3]] == ["query", "form é&=+", "json"]
    assert chat.answers[2].reply_to == 1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"chatid": 1}, "strict: sendMessage has no parameter chatid"),
        ({"message_effect_id": "5"}, "strict: the pretend Telegram plays no message_effect_id in sendMessage"),
        ({"disable_notification": "maybe"}, 'strict: disable_notification is a Boolean, not "maybe"'),
        ({"message_thread_id": "first"}, 'strict: message_thread_id is an Integer, not "first"'),
        ({"text": 5}, "strict: text is a String, not 5"),
        ({"text": "\ud83d"}, "strings must be encoded in UTF-8"),
        ({"entities": {"type": "bold"}}, "expected an Array as entities"),
        ({"reply_parameters": {"message": 1}}, "strict: ReplyParameters has no field message"),
        ({"link_preview_options": {"disabled": True}}, "strict: LinkPreviewOptions has no field disabled"),
        ({"parse_mode": "MarkdownV2"}, "strict: the pretend Telegram reads parse_mode HTML only"),
        ({"chat_id": ""}, "chat_id is empty"),
    ],
)
async def test_a_slip_is_refused_when_strict(
    wire: Wire, ada: Player, chat: Screen, values: dict[str, object], words: str
) -> None:
    answer = await wire("sendMessage", **({"chat_id": ada.id, "text": "x"} | values))

    assert answer["description"] == f"Bad Request: {words}"


async def test_a_slip_passes_when_lenient_as_on_the_real_telegram(
    clock: ManualClock, session: aiohttp.ClientSession
) -> None:
    async with PretendTelegram(clock=clock, strict=False) as telegram:
        chat = telegram.person("Ada").private_chat()
        await chat.start()
        values = {"chat_id": chat.person.id, "text": "x", "chatid": 1, "disable_notification": "maybe"}

        async with session.post(f"{telegram.base_url}{telegram.bot.token}/sendMessage", json=values) as response:
            assert (await response.json())["ok"]

    assert not chat.answers[0].silent


async def test_a_body_that_is_no_json_is_refused(telegram: PretendTelegram, session: aiohttp.ClientSession) -> None:
    url = f"{telegram.base_url}{telegram.bot.token}/getMe"
    headers = {"Content-Type": "application/json"}

    answers = [
        (await (await session.post(url, data=body, headers=headers)).json())["description"] for body in (b"{", b"[]")
    ]

    assert answers == ["Bad Request: can't parse JSON object", "Bad Request: object expected"]


async def test_every_call_can_be_looked_up(wire: Wire, telegram: PretendTelegram, ada: Player, chat: Screen) -> None:
    await wire("getMe")
    await wire("sendMessage", chat_id=ada.id, text="x")
    await wire("sendMessage", chat_id=ada.id)

    records = telegram.calls("sendmessage")

    assert [(r.method, r.status, dict(r.parameters)) for r in records] == [
        ("sendMessage", 200, {"chat_id": ada.id, "text": "x"}),
        ("sendMessage", 400, {"chat_id": ada.id}),
    ]
    assert len(telegram.calls()) == 3


async def test_the_sdk_polls_handles_and_stops(telegram: PretendTelegram, ada: Player) -> None:
    async def hello(update: object, context: ContextTypes.DEFAULT_TYPE) -> None:
        await context.bot.send_message(ada.id, "hello")

    builder = ApplicationBuilder().token(telegram.bot.token)
    app: Application[Any, Any, Any, Any, Any, Any] = (
        builder.base_url(telegram.base_url).base_file_url(telegram.base_file_url).build()
    )
    app.add_handler(CommandHandler("start", hello))
    chat = ada.private_chat()

    async with app:
        await app.start()
        assert app.updater is not None
        await app.updater.start_polling(timeout=30, poll_interval=0)
        await chat.start()
        await chat.wait_for_answer()
        await telegram.bot.queue.polling.wait()
        telegram.bot.queue.close()
        await app.updater.stop()
        await app.stop()

    assert [message.text for message in chat.answers] == ["hello"]
    called = [record.method for record in telegram.calls()]
    assert called[:3] == ["getMe", "deleteWebhook", "getUpdates"]


async def test_a_bot_needs_the_shape_of_a_token(telegram: PretendTelegram, bot: Bot) -> None:
    with pytest.raises(ValueError, match="a bot's token is digits"):
        telegram.add_bot("123:short", "X", "x_bot")
    with pytest.raises(ValueError, match="there is an account"):
        telegram.add_bot(DEFAULT_BOT, "X", "x_bot")


async def test_waiting_in_vain_names_what_was_seen(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.send_message(ada.id, "something else")

    with pytest.raises(TimeoutError, match="something else"):
        await chat.wait_for(lambda messages: any(m.text == "hoped for" for m in messages), timeout=0.01)
