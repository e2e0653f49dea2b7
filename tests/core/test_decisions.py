"""What each decision adds to a conversation, and when it adds nothing."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import events as ev
from core.decisions import Clear, Decision, RestoreContext, SetGoal, SetTitle, SwitchPlan, why_no_plan
from core.engines.base import EngineCapabilities, OwnTools
from core.errors import UsageError
from core.events import Mode
from core.projections import fold
from tests.core.event_logs import TOPICS, answered, completed, log, logs, offered, said, started

A_TURN = (said(), started(), answered(), completed())
DECISIONS = [
    Clear(),
    RestoreContext(),
    RestoreContext(3),
    SetGoal("sleep more"),
    SetGoal(None),
    SwitchPlan(),
    SwitchPlan(on=True),
    SwitchPlan(on=False),
    SetTitle("My plans"),
]


def added(decision: Decision, *data: ev.EventData) -> tuple[ev.EventData, ...]:
    """What a decision adds to the log with these events."""
    return decision.events(fold(log(*data)))


# ---- clear ---------------------------------------------------------------------------------------------------------


def test_a_clear_ends_the_offers_that_are_open() -> None:
    clear = added(Clear(), *A_TURN, offered("o1"), offered("o2"))

    assert clear == (
        ev.OfferResolved(offer_id="o1", outcome="expired"),
        ev.OfferResolved(offer_id="o2", outcome="expired"),
        ev.ContextCleared(),
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param((), id="nothing was said"),
        pytest.param((ev.GoalSet(goal="sleep"),), id="a goal is nothing said"),
        pytest.param((*A_TURN, ev.ContextCleared()), id="cleared already"),
        pytest.param((said(), started()), id="a turn runs"),
    ],
)
def test_there_is_nothing_to_clear(data: Sequence[ev.EventData]) -> None:
    assert added(Clear(), *data) == ()


def test_goal_mode_and_taint_stay_when_memory_is_cleared() -> None:
    kept = (ev.GoalSet(goal="sleep"), ev.OptionsSet(mode=Mode.PLAN), ev.Tainted(source="web", label="a page"))
    before = fold(log(*kept, *A_TURN))

    after = fold(log(*kept, *A_TURN, *Clear().events(before)))

    assert (after.goal, after.options, after.taint) == (before.goal, before.options, before.taint)


# ---- undo ----------------------------------------------------------------------------------------------------------


def test_the_newest_clear_is_taken_back() -> None:
    restored = added(RestoreContext(), *A_TURN, ev.ContextCleared())

    assert restored == (ev.ContextRestored(cleared_seq=len(A_TURN)),)


def test_a_clear_that_is_not_the_newest_is_not_taken_back() -> None:
    cleared_twice = (*A_TURN, ev.ContextCleared(), *A_TURN, ev.ContextCleared())

    assert added(RestoreContext(len(A_TURN)), *cleared_twice) == ()


@pytest.mark.parametrize("later", [(said(),), (started(),)], ids=["a message", "a turn carried on"])
def test_nothing_is_taken_back_once_anything_was_said(later: Sequence[ev.EventData]) -> None:
    assert added(RestoreContext(), *A_TURN, ev.ContextCleared(), *later) == ()


def test_clears_are_taken_back_one_at_a_time() -> None:
    data = (*A_TURN, ev.ContextCleared(), ev.ContextRestored(cleared_seq=len(A_TURN)))

    assert added(RestoreContext(), *data) == ()
    assert added(Clear(), *data) == (ev.ContextCleared(),)


# ---- goal ----------------------------------------------------------------------------------------------------------


def test_a_goal_is_set_trimmed_and_once() -> None:
    assert added(SetGoal("  sleep more \n")) == (ev.GoalSet(goal="sleep more"),)
    assert added(SetGoal("sleep more"), ev.GoalSet(goal="sleep more")) == ()


def test_a_goal_is_taken_away_once() -> None:
    assert added(SetGoal(None), ev.GoalSet(goal="sleep")) == (ev.GoalSet(goal=None),)
    assert added(SetGoal(None)) == ()


@pytest.mark.parametrize("goal", ["", " \n", "x" * 501])
def test_a_goal_that_is_none_cannot_even_be_decided(goal: str) -> None:
    with pytest.raises(UsageError, match="1 to 500 characters"):
        SetGoal(goal)


def test_a_goal_may_have_500_characters_besides_white_space_around_it() -> None:
    assert added(SetGoal(f" {'x' * 500} ")) == (ev.GoalSet(goal="x" * 500),)


# ---- plan mode -----------------------------------------------------------------------------------------------------


@pytest.mark.report("R163")
@pytest.mark.parametrize("before", [None, Mode.ASK, Mode.EDIT, Mode.AUTO, Mode.FULL])
def test_plan_mode_leads_back_to_the_mode_before_it(before: Mode | None) -> None:
    options = ev.OptionsSet(engine="demo", model="large", mode=before)

    [on] = added(SwitchPlan(), options)
    [off] = added(SwitchPlan(), options, on)

    assert on == options.model_copy(update={"mode": Mode.PLAN})
    assert off == options.model_copy(update={"mode": before or Mode.ASK})


@pytest.mark.parametrize(("mode", "on"), [(Mode.PLAN, True), (Mode.FULL, False), (None, False)])
def test_switching_to_what_is_already_changes_nothing(mode: Mode | None, on: bool) -> None:
    assert added(SwitchPlan(on), ev.OptionsSet(mode=mode)) == ()


@pytest.mark.parametrize(
    ("able", "why_not"),
    [
        (EngineCapabilities(plan_approval="native"), None),
        (EngineCapabilities(plan_approval="host"), None),
        (EngineCapabilities(plan_approval="none"), "Echo has no plan mode."),
        (
            EngineCapabilities(plan_approval="native", own_tools=OwnTools.UNCONTROLLED),
            "Echo has tools of its own that nobody can hold back, so it cannot be kept from changing things.",
        ),
    ],
)
def test_an_engine_that_cannot_plan_says_why(able: EngineCapabilities, why_not: str | None) -> None:
    assert why_no_plan("Echo", able) == why_not


# ---- in general ----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(logs(TOPICS["memory"]), st.sampled_from(DECISIONS))
def test_a_decision_is_made_once_by_all_but_a_toggle(events: list[ev.Event], decision: Decision) -> None:
    decided = decision.events(fold(events))

    after = fold([*events, *log(*decided, start=len(events))])

    if decision not in (SwitchPlan(), RestoreContext()):
        assert decision.events(after) == ()


# ---- its name --------------------------------------------------------------------------------------------------------


def test_a_name_becomes_one_line_and_the_same_again_is_nothing_new() -> None:
    assert added(SetTitle("  My\nplans ")) == (ev.TitleSet(title="My plans"),)
    assert added(SetTitle("My plans"), ev.TitleSet(title="My plans")) == ()


@pytest.mark.parametrize("title", ["", " \n", "x" * 121])
def test_a_name_that_is_none_is_refused(title: str) -> None:
    with pytest.raises(UsageError):
        SetTitle(title)
