"""What may be sent next with one tap, in every app: its exact words, under the answer, gone with whatever comes."""

from pathlib import Path

import pytest

from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps
from core.events import Origin, Tainted
from core.store.queue import QueuedMessage
from tests.journeys.apps import IN_GROUPS, AppUnderTest, labels, now
from tests.journeys.cards import add, card, lines, only_conversation, says, shows, tap, whispers
from tests.journeys.living import FastClock, echo

CHIPS = ["Book the 9:30 train", "What *does* it cost, <b>really</b>?"]


def suggesting(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asked how to travel, answers with chips; asked slowly, suggests before its last words; else it echoes."""
    chips = CallTool("1", "suggest_replies", {"replies": CHIPS})
    if turn.text.startswith("How"):
        yield Text("By train.")
        yield chips
    elif turn.text.startswith("First"):
        yield chips
        yield Text("By train.")
    else:
        yield from echo(turn, earlier)


@pytest.mark.parametrize("asked", ["How do I get there?", "First things first"])
async def test_chips_stand_under_the_answer_and_send_their_words(
    tmp_path: Path, messenger: AppUnderTest, asked: str
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say(asked)
        answer = await card(ada.chat, "By train.")

        await tap(ada.chat, answer, CHIPS[0])
        await says(ada.chat, f"echo: {CHIPS[0]}")
        await shows(ada.chat, answer, "By train.")

    assert labels(answer) == CHIPS
    assert lines(ada.chat) == ["By train.", f"echo: {CHIPS[0]}"]
    assert not whispers(ada.chat)


@pytest.mark.parametrize("messenger", ["telegram", "discord", "slack"], indirect=True)
async def test_of_two_devices_only_one_sends(tmp_path: Path, messenger: AppUnderTest) -> None:
    # Teams itself takes suggestions away everywhere once one was pressed
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("How do I get there?")
        answer = await card(ada.chat, "By train.")

        for _ in range(2):
            await ada.chat.press(answer, CHIPS[0], stale=True)
        await says(ada.chat, f"echo: {CHIPS[0]}")
        await messenger.asked(ada.chat, "Never mind")

    assert lines(ada.chat) == ["By train.", f"echo: {CHIPS[0]}", "echo: Never mind"]


@pytest.mark.parametrize("where", ["here", "at the console"])
async def test_the_next_message_takes_the_chips_away(tmp_path: Path, messenger: AppUnderTest, where: str) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("How do I get there?")
        answer = await card(ada.chat, "By train.")

        if where == "here":
            await ada.chat.say("Never mind")
        else:
            words = QueuedMessage(text="Never mind", origin=Origin(kind="console"), client_ids=("c1",))
            await app.conversations.send(await only_conversation(app), words)
        await shows(ada.chat, answer, "By train.")

    assert lines(ada.chat)[0] == "By train."


async def test_chips_outlive_a_restart_and_can_be_tapped_after_it(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("How do I get there?")
        answer = await card(ada.chat, "By train.")

    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        await messenger.ready(app, ada.channel_id)
        kept = labels(now(ada.chat, answer))
        await tap(ada.chat, answer, CHIPS[0])
        await says(ada.chat, f"echo: {CHIPS[0]}")
        await shows(ada.chat, answer, "By train.")

    assert kept == CHIPS


async def test_after_ten_minutes_they_are_gone(tmp_path: Path, messenger: AppUnderTest) -> None:
    clock = FastClock()
    async with messenger.living(tmp_path, script=suggesting, clock=clock) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("How do I get there?")
        answer = await card(ada.chat, "By train.")

        clock.skip(601)
        app.fading.wake()
        await shows(ada.chat, answer, "By train.")

    assert lines(ada.chat) == ["By train."]


async def test_a_chat_that_took_in_something_from_outside_shows_none(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")
        await add(app, Tainted(source="web", label="a page"))

        await ada.chat.say("How do I get there?")
        await says(ada.chat, "By train.")
        await messenger.asked(ada.chat, "Never mind")

    assert not any(message.labels for message in ada.chat.messages)


@IN_GROUPS
async def test_a_group_shows_none_for_others_would_take_them(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=suggesting) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])

        asked = await group.ask(ada, "How do I get there?")
        again = await group.asked_on(ada, asked, "hello")

    assert (asked.answer.text, again.text) == ("By train.", "echo: hello")
    assert not any(message.labels for message in asked.talk.messages)
