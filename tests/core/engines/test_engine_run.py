"""One `Ended`, whatever the engine does; and nobody waits for an engine for ever."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from core.clock import ManualClock
from core.engines.base import Ended, EndReason, EngineEvent, Text, TurnInput
from core.engines.calls import Call
from core.engines.run import AHEAD, STOP_GRACE, EngineRun
from core.engines.scripted import ScriptedHost
from tests.core.lives import Wayward, deaf, until

TURN = TurnInput("hello")
CRASHED, CANCELLED, DONE = Ended(EndReason.CRASHED), Ended(EndReason.CANCELLED), Ended(EndReason.DONE)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def says(turn: TurnInput) -> AsyncIterator[EngineEvent]:
    yield Text("hi")
    yield DONE


async def to_the_end(run: EngineRun) -> list[EngineEvent | Call]:
    """All events of a run, and goodbye."""
    events = [await run.next()]
    while not isinstance(events[-1], Ended):
        events.append(await run.next())
    await run.let_go()
    return events


async def begun(engine: Wayward, clock: ManualClock) -> EngineRun:
    """A run whose engine has got as far as it gets."""
    run = EngineRun(engine, clock)
    run.begin(TURN, None, ScriptedHost())
    await clock.advance(0)
    return run


async def test_what_an_engine_says_comes_in_order_and_ends_once(clock: ManualClock) -> None:
    run = await begun(Wayward(says, state=lambda: {"heard": 1}), clock)

    events = await to_the_end(run)

    assert (events, run.memory) == ([Text("hi"), DONE], {"heard": 1})
    assert not run.is_ahead


async def test_an_engine_that_breaks_has_crashed_and_is_not_remembered(clock: ManualClock) -> None:
    async def breaks(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")
        raise RuntimeError("secret detail")

    run = await begun(Wayward(breaks), clock)

    assert await to_the_end(run) == [Text("hi"), CRASHED]
    assert run.memory is None


async def test_an_engine_that_cannot_be_opened_has_crashed(clock: ManualClock) -> None:
    async def breaks() -> None:
        raise RuntimeError("no such program")

    run = await begun(Wayward(says, opening=breaks), clock)

    assert await to_the_end(run) == [CRASHED]


async def test_an_engine_that_forgets_to_end_has_crashed(clock: ManualClock) -> None:
    async def forgets(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")

    run = await begun(Wayward(forgets), clock)

    assert await to_the_end(run) == [Text("hi"), CRASHED]


async def test_an_engine_in_which_something_was_cancelled_has_crashed(clock: ManualClock) -> None:
    async def cancels(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        yield Text("hi")
        raise asyncio.CancelledError

    run = await begun(Wayward(cancels), clock)

    assert await to_the_end(run) == [Text("hi"), CRASHED]


async def test_what_an_engine_says_after_its_end_is_not_heard(clock: ManualClock) -> None:
    left = asyncio.Event()

    async def goes_on(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        try:
            yield DONE
            yield Text("and another thing")
            yield CRASHED
        finally:
            left.set()

    run = await begun(Wayward(goes_on), clock)
    events = await to_the_end(run)

    assert events == [DONE]
    assert left.is_set()
    assert not run.is_ahead


async def test_an_engine_whose_state_breaks_has_ended_all_the_same(clock: ManualClock) -> None:
    def breaks() -> dict[str, object]:
        raise RuntimeError("lost")

    run = await begun(Wayward(says, state=breaks), clock)

    assert await to_the_end(run) == [Text("hi"), DONE]
    assert run.memory is None


async def test_an_engine_that_breaks_when_it_lets_go_has_ended_all_the_same(clock: ManualClock) -> None:
    async def breaks() -> None:
        raise RuntimeError("already gone")

    run = await begun(Wayward(says, close=breaks), clock)

    assert await to_the_end(run) == [Text("hi"), DONE]


async def test_an_engine_is_at_most_so_far_ahead(clock: ManualClock) -> None:
    said = 0

    async def chatters(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        nonlocal said
        for _ in range(2 * AHEAD):
            said += 1
            yield Text("x")
        yield DONE

    run = await begun(Wayward(chatters), clock)
    before_anyone_read = said
    events = await to_the_end(run)

    assert before_anyone_read == AHEAD + 1
    assert len(events) == 2 * AHEAD + 1


# ---- a stop --------------------------------------------------------------------------------------------------------


async def test_a_stop_asks_the_engine_which_ends_by_itself(clock: ManualClock) -> None:
    asked = asyncio.Event()

    async def answers(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        await asked.wait()
        yield CANCELLED

    async def cancel() -> None:
        asked.set()

    run = await begun(Wayward(answers, cancel=cancel, state=lambda: {"heard": 1}), clock)
    run.stop()
    run.stop()

    assert await to_the_end(run) == [CANCELLED]
    assert run.memory == {"heard": 1}
    assert clock.monotonic() == 0


async def test_an_engine_that_ignores_a_stop_is_abandoned_after_the_grace(clock: ManualClock) -> None:
    run = await begun(Wayward(deaf), clock)
    run.stop()
    reading = asyncio.create_task(to_the_end(run))

    await clock.advance(STOP_GRACE - 0.1)
    still_hoped = not reading.done()
    await clock.advance(0.2)

    assert still_hoped
    assert await reading == [Text("so far"), CANCELLED]
    assert run.memory is None


async def test_an_engine_that_will_not_be_cut_off_is_left_behind(clock: ManualClock) -> None:
    over = asyncio.Event()

    async def clings(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                yield Text("never")
        yield DONE

    run = await begun(Wayward(clings), clock)
    run.stop()
    await clock.advance(STOP_GRACE)

    assert await to_the_end(run) == [CANCELLED]
    assert run.memory is None
    over.set()


async def test_a_stop_while_it_is_opened_is_heard_at_once(clock: ManualClock) -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    run = await begun(Wayward(says, opening=hangs), clock)
    run.stop()
    await clock.advance(0)

    assert run.is_ahead
    assert await to_the_end(run) == [CANCELLED]


async def test_an_engine_whose_opening_will_not_be_cut_off_does_not_answer(clock: ManualClock) -> None:
    opened, played = asyncio.Event(), False

    async def clings() -> None:
        while not opened.is_set():
            try:
                await opened.wait()
            except asyncio.CancelledError:
                continue

    async def plays(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        nonlocal played
        played = True
        yield DONE

    run = await begun(Wayward(plays, opening=clings), clock)
    run.stop()
    await clock.advance(1)
    opened.set()

    assert await to_the_end(run) == [CANCELLED]
    assert not played
    assert run.memory is None


async def test_an_engine_that_breaks_when_asked_to_end_is_cut_off_at_once(clock: ManualClock) -> None:
    async def breaks() -> None:
        raise RuntimeError("the pipe is closed")

    run = await begun(Wayward(deaf, cancel=breaks), clock)
    run.stop()

    assert await to_the_end(run) == [Text("so far"), CANCELLED]
    assert clock.monotonic() == 0


async def test_a_stop_whose_asking_hangs_ends_after_the_grace(clock: ManualClock) -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    run = await begun(Wayward(deaf, cancel=hangs), clock)
    run.stop()
    await clock.advance(STOP_GRACE)

    assert await to_the_end(run) == [Text("so far"), CANCELLED]


async def test_an_engine_that_was_stopped_while_nobody_read_still_ends(clock: ManualClock) -> None:
    async def chatters(turn: TurnInput) -> AsyncIterator[EngineEvent]:
        while True:
            yield Text("x")

    run = await begun(Wayward(chatters), clock)
    run.stop()
    await clock.advance(2 * STOP_GRACE)

    events = await to_the_end(run)

    assert events[-1] == CANCELLED


async def test_a_stop_after_the_end_changes_nothing(clock: ManualClock) -> None:
    run = await begun(Wayward(says, state=lambda: {"heard": 1}), clock)
    events = await to_the_end(run)

    run.stop()
    await run.let_go()

    assert events == [Text("hi"), DONE]
    assert run.memory == {"heard": 1}
    assert not run.is_ahead


async def test_a_stop_before_it_began_is_harmless(clock: ManualClock) -> None:
    run = EngineRun(Wayward(says), clock)

    run.stop()
    await run.let_go()

    assert not run.is_ahead


# ---- letting go ----------------------------------------------------------------------------------------------------


async def test_an_engine_that_does_not_let_go_is_waited_for_only_so_long(clock: ManualClock) -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    run = await begun(Wayward(says, close=hangs), clock)
    letting_go = asyncio.create_task(run.let_go())

    await clock.advance(STOP_GRACE - 0.1)
    still_hoped = not letting_go.done()
    await clock.advance(0.2)

    assert still_hoped
    await until(letting_go.done)


async def test_an_engine_that_is_abandoned_lets_go_of_its_session(clock: ManualClock) -> None:
    closed = asyncio.Event()

    async def close() -> None:
        closed.set()

    run = await begun(Wayward(deaf, close=close), clock)
    run.abandon()
    await clock.advance(0)

    assert closed.is_set()
