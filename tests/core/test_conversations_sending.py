"""What becomes of a message that is sent: it starts a turn, waits, or was sent before."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core import events as ev
from core.checkpoints import Checkpoint
from core.conversations import SendOutcome, Sent
from core.errors import StoreUnavailable, UsageError
from core.store.inbox import Done, Inbox, Received
from core.store.log import Append
from tests.core.event_logs import offered
from tests.core.lives import CHAT, HoldAt, Holding, Life, Start, from_chat, until

STARTED = Sent(SendOutcome.STARTED)
DUPLICATE = Sent(SendOutcome.DUPLICATE)


async def test_a_message_is_answered(life: Life) -> None:
    sent = await life.say("hello")
    await life.idle()

    assert sent == STARTED
    assert await life.story() == ["> hello", "turn", "echo: hello", "end: success"]


async def test_a_turn_says_who_answers_and_where_its_words_go(life: Life) -> None:
    origin = from_chat("ada", reply_to="17")

    await life.say("hello", by=origin)
    await life.idle()

    started = (await life.events())[1]
    assert started == ev.TurnStarted(engine="scripted", address=origin.address)


async def test_what_opens_a_turn_is_in_order(life: Life) -> None:
    await life.database.commit(Append(CHAT, (offered("o1"), offered("o2"))))

    await life.say("look", by=from_chat("ada"), goal="win", others_words=True)
    await life.idle()

    opening = (await life.events())[2:8]
    assert [data.type for data in opening] == [
        "offer.resolved",
        "offer.resolved",
        "goal",
        "user.message",
        "taint",
        "turn.started",
    ]
    assert opening[4] == ev.Tainted(source="person", label="Ada")


async def test_nothing_else_than_the_opening_is_between_a_message_and_its_turn(life: Life) -> None:
    story = await life.answer("hello", goal="win")

    assert story == ["goal", "> hello", "turn", "echo: hello", "end: success"]


async def test_two_conversations_answer_side_by_side(start: Start) -> None:
    held = Holding()
    life = await start(held)

    await life.say("wait", to="one")
    await life.say("hello", to="two")
    await until(lambda: life.conversations.turns == 1)

    assert await life.story("two") == ["> hello", "turn", "echo: hello", "end: success"]
    held.go.set()
    await life.idle()
    assert await life.story("one") == ["> wait", "turn", "so far, and so on", "end: success"]


# ---- the same message again ----------------------------------------------------------------------------------------


async def test_a_message_that_was_answered_is_not_answered_again(life: Life) -> None:
    await life.answer("hello", ids=("7",))

    again = await life.say("hello", ids=("7",))
    await life.idle()

    assert again == DUPLICATE
    assert await life.asked() == ["hello"]


async def test_a_message_that_runs_or_waits_is_not_taken_again(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("next")

    again = [await life.say("wait"), await life.say("next")]
    held.go.set()
    await life.idle()

    assert again == [DUPLICATE, DUPLICATE]
    assert await life.asked() == ["wait", "next"]


async def test_the_same_message_twice_at_once_is_answered_once(life: Life) -> None:
    sent = await asyncio.gather(*(life.say("hello", ids=("7",)) for _ in range(5)))
    await life.idle()

    assert sent == [STARTED, *[DUPLICATE] * 4]
    assert await life.asked() == ["hello"]


async def test_a_message_is_known_by_each_of_the_ids_that_it_was_gathered_from(life: Life) -> None:
    await life.answer("one and two", ids=("1", "2"))

    again = await life.say("two", ids=("2",))

    assert again == DUPLICATE


async def test_a_message_is_still_known_after_a_restart(start: Start) -> None:
    life = await start()
    await life.answer("hello", ids=("7",))
    await life.is_over()

    again = await (await start()).say("hello", ids=("7",))

    assert again == DUPLICATE


async def test_ids_count_within_one_conversation(life: Life) -> None:
    await life.answer("hello", to="one", ids=("7",))

    elsewhere = await life.say("hello", to="two", ids=("7",))

    assert elsewhere == STARTED


async def test_messages_without_ids_are_all_different(life: Life) -> None:
    await life.answer("hello", ids=())
    await life.answer("hello", ids=())

    assert await life.asked() == ["hello", "hello"]


# ---- what is stored with it ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("road", ["started", "queued", "held", "duplicate"])
async def test_what_comes_along_is_stored_with_the_message(start: Start, road: str) -> None:
    held = Holding()
    life = await start(held)
    if road == "queued":
        await life.say("wait")
    elif road == "duplicate":
        await life.answer("hello")
    life.engine.is_ready = road != "held"
    await life.database.commit(Received("telegram", "1", {}))

    sent = await life.say("hello", Done("telegram", "1"))

    assert sent.outcome.value == road
    assert await Inbox(life.database).pending("telegram") == ()


@pytest.mark.parametrize("first", [None, "wait"])
async def test_while_the_database_is_locked_nothing_is_left_behind(
    start: Start, folder: Path, first: str | None
) -> None:
    held = Holding()
    life = await start(held)
    if first:
        await life.say(first)
        await until(lambda: life.engine.turns)
    await life.database.commit(Received("telegram", "1", {}))
    before = await life.story()

    with closing(sqlite3.connect(folder / "conch.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            await life.say("hello", Done("telegram", "1"))

    assert await life.story() == before
    assert await life.waiting() == []
    assert len(await Inbox(life.database).pending("telegram")) == 1
    sent = await life.say("hello", Done("telegram", "1"))
    held.go.set()
    await life.idle()
    assert sent.outcome is (SendOutcome.QUEUED if first else SendOutcome.STARTED)
    assert (await life.asked())[-1] == "hello"


@pytest.mark.parametrize("goal", ["", "x" * 501])
async def test_a_message_with_a_goal_that_is_none_is_refused_before_it_is_stored(start: Start, goal: str) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")

    with pytest.raises(UsageError, match="500"):
        await life.say("hello", goal=goal)

    assert await life.waiting() == []


async def test_a_sender_who_goes_away_takes_nothing_back(start: Start) -> None:
    stored = HoldAt(Checkpoint.RECORDED)
    life = await start(checkpoints=stored)

    sending = asyncio.create_task(life.say("hello"))
    await stored.reached.wait()
    sending.cancel()
    await asyncio.wait({sending})
    stored.go.set()
    await life.idle()

    assert sending.cancelled()
    assert await life.story() == ["> hello", "turn", "echo: hello", "end: success"]


async def test_an_asker_for_a_retry_who_goes_away_takes_nothing_back(start: Start) -> None:
    stored = HoldAt(Checkpoint.RECORDED)
    stored.go.set()
    life = await start(checkpoints=stored)
    await life.answer("hello")
    stored.reached.clear()
    stored.go.clear()

    asking = asyncio.create_task(life.conversations.retry(CHAT, from_chat("ada"), "again"))
    await stored.reached.wait()
    asking.cancel()
    await asyncio.wait({asking})
    stored.go.set()
    await life.idle()

    assert (await life.story())[-2:] == ["echo: hello", "end: success"]
    assert await life.asked() == ["hello", "hello"]


# ---- what it costs -------------------------------------------------------------------------------------------------


async def test_a_turn_writes_when_it_begins_and_when_it_ends_and_looks_twice(life: Life) -> None:
    await life.answer("one")
    before = (life.database.writes, life.database.looks)

    await life.say("two")
    await life.idle()

    # It looks for the state of the conversation, and for what the engine remembers.
    assert (life.database.writes - before[0], life.database.looks - before[1]) == (2, 2)


@pytest.mark.report("R137", "R185")
async def test_of_conversations_that_are_answered_nothing_stays_in_memory(life: Life) -> None:
    await asyncio.gather(*(life.say("hello", to=f"chat {number}") for number in range(1_000)))

    await life.idle()

    assert (life.conversations.active, life.conversations.turns) == (0, 0)
    assert len(life.engine.turns) == 1_000
