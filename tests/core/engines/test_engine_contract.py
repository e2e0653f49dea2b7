"""What every engine promises, written once and run over every rig of `rigs.py`."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.engines.base import (
    EXIT_PLAN_MODE,
    KEEP_PLANNING,
    PLAN_OPTIONS,
    START,
    Ended,
    EndReason,
    EngineEvent,
    ModeChanged,
    Plan,
    Text,
    ToolAnswer,
    ToolCallEnded,
    ToolCallStarted,
)
from core.engines.scripted import ScriptedHost
from core.errors import StoreUnavailable
from core.events import Mode
from tests.core.engines.rigs import RIGS, Reading, Rig, endings, engines_with, every_engine, read, turn, words


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@every_engine
async def test_an_answer_streams_and_then_ends_once(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)

    events = await read(session, turn(rig.long), ScriptedHost(), clock)

    assert sum(isinstance(event, Text) for event in events) > 10
    assert endings(events) == [Ended(EndReason.DONE)] == events[-1:]


@every_engine
async def test_each_way_to_end_is_told_once_and_last(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)

    for reason, said in rig.endings.items():
        events = await read(session, turn(said), ScriptedHost(), clock)

        assert [event.reason for event in endings(events)] == [reason]
        assert isinstance(events[-1], Ended)


@every_engine
@pytest.mark.report("R167")
async def test_a_cancel_in_mid_stream_ends_it_with_no_further_words(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 5)
    before = list(reading.events)

    await session.cancel()
    await reading.until(clock, reading.task.done)

    assert reading.events == [*before, Ended(EndReason.CANCELLED)]


@every_engine
async def test_a_cancel_needs_no_passing_of_time(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)

    await session.cancel()
    await reading.task

    assert reading.events[-1] == Ended(EndReason.CANCELLED)


@every_engine
async def test_a_turn_cancelled_before_its_first_event_says_nothing(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    answer = session.run(turn(rig.long), ScriptedHost())

    await session.cancel()

    assert [event async for event in answer] == [Ended(EndReason.CANCELLED)]


@every_engine
async def test_a_cancel_with_nothing_running_leaves_the_next_turn_whole(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    whole = await read(session, turn(rig.long), ScriptedHost(), clock)

    await session.cancel()
    again = await read(session, turn(rig.long), ScriptedHost(), clock)

    assert words(again) == words(whole)
    assert endings(again) == [Ended(EndReason.DONE)]


@every_engine
async def test_cancelling_twice_is_cancelling_once(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)

    await session.cancel()
    await session.cancel()
    await reading.task

    assert endings(reading.events) == [Ended(EndReason.CANCELLED)]


@every_engine
async def test_after_a_cancel_the_session_goes_on(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)
    await session.cancel()
    await reading.task

    events = await read(session, turn(rig.long), ScriptedHost(), clock)

    assert endings(events) == [Ended(EndReason.DONE)]


@engines_with("host_tool")
async def test_a_host_tool_may_wait_for_hours(rig: Rig, clock: ManualClock) -> None:
    answered = asyncio.Event()
    host = ScriptedHost(tool=ToolAnswer("blue"), wait=answered)
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.host_tool or ""), host)
    await reading.until(clock, lambda: bool(host.asked))

    await clock.advance(10 * 3600)
    answered.set()
    events = await reading.to_the_end(clock)

    assert "blue" in words(events)
    assert [call.name for call in host.asked] == ["ask"]


@engines_with("host_tool")
async def test_a_cancel_while_a_host_tool_waits_takes_the_call_back(rig: Rig, clock: ManualClock) -> None:
    host = ScriptedHost(wait=asyncio.Event())
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.host_tool or ""), host)
    await reading.until(clock, lambda: bool(host.asked))

    await session.cancel()
    await reading.task

    assert endings(reading.events) == [Ended(EndReason.CANCELLED)]
    assert list(host.dropped) == list(host.asked)


@engines_with("own_tool")
@pytest.mark.parametrize(("choice", "status"), [("Allow", "ok"), ("Don't allow", "error"), (None, "error")])
async def test_a_tool_of_its_own_runs_only_after_a_yes(
    rig: Rig, clock: ManualClock, choice: str | None, status: str
) -> None:
    host = ScriptedHost(choice=choice)
    session = await rig.make(clock).open(None)

    events = await read(session, turn(rig.own_tool or ""), host, clock)

    assert [event.status for event in events if isinstance(event, ToolCallEnded)] == [status]
    assert [asked.kind for asked in host.asked] == ["permit"]
    assert rig.allow in host.asked[0].options


@engines_with("own_tool")
async def test_a_cancel_while_a_permission_waits_takes_it_back(rig: Rig, clock: ManualClock) -> None:
    host = ScriptedHost(choice=rig.allow, wait=asyncio.Event())
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.own_tool or ""), host)
    await reading.until(clock, lambda: bool(host.asked))

    await session.cancel()
    await reading.task

    assert endings(reading.events) == [Ended(EndReason.CANCELLED)]
    assert not any(isinstance(event, ToolCallEnded) for event in reading.events)
    assert list(host.dropped) == list(host.asked)


@engines_with("question")
@pytest.mark.parametrize(("values", "said"), [({"drink": "tea"}, "tea"), (None, "")])
async def test_a_question_of_its_own_is_answered_or_skipped(
    rig: Rig, clock: ManualClock, values: dict[str, str] | None, said: str
) -> None:
    session = await rig.make(clock).open(None)

    events = await read(session, turn(rig.question or ""), ScriptedHost(values=values), clock)

    assert said in words(events).lower()
    assert endings(events) == [Ended(EndReason.DONE)]


@engines_with("own_tool")
@pytest.mark.report("R113")
@pytest.mark.parametrize("error", [RuntimeError("secret /etc/conch"), StoreUnavailable("locked")])
async def test_a_host_that_breaks_ends_the_turn_in_a_plain_sentence(
    rig: Rig, clock: ManualClock, error: Exception
) -> None:
    session = await rig.make(clock).open(None)

    events = await read(session, turn(rig.own_tool or ""), ScriptedHost(error=error), clock)

    (ended,) = endings(events)
    assert ended.reason is EndReason.CRASHED
    assert ended.message
    assert str(error) not in ended.message + words(events)


@every_engine
async def test_closing_while_it_runs_ends_the_turn_once(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 3)

    await session.close()
    await reading.task

    assert endings(reading.events) == [Ended(EndReason.CANCELLED)]


@every_engine
async def test_a_closed_session_begins_nothing(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    await session.close()

    events = await read(session, turn(rig.long), ScriptedHost(), clock)

    assert events == [Ended(EndReason.CANCELLED)]


@every_engine
async def test_a_second_turn_at_once_is_refused_and_the_first_goes_on(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    first = Reading(session, turn(rig.long), ScriptedHost())
    await first.until(clock, lambda: len(first.events) >= 2)

    second = await read(session, turn(rig.long), ScriptedHost(), clock)
    await first.to_the_end(clock)

    assert [ended.reason for ended in endings(second)] == [EndReason.REJECTED]
    assert words(second) == ""
    assert endings(first.events) == [Ended(EndReason.DONE)]


@every_engine
async def test_a_reader_that_is_cancelled_is_cancelled(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)

    reading.task.cancel()
    await asyncio.wait([reading.task])

    assert reading.task.cancelled()
    assert endings(reading.events) == []


@every_engine
async def test_a_reader_that_went_away_does_not_block_the_next_turn(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)
    reading.task.cancel()
    await asyncio.wait([reading.task])

    events = await read(session, turn(rig.long), ScriptedHost(), clock)

    assert endings(events) == [Ended(EndReason.DONE)]


@engines_with("tell")
async def test_a_new_session_goes_on_from_stored_state(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    await read(session, turn(rig.tell or ""), ScriptedHost(), clock)
    stored = json.dumps(session.state())
    await session.close()

    resumed = await rig.make(clock).open(json.loads(stored))
    events = await read(resumed, turn(rig.recall), ScriptedHost(), clock)

    assert rig.remembered in words(events)


@engines_with("tell")
async def test_a_session_without_state_knows_nothing(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)

    events = await read(session, turn(rig.recall), ScriptedHost(), clock)

    assert rig.remembered not in words(events)


@engines_with("tell")
async def test_the_state_after_a_cancel_can_be_resumed(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    await read(session, turn(rig.tell or ""), ScriptedHost(), clock)
    reading = Reading(session, turn(rig.long), ScriptedHost())
    await reading.until(clock, lambda: len(reading.events) >= 2)
    await session.cancel()
    await reading.task

    resumed = await rig.make(clock).open(json.loads(json.dumps(session.state())))
    events = await read(resumed, turn(rig.recall), ScriptedHost(), clock)

    assert rig.remembered in words(events)


@every_engine
@pytest.mark.report("R163")
@pytest.mark.parametrize("press", [START, KEEP_PLANNING])
async def test_in_plan_mode_a_plan_is_put_to_the_person(rig: Rig, clock: ManualClock, press: str) -> None:
    engine = rig.make(clock)
    native = engine.capabilities.plan_approval == "native"
    host = ScriptedHost(choice=press, tool=ToolAnswer(press, failed=press != START))
    session = await engine.open(None)

    events = await read(session, turn("tidy up", Mode.PLAN), host, clock)

    asked = [call for call in host.asked if call.name == EXIT_PLAN_MODE]
    assert [call.kind for call in asked] == ["permit" if native else "tool"]
    assert asked[0].options == (PLAN_OPTIONS if native else ())
    assert 1 <= len(asked[0].args["plan"]) <= 20_000
    assert endings(events) == [Ended(EndReason.DONE)]


@every_engine
async def test_a_plan_that_waits_is_taken_back_by_a_cancel(rig: Rig, clock: ManualClock) -> None:
    host = ScriptedHost(choice=START, wait=asyncio.Event())
    session = await rig.make(clock).open(None)
    reading = Reading(session, turn("tidy up", Mode.PLAN), host)
    await reading.until(clock, lambda: bool(host.asked))

    await session.cancel()
    await reading.task

    assert endings(reading.events) == [Ended(EndReason.CANCELLED)]
    assert list(host.dropped) == list(host.asked)


@every_engine
async def test_nothing_is_done_that_its_capabilities_do_not_say(rig: Rig, clock: ManualClock) -> None:
    engine = rig.make(clock)
    session = await engine.open(None)
    host = ScriptedHost(choice=START)

    events = await read(session, turn("tidy up", Mode.PLAN), host, clock)
    for said in filter(None, (rig.long, rig.host_tool, rig.own_tool, rig.question, rig.tell)):
        events += await read(session, turn(said), host, clock)

    able = engine.capabilities
    asked = {call.kind for call in host.asked}
    assert able.own_plan or not any(isinstance(event, Plan) for event in events)
    assert all(event.mode in able.modes for event in events if isinstance(event, ModeChanged))
    assert able.native_ask or "question" not in asked
    assert able.host_tools != "none" or "tool" not in asked
    assert {call.name for call in host.asked if call.kind == "tool"} <= {tool.name for tool in turn("").tools}


@every_engine
async def test_every_tool_call_has_an_id_of_its_own_and_ends_as_it_began(rig: Rig, clock: ManualClock) -> None:
    session = await rig.make(clock).open(None)
    host = ScriptedHost(choice=START)

    events = await read(session, turn("tidy up", Mode.PLAN), host, clock)
    events += await read(session, turn(rig.own_tool or rig.host_tool or ""), host, clock)

    begun = [event.id for event in events if isinstance(event, ToolCallStarted)]
    assert begun == [event.id for event in events if isinstance(event, ToolCallEnded)]
    assert len(set(begun)) == len(begun) >= 2


@every_engine
async def test_it_says_who_it_is_and_that_it_is_ready(rig: Rig, clock: ManualClock) -> None:
    engine = rig.make(clock)

    ready = await engine.ready()

    assert ready
    assert engine.id == engine.id.lower() != ""
    assert engine.title


@settings(max_examples=60, deadline=None)
@given(rig=st.sampled_from(RIGS), at=st.integers(0, 60), closing=st.booleans(), data=st.data())
def test_wherever_it_is_stopped_there_is_one_end_and_nothing_after(
    rig: Rig, at: int, closing: bool, data: st.DataObject
) -> None:
    said = data.draw(st.sampled_from([rig.long, rig.own_tool or "", rig.tell or "", *rig.endings.values()]))

    async def stopped() -> tuple[int, list[EngineEvent]]:
        clock = ManualClock()
        session = await rig.make(clock).open(None)
        reading = Reading(session, turn(said), ScriptedHost())
        for _ in range(at):
            await clock.advance(0.02)
        heard = len(reading.events)
        await (session.close() if closing else session.cancel())
        await reading.task
        return heard, reading.events

    heard, events = asyncio.run(stopped())

    assert endings(events) == events[-1:]
    assert len(events) - heard <= 1
