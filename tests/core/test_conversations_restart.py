"""The end of the program and its next life: nothing runs twice, nothing that waits is lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from core import events as ev
from core.conversations import SendOutcome, Sent
from core.engines.base import Ended, EndReason, EngineEvent, Text, ToolCallStarted, TurnInput
from core.engines.script import Until
from core.engines.scripted import always
from core.store.log import Append
from core.store.queue import Enqueue
from core.workers import CLOSING
from tests.core.event_logs import asked, said, started, wants_permission
from tests.core.lives import CHAT, Holding, Life, Start, Wayward, deaf, message, until

CUT_OFF = ["> hello", "turn", "end: interrupted restart"]


async def left_behind(start: Start, *more: ev.EventData, waiting: tuple[str, ...] = ()) -> Life:
    """A life in which an earlier one was killed while it answered."""
    life = await start(recover=False)
    queued = [Enqueue(CHAT, message(text)) for text in waiting]
    await life.database.commit(Append(CHAT, (said("hello"), started("scripted"), *more)), *queued)
    return life


# ---- the next life -------------------------------------------------------------------------------------------------


@pytest.mark.report("R177")
async def test_a_turn_that_was_cut_off_is_closed_and_never_runs_again(start: Start) -> None:
    life = await left_behind(start)

    await life.conversations.recover()
    await life.idle()

    assert await life.story() == CUT_OFF
    assert not life.engine.turns


@pytest.mark.report("R139")
async def test_a_second_restart_finds_nothing_to_do(start: Start) -> None:
    first = await left_behind(start)
    await first.conversations.recover()
    await first.is_over()

    second = await start()
    await second.idle()

    assert await second.story() == CUT_OFF
    assert not second.engine.turns


@pytest.mark.report("R077")
@pytest.mark.report("R153")
async def test_what_was_open_in_a_turn_that_was_cut_off_is_closed_with_it(start: Start) -> None:
    life = await left_behind(
        start, ev.ToolStarted(tool_use_id="t1", name="search"), wants_permission("p1"), asked("q1")
    )

    await life.conversations.recover()

    assert (await life.events())[5:] == [
        ev.ToolFinished(tool_use_id="t1", name="search", status="error"),
        ev.QuestionAnswered(question_id="q1"),
        ev.PermissionResolved(permission_id="p1", decision="expired"),
        ev.TurnCompleted(outcome="interrupted", engine="scripted", cut_off_by="restart"),
    ]


async def test_what_waited_goes_next_in_the_next_life(start: Start) -> None:
    life = await left_behind(start, waiting=("one", "two"))

    await life.conversations.recover()
    await life.idle()

    assert await life.story() == [*CUT_OFF, "> one\n\ntwo", "turn", "echo: one\n\ntwo", "end: success"]
    assert await life.waiting() == []


async def test_what_waited_goes_once_also_when_it_is_sent_again(start: Start) -> None:
    life = await left_behind(start, waiting=("one",))

    await life.conversations.recover()
    again = await life.say("one")
    await life.idle()

    assert again == Sent(SendOutcome.DUPLICATE)
    assert await life.asked() == ["hello", "one"]


@pytest.mark.report("R039")
async def test_what_is_sent_at_the_start_does_not_overtake_what_waited(start: Start) -> None:
    life = await left_behind(start, waiting=("one",))

    await life.conversations.recover()
    await life.say("two")
    await life.idle()

    asked_for = "\n\n".join(await life.asked())
    assert asked_for == "hello\n\none\n\ntwo"


async def test_turns_of_many_conversations_are_closed_and_go_on(start: Start) -> None:
    life = await start(recover=False)
    for number in range(20):
        await life.database.commit(
            Append(f"chat {number}", (said("hello"), started("scripted"))), Enqueue(f"chat {number}", message("next"))
        )

    await life.conversations.recover()
    await life.idle()

    for number in range(20):
        story = await life.story(f"chat {number}")
        assert story == [*CUT_OFF, "> next", "turn", "echo: next", "end: success"]


# ---- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.report("R021")
async def test_at_the_end_a_running_turn_may_finish(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await until(lambda: life.engine.turns)

    draining = asyncio.create_task(life.conversations.drain())
    await life.clock.advance(29)
    still_waiting = not draining.done()
    held.go.set()
    await draining

    assert still_waiting
    assert await life.story() == ["> wait", "turn", "so far, and so on", "end: success"]


async def test_a_turn_that_takes_too_long_at_the_end_is_interrupted_as_by_a_restart(start: Start) -> None:
    life = await start(always(Text("so far"), ToolCallStarted("t", "dig", {}, "agent"), Until(asyncio.Event())))
    await life.say("hello")
    await until(lambda: life.engine.turns)

    draining = asyncio.create_task(life.conversations.drain())
    await until(lambda: life.clock.sleeping)
    await life.clock.advance(30)
    await draining

    assert await life.story() == [
        *["> hello", "turn", "so far", "dig starts"],
        *["dig ends: error", "end: interrupted restart"],
    ]
    assert life.clock.monotonic() == 30


async def test_at_the_end_no_new_turn_starts_and_what_waits_is_kept(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("next")
    await until(lambda: life.engine.turns)

    draining = asyncio.create_task(life.conversations.drain())
    await until(lambda: life.clock.sleeping)
    late = [await life.say("late"), await life.say("elsewhere", to="elsewhere")]
    held.go.set()
    await draining

    assert [sent.outcome for sent in late] == [SendOutcome.QUEUED] * 2
    assert await life.asked() == ["wait"]
    assert (await life.waiting(), await life.waiting("elsewhere")) == (["next", "late"], ["elsewhere"])
    await life.is_over()
    second = await start()
    await second.idle()
    assert (await second.asked(), await second.asked("elsewhere")) == (["wait", "next\n\nlate"], ["elsewhere"])


async def test_at_the_end_an_engine_that_ignores_everything_holds_nobody_up(start: Start) -> None:
    life = await start(Wayward(deaf))
    await life.say("hello")
    await until(lambda: life.conversations.turns)

    draining = asyncio.create_task(life.conversations.drain())
    while not draining.done():
        await life.clock.advance(1)
        await asyncio.wait({draining}, timeout=0.01)

    assert (await life.story())[-1] == "end: interrupted restart"
    assert life.clock.monotonic() <= 30 + CLOSING


async def test_at_the_end_a_database_that_is_gone_holds_nobody_up_and_the_next_life_closes_the_turn(
    start: Start,
) -> None:
    async def says(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")
        yield Ended(EndReason.DONE)

    life = await start(Wayward(says))
    life.feed.listen(lambda item: setattr(life.database, "is_down", True))
    await life.say("hello")
    await until(lambda: life.clock.sleeping)

    draining = asyncio.create_task(life.conversations.drain())
    await until(lambda: life.clock.sleeping == 2)
    await life.clock.advance(30)
    await life.clock.advance(CLOSING)
    await draining
    second = await start(Wayward(says))

    assert life.conversations.turns <= 1
    assert await second.story() == CUT_OFF


async def test_when_nothing_goes_on_the_end_is_at_once(life: Life) -> None:
    await life.answer("hello")

    await life.conversations.drain()

    assert life.clock.monotonic() == 0


async def test_what_is_held_is_left_to_the_next_life(start: Start) -> None:
    life = await start()
    life.engine.is_ready = False
    await life.say("hello")

    await life.conversations.drain()
    await life.is_over()

    second = await start()
    await second.clock.advance(60)
    await second.idle()
    assert (await second.story())[-4:] == ["> hello", "turn", "echo: hello", "end: success"]
