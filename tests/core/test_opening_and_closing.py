"""Which events open and close a turn, and in which order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import events as ev
from core import projections
from core.errors import UsageError
from core.projections import ConversationState, fold
from tests.core.event_logs import TOPICS, asked, log, logs, offered, said, started, used_skill, wants_permission


@settings(deadline=None, max_examples=100)
@given(logs(TOPICS["turns"]), st.sampled_from(["stop", "restart"]))
@pytest.mark.report("R077")
@pytest.mark.report("R153")
def test_after_the_closing_events_nothing_is_open_or_waits(events: list[ev.Event], reason: Any) -> None:
    state = fold(events)

    closing = projections.closing_events(state, reason)

    together = [*events, *log(*closing, start=len(events))]
    after = fold(together)
    assert (after.status, after.turn) == (ev.Status.IDLE, None)
    assert projections.closing_events(after, reason) == ()
    # Not only because the turn ended: each open thing was closed by an event of its own.
    before_its_end = fold(together[:-1]) if closing else after
    assert (before_its_end.open_tools, before_its_end.waiting_permissions) == ((), ())
    assert before_its_end.waiting_question is None


def test_a_stop_closes_tools_then_the_question_then_permissions_then_the_turn() -> None:
    tools = (ev.ToolStarted(tool_use_id="t1", name="search"), ev.ToolStarted(tool_use_id="t2", name="read"))
    state = fold(log(said(), started(), *tools, wants_permission(), asked()))

    closing = projections.closing_events(state, "stop")

    assert closing == (
        ev.ToolFinished(tool_use_id="t1", name="search", status="stopped"),
        ev.ToolFinished(tool_use_id="t2", name="read", status="stopped"),
        ev.QuestionAnswered(question_id="q1", answer=None),
        ev.PermissionResolved(permission_id="p1", decision="expired"),
        ev.TurnCompleted(outcome="interrupted", engine="demo", cut_off_by="stop"),
    )


def test_a_restart_closes_tools_as_failed_and_names_the_engine_that_took_over() -> None:
    routed = ev.TurnRouted(from_engine="demo", to_engine="other", reason="rate limit")
    state = fold(log(started(), ev.ToolStarted(tool_use_id="t1", name="search"), routed))

    closing = projections.closing_events(state, "restart")

    assert closing == (
        ev.ToolFinished(tool_use_id="t1", name="search", status="error"),
        ev.TurnCompleted(outcome="interrupted", engine="other", cut_off_by="restart"),
    )


def test_a_message_opens_a_turn_in_the_fixed_order() -> None:
    state = fold(log(offered("o1"), offered("o2"), offered("o3")))
    skill, turn = used_skill("briefing", "mail"), started()
    message, planning = said("from Bob: …", others_words=True), ev.OptionsSet(mode=ev.Mode.PLAN)

    opening = projections.opening_events(
        state, message, turn, goal=" win ", options=planning, skills=(skill,), words_of="Bob", carried_on="o2"
    )

    assert opening == (
        ev.OfferResolved(offer_id="o1", outcome="expired"),
        ev.OfferResolved(offer_id="o3", outcome="expired"),
        ev.GoalSet(goal="win"),
        planning,
        message,
        skill,
        ev.Tainted(source="person", label="Bob"),
        turn,
    )


def test_an_ordinary_message_opens_a_turn_with_nothing_else() -> None:
    message, turn = said(), started()

    opening = projections.opening_events(ConversationState(), message, turn)

    assert opening == (message, turn)


def test_the_words_of_the_same_person_taint_once() -> None:
    state = fold(log(ev.Tainted(source="person", label="Bob")))
    message, turn = said("again", others_words=True), started()

    opening = projections.opening_events(state, message, turn, words_of="Bob")

    assert opening == (message, turn)


@settings(deadline=None, max_examples=50)
@given(logs())
def test_a_turn_opened_after_any_log_runs_and_leaves_no_offer_open(events: list[ev.Event]) -> None:
    opening = projections.opening_events(fold(events), said(), started("mine"), goal="win")

    state = fold([*events, *log(*opening, start=len(events))])

    assert (state.turn_seq, state.turn_engine, state.status) == (state.last_seq, "mine", ev.Status.RUNNING)
    assert (state.open_offers, state.goal) == ((), "win")


@pytest.mark.parametrize(
    ("goal", "change"),
    [
        ("win", None),
        ("  win\n", None),
        ("lose", ev.GoalSet(goal="lose")),
        (None, ev.GoalSet(goal=None)),
        ("x" * 500, ev.GoalSet(goal="x" * 500)),
    ],
)
def test_only_another_goal_is_a_change(goal: str | None, change: ev.GoalSet | None) -> None:
    state = fold(log(ev.GoalSet(goal="win")))

    assert projections.goal_change(state, goal) == change


@pytest.mark.parametrize("goal", ["", " \n", "x" * 501])
def test_a_goal_that_is_blank_or_too_long_is_refused_with_the_cap(goal: str) -> None:
    with pytest.raises(UsageError, match="500"):
        projections.goal_change(ConversationState(), goal)


def test_words_of_someone_else_add_no_thirteenth_mark() -> None:
    state = fold(log(*(ev.Tainted(source="web", label=f"site{number}") for number in range(12))))

    opening = projections.opening_events(state, said(others_words=True), started(), words_of="Bob")

    assert [data.type for data in opening] == ["user.message", "turn.started"]
