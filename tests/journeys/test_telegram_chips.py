"""Chips in Telegram: under the answer, sent with one tap, gone with whatever comes next."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from conch.app import App
from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps
from core.events import Origin, Tainted
from core.store.log import Append, EventLog
from core.store.queue import QueuedMessage
from tests.journeys.living import FastClock, living, owner_of, said
from tests.journeys.teams import team

CHIPS = ["Book the 9:30 train", "What does it cost?"]


def suggesting(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asked how to travel, answers with chips; asked slowly, suggests before its last words; else it echoes."""
    if turn.text.startswith("How"):
        yield Text("By train.")
        yield CallTool("1", "suggest_replies", {"replies": CHIPS})
    elif turn.text.startswith("First"):
        yield CallTool("1", "suggest_replies", {"replies": CHIPS})
        yield Text("By train.")
    else:
        yield Text(f"echo: {turn.text}")


def labels(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


async def with_chips(chat: Screen, words: str = "By train.") -> SeenMessage:
    """The answer, once chips stand under it."""
    found = await chat.wait_for(lambda messages: next((m for m in messages if m.text == words and m.labels), None))
    assert found is not None
    return found


async def without_chips(chat: Screen) -> None:
    await chat.wait_for(lambda messages: not any(message.labels for message in messages))


async def only_conversation(app: App) -> str:
    [conversation] = await EventLog(app.database).page(10)
    return conversation.id


@pytest.mark.parametrize("asked", ["How do I get there?", "First things first"])
async def test_chips_stand_under_the_answer_and_send_their_words(
    tmp_path: Path, pretend: PretendTelegram, asked: str
) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say(asked)
        answer = await with_chips(ada.chat)

        note = (await ada.chat.answer_to(await ada.chat.press(answer, CHIPS[0]))).text
        await ada.chat.wait_for(lambda messages: messages[-1].text == f"echo: {CHIPS[0]}")
        await without_chips(ada.chat)

    assert labels(answer) == CHIPS
    assert note == CHIPS[0]
    assert said(ada.chat)[1:] == ["By train.", f"echo: {CHIPS[0]}"]


async def test_the_next_message_takes_the_chips_away(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("How do I get there?")
        await with_chips(ada.chat)

        await ada.chat.say("Never mind")
        await without_chips(ada.chat)

    assert said(ada.chat)[1] == "By train."


async def test_what_is_said_at_the_console_takes_them_away_too(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("How do I get there?")
        await with_chips(ada.chat)

        words = QueuedMessage(text="Never mind", origin=Origin(kind="console"), client_ids=("c1",))
        await app.conversations.send(await only_conversation(app), words)
        await without_chips(ada.chat)

    assert said(ada.chat)[1:] == ["By train."]


@pytest.mark.parametrize("command", ["/clear", "/retry"])
async def test_a_command_that_changes_what_was_said_takes_them_away(
    tmp_path: Path, pretend: PretendTelegram, command: str
) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("How do I get there?")
        old = await with_chips(ada.chat)

        await ada.chat.say(command)
        await ada.chat.wait_for(lambda messages: not _of(messages, old).labels)

    assert CHIPS not in [labels(message) for message in ada.chat.messages[:-1]]


def _of(messages: list[SeenMessage], one: SeenMessage) -> SeenMessage:
    """The same message as it is now."""
    return next(message for message in messages if message.id == one.id)


async def test_chips_outlive_a_restart_and_go_after_it_all_the_same(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, script=suggesting, clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("How do I get there?")
        answer = await with_chips(ada.chat)

    async with living(tmp_path, pretend, script=suggesting, clock=clock):
        kept = labels(next(message for message in ada.chat.messages if message.id == answer.id))
        await ada.chat.say("Never mind")
        await without_chips(ada.chat)

    assert kept == CHIPS


async def test_after_ten_minutes_they_are_gone(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = FastClock()
    async with living(tmp_path, pretend, script=suggesting, clock=clock) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("How do I get there?")
        await with_chips(ada.chat)

        clock.skip(601)
        app.fading.wake()
        await without_chips(ada.chat)

    assert said(ada.chat)[1:] == ["By train."]


async def test_a_chat_that_took_in_something_from_outside_shows_none(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
        conversation_id = await only_conversation(app)
        await app.database.commit(Append(conversation_id, (Tainted(source="web", label="a page"),)))

        await ada.chat.say("How do I get there?")
        await ada.chat.wait_for_answer()
        state = await EventLog(app.database).state(conversation_id)

    assert state.replies == ()
    assert not any(message.labels for message in ada.chat.messages)


async def test_a_group_shows_none_for_others_would_take_them(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=suggesting, clock=FastClock()) as app:
        friends = await team(app, pretend)

        answer = await friends.ask("Ada", "How do I get there?")
        again = await friends.ask("Bob", "hello")

    assert (answer, again) == ("By train.", "echo: hello")
    assert not any(message.labels for message in friends.screen("Ada").messages)
