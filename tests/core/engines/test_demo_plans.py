"""The demo's plan: asked for in plan mode, worked through in sight, natively and through the host's tools."""

from typing import Literal

import pytest

from core.clock import ManualClock
from core.engines.base import (
    EXIT_PLAN_MODE,
    KEEP_PLANNING,
    START,
    EngineEvent,
    Plan,
    ToolAnswer,
    ToolCallStarted,
    TurnInput,
)
from core.engines.demo.engine import DemoEngine
from core.engines.demo.planning import TITLES, UPDATE_PLAN
from core.engines.scripted import ScriptedHost
from core.events import Mode
from tests.core.engines.rigs import HINT, read, turn, words

Way = Literal["native", "host"]

both_ways = pytest.mark.parametrize("way", ["native", "host"])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def pressing(button: str | None) -> ScriptedHost:
    return ScriptedHost(choice=button, tool=ToolAnswer("as the person says", failed=button != START))


async def hear(said: TurnInput, way: Way, host: ScriptedHost, clock: ManualClock) -> list[EngineEvent]:
    session = await DemoEngine(clock, HINT, plan_approval=way).open(None)
    return await read(session, said, host, clock)


def states(events: list[EngineEvent], host: ScriptedHost) -> list[list[str]]:
    """The plan's steps as they were shown, one list each time."""
    natively: list[list[str]] = [[step.state for step in event.steps] for event in events if isinstance(event, Plan)]
    by_tool = [[step["state"] for step in call.args["steps"]] for call in host.asked if call.name == UPDATE_PLAN]
    return natively or by_tool


@both_ways
async def test_start_lets_it_work_through_every_step(way: Way, clock: ManualClock) -> None:
    host = pressing(START)

    events = await hear(turn("buy a bike", Mode.PLAN), way, host, clock)

    assert states(events, host) == [
        ["active", "pending", "pending"],
        ["done", "active", "pending"],
        ["done", "done", "active"],
        ["done", "done", "done"],
    ]
    assert "Started." in words(events)


@both_ways
@pytest.mark.parametrize("button", [KEEP_PLANNING, None], ids=["keep planning", "nobody answers"])
async def test_without_a_start_nothing_is_done(way: Way, clock: ManualClock, button: str | None) -> None:
    host = pressing(button)

    events = await hear(turn("buy a bike", Mode.PLAN), way, host, clock)

    assert states(events, host) == []
    assert "I keep planning" in words(events)


@both_ways
async def test_the_plan_has_its_steps_as_list_items(way: Way, clock: ManualClock) -> None:
    host = pressing(START)

    await hear(turn("buy a bike", Mode.PLAN), way, host, clock)

    plan = host.asked[0].args["plan"]
    assert "“buy a bike”" in plan
    assert [line for line in plan.splitlines() if line[:1].isdigit()] == [
        f"{number}. {title}" for number, title in enumerate(TITLES, start=1)
    ]


@both_ways
async def test_the_plan_is_a_call_of_whoever_asks(way: Way, clock: ManualClock) -> None:
    events = await hear(turn("buy a bike", Mode.PLAN), way, pressing(START), clock)

    first = next(event for event in events if isinstance(event, ToolCallStarted))
    assert (first.name, first.origin) == (EXIT_PLAN_MODE, "agent" if way == "native" else "host")


@both_ways
async def test_outside_plan_mode_it_works_at_once(way: Way, clock: ManualClock) -> None:
    host = pressing(None)

    events = await hear(turn("Make a plan"), way, host, clock)

    assert EXIT_PLAN_MODE not in {call.name for call in host.asked}
    assert states(events, host)[-1] == ["done"] * 3


@both_ways
async def test_what_would_change_something_is_planned_in_plan_mode(way: Way, clock: ManualClock) -> None:
    host = pressing(None)

    await hear(turn("Write a note", Mode.PLAN), way, host, clock)

    assert [call.name for call in host.asked] == [EXIT_PLAN_MODE]


@both_ways
async def test_what_changes_nothing_is_answered_in_plan_mode(way: Way, clock: ManualClock) -> None:
    host = pressing(None)

    events = await hear(turn("What can you do?", Mode.PLAN), way, host, clock)

    assert list(host.asked) == []
    assert "Make a plan" in words(events)


async def test_a_host_without_the_tool_is_not_asked_for_it(clock: ManualClock) -> None:
    host = pressing(START)

    events = await hear(TurnInput("buy a bike", mode=Mode.PLAN), "host", host, clock)

    assert list(host.asked) == []
    assert "I keep planning" in words(events)
