"""Stop: the turn ends soon, the queue is empty, and later words are dropped, whatever stage things are in."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from core import events as ev
from core.checkpoints import Checkpoint
from core.conversations import SendOutcome, Sent, Stopped
from core.engines.base import Ended, EndReason, EngineEvent, Text, ToolCallStarted, TurnInput
from core.engines.run import STOP_GRACE
from core.engines.script import Steps, Until
from core.engines.scripted import always
from core.errors import StoreUnavailable
from core.live import Delta
from tests.core.lives import HoldAt, Holding, Life, Start, Wayward, deaf, until


async def speaking(life: Life) -> None:
    """Come back when the engine has said its first words."""
    await until(lambda: any(isinstance(item, Delta) for item in life.heard))


@pytest.mark.report("R015")
async def test_a_stop_ends_the_turn_and_keeps_what_was_said(start: Start) -> None:
    life = await start(Holding())
    await life.say("wait")
    await speaking(life)

    stopped = await life.stop()

    assert stopped == Stopped(turn=True, waiting=0)
    assert await life.story() == ["> wait", "turn", "so far", "end: interrupted stop"]
    assert (life.conversations.active, life.clock.monotonic()) == (0, 0)


async def test_a_stop_empties_the_queue_and_what_comes_after_it_is_answered(start: Start) -> None:
    life = await start(Holding())
    await life.say("wait")
    await life.say("one")
    await life.say("two")

    stopped = await life.stop()
    after = await life.say("still there?")
    await life.idle()

    assert stopped == Stopped(turn=True, waiting=2)
    assert after == Sent(SendOutcome.STARTED)
    assert await life.asked() == ["wait", "still there?"]


async def test_a_message_that_a_stop_dropped_stays_dropped(start: Start) -> None:
    life = await start(Holding())
    await life.say("wait")
    await life.say("one")
    await life.stop()

    again = await life.say("one")

    assert again == Sent(SendOutcome.DUPLICATE)


async def test_a_stop_closes_open_tools_as_stopped(start: Start) -> None:
    life = await start(always(Text("let me see"), ToolCallStarted("t", "search", {}, "agent"), Until(asyncio.Event())))
    await life.say("hello")
    await speaking(life)

    await life.stop()

    assert (await life.story())[3:] == ["search starts", "search ends: stopped", "end: interrupted stop"]


async def test_words_after_a_stop_are_dropped(start: Start) -> None:
    asked = asyncio.Event()

    async def has_the_last_word(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("so far")
        await asked.wait()
        yield Text(", and another thing")
        yield ToolCallStarted("t", "search", {}, "agent")
        yield Ended(EndReason.UNAVAILABLE, "I was not done!")

    async def cancel() -> None:
        asked.set()

    life = await start(Wayward(has_the_last_word, cancel=cancel))
    await life.say("hello")
    await speaking(life)

    await life.stop()

    assert await life.story() == ["> hello", "turn", "so far", "end: interrupted stop"]
    assert "".join(item.text for item in life.heard if isinstance(item, Delta)) == "so far"


async def test_an_engine_that_ignores_a_stop_is_abandoned_after_the_grace(start: Start) -> None:
    life = await start(Wayward(deaf))
    await life.say("hello")
    await speaking(life)

    stopping = asyncio.create_task(life.stop())
    await until(lambda: life.clock.sleeping)
    await life.clock.advance(STOP_GRACE - 0.1)
    still_hoped = not stopping.done()
    await life.clock.advance(0.2)

    assert still_hoped
    assert await stopping == Stopped(turn=True, waiting=0)
    assert await life.story() == ["> hello", "turn", "so far", "end: interrupted stop"]
    assert life.conversations.active == 0


async def test_a_stop_while_the_engine_is_being_opened_is_heard_at_once(start: Start) -> None:
    opening = asyncio.Event()

    async def hangs() -> None:
        opening.set()
        await asyncio.Event().wait()

    life = await start(Wayward(deaf, opening=hangs))
    await life.say("hello")
    await opening.wait()

    await life.stop()

    assert await life.story() == ["> hello", "turn", "end: interrupted stop"]
    assert life.clock.monotonic() == 0


async def test_a_stop_while_the_turn_is_being_stored_ends_that_turn(start: Start) -> None:
    gate = HoldAt(Checkpoint.RECORDED)
    life = await start(Holding(), checkpoints=gate)
    sending = asyncio.create_task(life.say("wait"))
    await gate.reached.wait()

    stopping = asyncio.create_task(life.stop())
    await asyncio.sleep(0)
    gate.go.set()

    assert (await sending, await stopping) == (Sent(SendOutcome.STARTED), Stopped(turn=True, waiting=0))
    assert (await life.story())[-1] == "end: interrupted stop"


async def test_a_stop_before_the_engine_has_the_turn_keeps_it_from_the_engine(start: Start) -> None:
    gate = HoldAt(Checkpoint.TURN_RUNNING)
    life = await start(checkpoints=gate)
    await life.say("hello")
    await gate.reached.wait()

    stopping = asyncio.create_task(life.stop())
    await until(lambda: life.database.writes == 2)
    gate.go.set()

    assert await stopping == Stopped(turn=True, waiting=0)
    assert await life.story() == ["> hello", "turn", "end: interrupted stop"]
    assert not life.engine.turns


async def test_a_turn_that_its_engine_never_saw_is_told_to_it_next_time(start: Start) -> None:
    gate = HoldAt(Checkpoint.TURN_RUNNING)
    gate.go.set()
    life = await start(checkpoints=gate)
    await life.answer("one")
    gate.go.clear()
    await life.say("two")
    stopping = asyncio.create_task(life.stop())
    await until(lambda: life.database.writes == 4)
    gate.go.set()
    await stopping

    await life.answer("three")

    assert [turn.text for turn in life.engine.turns] == ["one", "three"]
    assert "Person: two" in (life.engine.turns[-1].handoff or "")


async def test_a_second_stop_waits_for_the_same_end(start: Start) -> None:
    life = await start(Holding())
    await life.say("wait")
    await life.say("one")
    await speaking(life)

    stopped = list(await asyncio.gather(life.stop(), life.stop()))

    assert stopped == [Stopped(turn=True, waiting=1), Stopped(turn=True, waiting=0)]
    assert [line for line in await life.story() if line.startswith("end")] == ["end: interrupted stop"]


async def test_a_stop_when_nothing_goes_on_says_so(life: Life) -> None:
    await life.answer("hello")

    assert await life.stop() == Stopped(turn=False, waiting=0)
    assert await life.stop("no such chat") == Stopped(turn=False, waiting=0)
    assert life.conversations.active == 0


async def test_a_stop_is_one_conversations(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait", to="one")
    await life.say("wait", to="two")

    await life.stop("one")
    held.go.set()
    await life.idle()

    assert (await life.end("one")).outcome == "interrupted"
    assert (await life.end("two")).outcome == "success"


async def test_a_stop_that_cannot_be_stored_stops_nothing(start: Start, folder: Path) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await life.say("next")
    await until(lambda: life.engine.turns)

    with closing(sqlite3.connect(folder / "conch.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            await life.stop()

    held.go.set()
    await life.idle()
    assert await life.asked() == ["wait", "next"]
    assert (await life.end()).outcome == "success"


async def test_a_stop_counts_though_nobody_waits_for_it(start: Start) -> None:
    life = await start(Wayward(deaf))
    await life.say("hello")
    await speaking(life)

    stopping = asyncio.create_task(life.stop())
    await until(lambda: life.clock.sleeping)
    stopping.cancel()
    await asyncio.wait({stopping})
    await life.clock.advance(STOP_GRACE)
    await life.idle()

    assert (await life.end()).cut_off_by == "stop"


@pytest.mark.parametrize("moment", range(12))
async def test_what_a_stop_counted_as_dropped_is_not_answered(start: Start, moment: int) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await until(lambda: life.engine.turns)
    await life.say("next")

    held.go.set()
    for _ in range(moment):
        await asyncio.sleep(0)
    stopped = await life.stop()
    await life.idle()

    assert ("next" in await life.asked()) == (stopped.waiting == 0)
    assert len([data for data in await life.events() if isinstance(data, ev.TurnStarted)]) == 2 - stopped.waiting


async def test_a_stop_of_a_turn_that_ends_by_itself_is_over_when_it_says_so(start: Start) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("hi")

    life = await start(script)
    for number in range(10):
        await life.say(f"m{number}")

        await life.stop()

        assert life.conversations.active == 0
        assert (await life.story())[-1].startswith("end: ")
