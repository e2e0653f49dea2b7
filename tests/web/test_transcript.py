"""What stands in a chat: every event becomes something to see, or is left out on purpose."""

import re
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given, settings

from core import cards
from core import events as ev
from tests.core.event_logs import (
    answered,
    asked,
    completed,
    log,
    logs,
    offered,
    said,
    started,
    wants_permission,
)
from web import transcript as ts
from web.transcript import Change, Item, Transcript, item_id


def folded(*data: ev.EventData) -> Sequence[Item]:
    """What stands there after all of these."""
    transcript = Transcript()
    for event in log(*data):
        transcript.add(event)
    return transcript.items


def bodies(*data: ev.EventData) -> list[object]:
    return [item.body for item in folded(*data)]


def applied(items: list[Item], changes: Sequence[Change]) -> list[Item]:
    """What a screen does with changes, knowing nothing but ids."""
    for change in changes:
        places = [place for place, item in enumerate(items) if item.id == change.item_id]
        match change.how:
            case "append":
                assert not places
                assert change.item is not None
                items.append(change.item)
            case "morph":
                assert change.item is not None
                items[places[0]] = change.item
            case "remove":
                del items[places[0]]
    return items


@settings(max_examples=150)
@given(logs())
def test_the_changes_one_after_the_other_lead_to_what_stands_there(events: list[ev.Event]) -> None:
    transcript, screen = Transcript(), list[Item]()

    for event in events:
        screen = applied(screen, transcript.add(event))

    assert screen == list(transcript.items)
    assert len({item.id for item in screen}) == len(screen)


def test_every_event_is_shown_or_left_out_on_purpose() -> None:
    known = get_args(get_args(ev.KnownEvent)[0])

    assert ts._DOES.keys() | set(ts.UNSEEN) == {*known, ev.Unknown}
    assert not ts._DOES.keys() & set(ts.UNSEEN)


@settings(max_examples=100)
@given(logs())
def test_ids_are_fit_for_an_attribute(events: list[ev.Event]) -> None:
    transcript = Transcript()
    for event in events:
        transcript.add(event)

    assert all(re.fullmatch(r"[a-z]+-[A-Za-z0-9_.-]+", item.id) for item in transcript.items)


@pytest.mark.parametrize("given", ['"><script>', "a b", "é", "x" * 500, "a.b", "\ud800"])
def test_an_id_that_an_engine_made_breaks_out_of_nothing(given: str) -> None:
    assert re.fullmatch(r"tool-[A-Za-z0-9_.-]{1,80}", item_id("tool", given))
    assert item_id("tool", given) != item_id("tool", given + "x")


# ---- one thing after the other ---------------------------------------------------------------------------------------


def test_words_stand_in_their_order() -> None:
    assert bodies(said("hello"), started(), answered("hi"), completed()) == [
        ts.Said(said("hello")),
        ts.Answer(answered("hi")),
    ]


def test_a_card_that_is_answered_changes_in_its_place() -> None:
    answer = ev.QuestionAnswered(question_id="q1", answer={"when": "now"}, words="now", by="Ada")

    card, words = bodies(started(), asked(), answered("so"), answer)

    assert card == ts.QuestionCard(asked().question, answer)
    assert words == ts.Answer(answered("so"))


def test_a_turn_that_ends_closes_what_it_left_open() -> None:
    tool = ev.ToolStarted(tool_use_id="t1", name="look")
    stop = ev.TurnCompleted(outcome="interrupted", engine="demo", cut_off_by="stop")

    row, question, permission, line = bodies(started(), tool, asked(), wants_permission(), stop)

    assert row == ts.ToolRow(tool, is_over=True)
    assert question == ts.QuestionCard(asked().question, ended="stop")
    assert permission == ts.PermissionCard(wants_permission(), ended="stop")
    assert line == ts.Line("Stopped.")


def test_a_call_under_an_id_that_was_given_before_has_a_row_of_its_own() -> None:
    first, second = (
        ev.ToolStarted(tool_use_id="call_0", name="read"),
        ev.ToolStarted(tool_use_id="call_0", name="write"),
    )
    over = ev.ToolFinished(tool_use_id="call_0", name="read", status="ok")

    rows = bodies(started(), first, over, completed(), started(), second)

    assert rows == [ts.ToolRow(first, over, is_over=True), ts.ToolRow(second)]


def test_the_plan_of_a_turn_is_one_list_and_the_next_turn_has_its_own() -> None:
    one, two = cards.PlanStep(title="look"), cards.PlanStep(title="mend", state="done")
    plan, changed = ev.PlanUpdated(steps=(one,)), ev.PlanUpdated(steps=(one, two))

    lists = bodies(started(), plan, changed, completed(), started(), plan)

    assert lists == [ts.Checklist((one, two), is_over=True), ts.Checklist((one,))]


def test_chips_go_when_anything_newer_is_said() -> None:
    chips = ev.Replies(replies=(cards.ReplySuggestion(text="go on"),))

    assert bodies(answered(), chips)[1:] == [ts.Chips(chips.replies)]
    assert bodies(answered(), chips, ev.Replies(replies=()))[1:] == []
    assert bodies(answered(), chips, said("hm"))[1:] == [ts.Said(said("hm"))]


def test_a_clear_can_be_taken_back_until_something_is_said() -> None:
    cleared, back = ev.ContextCleared(), ev.ContextRestored(cleared_seq=1)

    assert bodies(said(), cleared)[1:] == [ts.Cleared(1)]
    assert bodies(said(), cleared, said())[1] == ts.Cleared(1, undoable=False)
    assert bodies(said(), cleared, back)[1:] == [ts.Cleared(1, undoable=False, undone=True)]


def test_what_a_restart_cut_off_can_be_tried_again_while_it_stands_last() -> None:
    cut = ev.TurnCompleted(outcome="interrupted", engine="demo", cut_off_by="restart")

    [_, line] = bodies(said(), started(), cut)
    [_, later, _] = bodies(said(), started(), cut, said("again"))

    assert isinstance(line, ts.Line)
    assert line.retry
    assert isinstance(later, ts.Line)
    assert not later.retry


def test_an_offer_that_was_taken_says_so_and_what_is_carried_on() -> None:
    taken = ev.OfferResolved(offer_id="o1", outcome="accepted", by="Ada")
    carried = ev.TurnStarted(engine="demo", trigger=ev.Trigger.CARRY_ON)

    assert bodies(offered(), taken, carried) == [
        ts.OfferCard(offered().offer, taken),
        ts.Line("Carrying on with what you asked"),
    ]


def test_what_belongs_to_something_further_up_is_left_out() -> None:
    late = (
        ev.QuestionAnswered(question_id="q9"),
        ev.PermissionResolved(permission_id="p9", decision="allow"),
        ev.OfferResolved(offer_id="o9", outcome="accepted"),
        ev.ContextRestored(cleared_seq=99),
    )

    assert bodies(*late) == []
