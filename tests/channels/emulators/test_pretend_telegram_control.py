"""Driving a pretend Telegram from outside: the control address, its client, and the process of its own."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from telegram import Bot, BotCommand

from channels.emulators.telegram.control import Control
from channels.emulators.telegram.menus import Command
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.remote import ControlError, RemoteScreen, RemoteTelegram
from channels.emulators.telegram.seen import SeenAnswer, SeenDraft
from tests.channels.emulators.conftest import Wire

SECRET = "a secret of this test"
BUTTON = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}


@pytest.fixture
async def control(telegram: PretendTelegram) -> AsyncIterator[Control]:
    control = Control(telegram, SECRET)
    await control.start()
    yield control
    await control.stop()


@pytest.fixture
async def remote(control: Control) -> AsyncIterator[RemoteTelegram]:
    async with RemoteTelegram(control.url, SECRET) as remote:
        yield remote


@pytest.fixture
async def screen(remote: RemoteTelegram, telegram: PretendTelegram) -> RemoteScreen:
    """Ada's chat with the bot, started, nothing waiting."""
    screen = (await remote.person("Ada", username="ada")).private_chat()
    await screen.start()
    telegram.bot.queue.drop()
    return screen


def person_id(screen: RemoteScreen) -> int:
    number: int = screen.where["person"]
    return number


@pytest.mark.parametrize("secret", ["", "wrong", SECRET + "x"])
async def test_nobody_gets_in_without_the_secret(control: Control, secret: str) -> None:
    async with RemoteTelegram(control.url, secret) as remote:
        with pytest.raises(ControlError, match="401: the control address wants its secret"):
            await remote.state()


def test_a_control_address_has_a_secret(telegram: PretendTelegram) -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        Control(telegram, "")


async def test_a_conversation_from_outside(remote: RemoteTelegram, screen: RemoteScreen, bot: Bot) -> None:
    await screen.say("hello")
    update = (await bot.get_updates())[0]
    await bot.send_message(person_id(screen), "<b>hi</b> Ada", parse_mode="HTML")

    answer = await screen.wait_for_answer()

    assert update.message is not None
    assert (update.message.text, answer.text, answer.marked("bold")) == ("hello", "hi Ada", ["hi"])


async def test_waiting_comes_back_with_what_came(screen: RemoteScreen, bot: Bot) -> None:
    await screen.say("hello")
    waiting = asyncio.create_task(screen.wait_for(lambda messages: [m.text for m in messages if m.by_bot]))

    await bot.send_message(person_id(screen), "hi")

    assert await waiting == ["hi"]


async def test_waiting_in_vain_says_so(screen: RemoteScreen) -> None:
    await screen.say("hello")

    with pytest.raises(TimeoutError, match="hello"):
        await screen.wait_for_answer(timeout=0.01)


async def test_everything_a_person_does(screen: RemoteScreen, wire: Wire) -> None:
    said = await screen.say("one")
    await screen.edit(said, "two")
    await screen.reply(said, "three", quote="tw")
    await screen.forward("four", of="Somebody")
    await screen.photo(caption="five")
    await screen.file("six.txt", b"six")
    await screen.voice(b"seven")
    await screen.album([("eight.png", TINY_PNG), ("eight.txt", b"8")])
    await screen.paste("nine" * 2000)
    await screen.delete(said)
    await screen.block()
    await screen.unblock()

    updates = (await wire("getUpdates"))["result"]

    kinds = [next(key for key in update if key != "update_id") for update in updates]
    assert kinds == ["message", "edited_message", *["message"] * 9, "my_chat_member", "my_chat_member"]
    assert updates[2]["message"]["quote"]["text"] == "tw"
    seen = await screen.messages()
    assert [message.text for message in seen[1:4]] == ["three", "four", "five"]
    assert [message.file.kind for message in seen if message.file] == [
        "photo",
        "document",
        "voice",
        "photo",
        "document",
    ]


async def test_a_press_from_outside(screen: RemoteScreen, wire: Wire, bot: Bot) -> None:
    await wire("sendMessage", chat_id=person_id(screen), text="sure?", reply_markup=BUTTON)
    question = (await screen.messages())[-1]
    pressing = asyncio.create_task(screen.press_and_see(question, "Yes"))
    (update,) = await bot.get_updates(timeout=5)

    assert update.callback_query is not None
    await update.callback_query.answer("Done.")

    assert await pressing == SeenAnswer("Done.", alert=False)


async def test_what_is_on_the_screen_beside_messages(screen: RemoteScreen, bot: Bot) -> None:
    await bot.send_message_draft(person_id(screen), 7, "<i>so</i> far", parse_mode="HTML")
    await bot.send_chat_action(person_id(screen), "typing")
    await bot.set_my_commands([BotCommand("help", "d")])

    draft = await screen.draft()

    assert draft is not None
    assert (draft.text, draft.entities[0].type) == ("so far", "italic")
    assert (await screen.action(), await screen.menu()) == ("typing", (Command("help", "d"),))
    assert isinstance(draft, SeenDraft)


async def test_groups_from_outside(remote: RemoteTelegram, wire: Wire) -> None:
    ada = await remote.person("Ada")
    group = await remote.group("Team", [ada], forum=True)
    topic = await group.open_topic("Plans")

    await group.screen(ada).mention("hello", thread=topic)
    await group.remove_bot()
    await group.add_bot(admin=True)

    updates = (await wire("getUpdates"))["result"]
    said = updates[1]["message"]
    assert (said["text"], said["message_thread_id"], said["chat"]["id"]) == ("@pretend_bot hello", topic, group.id)
    assert [u["my_chat_member"]["new_chat_member"]["status"] for u in updates if "my_chat_member" in u] == [
        "kicked",
        "administrator",
    ]


async def test_a_further_bot_from_outside(remote: RemoteTelegram, telegram: PretendTelegram) -> None:
    token = "7000000002:" + DEFAULT_BOT.partition(":")[2]

    bot_id = await remote.add_bot(token, "Second", "second_bot")
    ada = await remote.person("Ada")
    await ada.private_chat(bot_id).say("hello")

    assert (bot_id, len(telegram.world.bots[token].queue), len(telegram.bot.queue)) == (7000000002, 1, 0)


async def test_breaking_things_from_outside(remote: RemoteTelegram, wire: Wire, telegram: PretendTelegram) -> None:
    await remote.add_fault("flood", method="getMe", seconds=9, times=5)
    broken = await wire("getMe")
    await remote.clear_faults()
    mended = await wire("getMe")
    await remote.set_flood_control(on=True)

    assert (broken["parameters"], mended["ok"], telegram.flood.on) == ({"retry_after": 9}, True, True)


async def test_the_control_address_answers_while_the_api_does_not(remote: RemoteTelegram, wire: Wire) -> None:
    await remote.set_reachable(on=False)
    with pytest.raises(aiohttp.ClientConnectionError):
        await wire("getMe")
    await remote.set_reachable(on=True)

    assert (await wire("getMe"))["ok"]
    assert [call["method"] for call in await remote.calls()] == ["getMe"]


async def test_the_state_says_what_there_is(remote: RemoteTelegram, telegram: PretendTelegram) -> None:
    await remote.person("Ada")

    state = await remote.state()

    assert state["base_url"] == telegram.base_url
    assert [bot["token"] for bot in state["bots"]] == [DEFAULT_BOT]
    assert ([person["first_name"] for person in state["people"]], state["faults"]) == (["Ada"], [])


async def test_events_are_numbered_and_kept(remote: RemoteTelegram, screen: RemoteScreen, bot: Bot) -> None:
    message = await bot.send_message(person_id(screen), "one")
    await message.edit_text("two")
    await bot.send_message_draft(person_id(screen), 7, "three")

    events, last = await remote.events(1)

    assert [event["kind"] for event in events] == ["message", "edited", "draft"]
    assert [event["number"] for event in events] == [2, 3, 4]
    assert (events[0]["message"]["text"], events[1]["message"]["text"], events[2]["draft"]["text"]) == (
        "one",
        "two",
        "three",
    )
    assert last == 4


@pytest.mark.parametrize("how", ["query", "header"])
async def test_a_stream_goes_on_where_it_broke_off(control: Control, screen: RemoteScreen, how: str) -> None:
    await screen.say("one")
    headers = {"Authorization": f"Bearer {SECRET}", "Accept": "text/event-stream"}
    query = {"after": "1"} if how == "query" else {}
    if how == "header":
        headers["Last-Event-ID"] = "1"

    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{control.url}/events", params=query) as r,
    ):
        first = await r.content.readuntil(b"\n\n")
        await screen.say("two")
        second = await r.content.readuntil(b"\n\n")

    events = [json.loads(event.split(b"data: ")[1]) for event in (first, second)]
    assert [(event["number"], event["message"]["text"]) for event in events] == [(2, "one"), (3, "two")]


async def test_a_file_can_be_looked_at(remote: RemoteTelegram, screen: RemoteScreen) -> None:
    sent = await screen.file("a.txt", b"hello")
    assert sent.file is not None

    assert await remote.file(sent.file.id) == b"hello"
    with pytest.raises(ControlError, match="404: no such file"):
        await remote.file("nonsense")


@pytest.mark.parametrize(
    ("path", "given", "words"),
    [
        ("act", {"do": "fly"}, "404: nobody can 'fly'"),
        ("act", {"do": "say", "person": 1, "text": "x"}, "400: LookupError: no person 1"),
        ("act", {"do": "open_topic", "chat": -5, "name": "x"}, "400: KeyError"),
        ("act", {}, "400: KeyError: 'do'"),
        ("people", {"name": "Ada"}, "400: TypeError"),
        ("bots", {"token": "x", "first_name": "x", "username": "x"}, "400: ValueError: a bot's token"),
        ("faults", {"kind": "meteor"}, "400: ValueError: no fault 'meteor'"),
        ("nowhere", {}, "404: nothing at POST /control/nowhere"),
    ],
)
async def test_what_cannot_be_done_is_said(
    remote: RemoteTelegram, path: str, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ControlError) as refusal:
        await remote.ask("POST", path, given)

    assert str(refusal.value).startswith(words)


async def test_a_process_of_its_own_lives_as_long_as_its_parent_wants() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "channels.emulators.telegram", "--control-secret-env", "CONCH_TEST_CONTROL_SECRET"),
        env={"CONCH_TEST_CONTROL_SECRET": SECRET},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    addresses = json.loads(await process.stdout.readline())

    async with RemoteTelegram(addresses["control_url"], SECRET) as remote, aiohttp.ClientSession() as session:
        screen = (await remote.person("Ada")).private_chat()
        await screen.say("hello")
        url = f"{addresses['base_url']}{addresses['bot_token']}/sendMessage"
        await session.post(url, json={"chat_id": screen.where["person"], "text": "hi"})
        answer = await screen.wait_for_answer()
    process.stdin.close()

    assert (answer.text, await process.wait()) == ("hi", 0)


async def test_a_process_without_a_secret_does_not_start() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "channels.emulators.telegram", "--control-secret-env", "CONCH_TEST_CONTROL_SECRET"),
        env={},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None

    words = await process.stderr.read()

    assert b"needs a secret" in words
    assert await process.wait() == 1
