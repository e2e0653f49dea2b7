"""The fake: it says what its script says, and remembers what it was given."""

import asyncio

from core.clock import ManualClock
from core.engines.base import Ended, EndReason, Text, ToolAnswer, ToolCallEnded, ToolCallStarted, TurnInput
from core.engines.script import AskPermission, CallTool, Raise, Steps, Together, Until, Wait
from core.engines.scripted import ScriptedEngine, ScriptedHost, always, in_order
from tests.core.engines.rigs import Reading, endings, read, words


async def test_the_same_steps_every_time() -> None:
    clock = ManualClock()
    engine = ScriptedEngine(clock, always(Text("a"), Wait(1), Text("b")))
    session = await engine.open(None)

    said = [words(await read(session, TurnInput(text), ScriptedHost(), clock)) for text in ("one", "two")]

    assert said == ["ab", "ab"]
    assert [turn.text for turn in engine.turns] == ["one", "two"]


async def test_one_list_of_steps_after_the_other_across_sessions() -> None:
    clock = ManualClock()
    engine = ScriptedEngine(clock, in_order([Text("a")], [Text("b")]))

    said, state = [], None
    for _ in range(3):
        session = await engine.open(state)
        said.append(words(await read(session, TurnInput("go on"), ScriptedHost(), clock)))
        state = session.state()

    assert said == ["a", "b", "b"]


async def test_a_step_can_wait_for_the_test() -> None:
    clock, go_on = ManualClock(), asyncio.Event()
    session = await ScriptedEngine(clock, always(Text("a"), Until(go_on), Text("b"))).open(None)
    reading = Reading(session, TurnInput("hi"), ScriptedHost())
    await clock.advance(1000)
    before = words(reading.events)

    go_on.set()
    await reading.to_the_end(clock)

    assert (before, words(reading.events)) == ("a", "ab")


async def test_a_script_can_break_down() -> None:
    clock = ManualClock()
    session = await ScriptedEngine(clock, always(Text("a"), Raise(RuntimeError("boom")))).open(None)

    events = await read(session, TurnInput("hi"), ScriptedHost(), clock)

    assert [ended.reason for ended in endings(events)] == [EndReason.CRASHED]


async def test_a_script_ends_with_what_it_says() -> None:
    clock = ManualClock()
    session = await ScriptedEngine(clock, always(Ended(EndReason.LENGTH), Text("after"))).open(None)

    events = await read(session, TurnInput("hi"), ScriptedHost(), clock)

    assert events == [Ended(EndReason.LENGTH)]


async def test_readiness_is_the_tests_to_say() -> None:
    engine = ScriptedEngine(ManualClock(), always())

    engine.is_ready = False

    assert not await engine.ready()


async def test_calls_side_by_side_bring_their_answers_in_order() -> None:
    clock, brought = ManualClock(), list[object]()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        permission = AskPermission("2", "write", {}, ("Allow", "Don't allow"), "Allow")
        brought.extend((yield Together((CallTool("1", "ask", {}), permission))))

    session = await ScriptedEngine(clock, script).open(None)
    host = ScriptedHost(tool=ToolAnswer("blue"), choice="Allow")

    events = await read(session, TurnInput("hi"), host, clock)

    assert brought == [ToolAnswer("blue"), True]
    assert [type(event) for event in events[:4]] == [ToolCallStarted, ToolCallStarted, ToolCallEnded, ToolCallEnded]


async def test_a_call_that_takes_too_long_is_taken_back() -> None:
    clock, brought = ManualClock(), list[object]()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        permission = AskPermission("2", "write", {}, ("Allow", "Don't allow"), "Allow")
        brought.extend((yield Together((CallTool("1", "ask", {}), permission), within=5)))

    session = await ScriptedEngine(clock, script).open(None)
    host = ScriptedHost(wait=asyncio.Event())

    events = await read(session, TurnInput("hi"), host, clock)

    assert brought == [None, False]
    assert [event.status for event in events if isinstance(event, ToolCallEnded)] == ["stopped", "error"]
    assert len(host.dropped) == 2
