"""The fold against a model that is written from the specification's words alone, slow and without any state."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import conversation_state as cs
from core import events as ev
from core import projections
from core.projections import ConversationState, advance, fold
from tests.core.event_logs import (
    START,
    TOPICS,
    answered,
    asked,
    completed,
    log,
    logs,
    offered,
    said,
    started,
    used_skill,
    wants_permission,
)

Data = TypeVar("Data", bound=ev.EventData)

HERE = ev.Address(channel_id="telegram", chat_id="7")
THERE = ev.Address(channel_id="discord", chat_id="9")


class Naive:
    """What a conversation is, by looking back through the whole log for each question."""

    def __init__(self, events: Sequence[ev.Event], as_of: int) -> None:
        self.events = [event for event in events if event.seq <= as_of]

    def of(self, *kinds: type[ev.EventData], after: int = -1) -> list[ev.Event]:
        return [event for event in self.events if isinstance(event.data, kinds) and event.seq > after]

    def newest(self, kind: type[Data], after: int = -1) -> tuple[int, Data] | None:
        found = [(event.seq, event.data) for event in self.events if isinstance(event.data, kind) and event.seq > after]
        return found[-1] if found else None

    # the newest clear in force, of a stack; a restore "pops only when it names the top, a mismatch is ignored"
    def start(self, before: int | None = None) -> int:
        before = len(self.events) if before is None else before
        clears = [event.seq for event in self.of(ev.ContextCleared) if event.seq < before]
        return max((clear for clear in clears if not self.taken_back(clear, before)), default=-1)

    def taken_back(self, clear: int, before: int) -> bool:
        return any(
            clear < event.seq < before and event.data.cleared_seq == clear and self.start(event.seq) == clear
            for event in self.events
            if isinstance(event.data, ev.ContextRestored)
        )

    # "only for the newest clear, only while neither a user.message nor a turn.started came after it"
    def undoable(self) -> int | None:
        start = self.start()
        return None if start < 0 or self.of(ev.UserMessage, ev.TurnStarted, after=start) else start

    def goal(self) -> str | None:
        found = self.newest(ev.GoalSet)
        return (found[1].goal or None) if found else None

    # "the newest switch into plan; two plan events in a row count once; nothing before -> the default;
    # if that is plan, Ask first"
    def before_plan(self, default: ev.Mode) -> ev.Mode:
        modes = [None, *(event.data.mode for event in self.events if isinstance(event.data, ev.OptionsSet))]
        left = [was for was, now in pairwise(modes) if now == "plan" and was != "plan"]
        mode = (left[-1] if left else None) or default
        return ev.Mode.ASK if mode == "plan" else mode

    def options(self) -> ev.OptionsSet:
        found = self.newest(ev.OptionsSet)
        return found[1] if found else ev.OptionsSet()

    # "a clear expires open offers"
    def offers(self) -> list[str]:
        cleared = max((event.seq for event in self.of(ev.ContextCleared)), default=-1)
        last: dict[str, ev.Event] = {}
        for event in self.of(ev.OfferShown, ev.OfferResolved, after=cleared):
            data = event.data
            last[data.offer.offer_id if isinstance(data, ev.OfferShown) else _offer_id(data)] = event
        shown = [(event.seq, key) for key, event in last.items() if isinstance(event.data, ev.OfferShown)]
        return [key for _, key in sorted(shown)]

    # "at most one turn runs"; a second end of a turn ends nothing
    def turn(self) -> tuple[int, str] | None:
        found = self.newest(ev.TurnStarted)
        if not found or self.of(ev.TurnCompleted, after=found[0]):
            return None
        routed = self.newest(ev.TurnRouted, after=found[0])
        return found[0], routed[1].to_engine if routed else found[1].engine

    def question(self) -> tuple[int, str] | None:
        turn = self.turn()
        found = self.newest(ev.QuestionAsked, after=turn[0]) if turn else None
        if not found:
            return None
        seq, question_id = found[0], found[1].question.question_id
        answers = [event.data for event in self.of(ev.QuestionAnswered, after=seq)]
        taken = any(isinstance(data, ev.QuestionAnswered) and data.question_id == question_id for data in answers)
        return None if taken else (seq, question_id)

    # "a typed answer to its question is no message to answer again": what was said before the turn is
    def last_user(self) -> int | None:
        for event in reversed(self.of(ev.UserMessage, ev.QuestionAnswered)):
            if isinstance(event.data, ev.UserMessage):
                return event.seq
            before = Naive(self.events, event.seq - 1)
            turn, question = before.turn(), before.question()
            if turn and question and question[1] == _question_id(event.data):
                said = Naive(self.events, turn[0]).last_user()
                if said is not None:
                    return said
        return None

    def permissions(self) -> list[tuple[int, str]]:
        return self._open(ev.PermissionRequested, ev.PermissionResolved, "permission_id")

    def tools(self) -> list[tuple[int, str]]:
        return self._open(ev.ToolStarted, ev.ToolFinished, "tool_use_id")

    def _open(self, opens: type[ev.EventData], closes: type[ev.EventData], key: str) -> list[tuple[int, str]]:
        turn = self.turn()
        events = self.of(opens, closes, after=turn[0]) if turn else []
        last = {getattr(event.data, key): event for event in events}
        return sorted((event.seq, name) for name, event in last.items() if isinstance(event.data, opens))

    # "its holds apply from here on"; "a person ended a skill's hold"
    def holds(self) -> set[tuple[str, str]]:
        used = [(event.seq, event.data) for event in self.events if isinstance(event.data, ev.SkillUsed)]
        ended = [(event.seq, event.data) for event in self.events if isinstance(event.data, ev.SkillHoldEnded)]
        return {
            (use.skill_id, hold)
            for seq, use in used
            for hold in use.holds
            if not any(at > seq and end.skill_id == use.skill_id for at, end in ended)
        }

    # "at most 12 marks a chat, no repeats"
    def taint(self) -> list[tuple[str, str]]:
        data = [event.data for event in self.events if isinstance(event.data, ev.Tainted)]
        marks: dict[tuple[str, str], None] = {(mark.source, mark.label): None for mark in data}
        return list(marks)[:12]

    # "gone as soon as anything newer is in the chat"
    def replies(self) -> list[str]:
        found = self.newest(ev.Replies)
        if not found or any(event.type in SHOWN_IN_THE_CHAT for event in self.events if event.seq > found[0]):
            return []
        return [reply.text for reply in found[1].replies]

    # "no plan from before" the memory start; "later one replaces"
    def plan(self) -> tuple[int, int] | None:
        found = self.newest(ev.PlanUpdated, after=self.start())
        return (found[0], len(found[1].steps)) if found and found[1].steps else None


def _question_id(data: ev.EventData) -> str:
    assert isinstance(data, ev.QuestionAnswered)
    return data.question_id


def _offer_id(data: ev.EventData) -> str:
    assert isinstance(data, ev.OfferResolved)
    return data.offer_id


SHOWN_IN_THE_CHAT = {
    "user.message",
    "assistant.message",
    "tool.started",
    "tool.finished",
    "permission.requested",
    "question",
    "offer",
    "plan",
    "context.cleared",
    "context.restored",
    "context.compacted",
    "skill.used",
    "artifact",
    "turn.started",
    "turn.held",
    "turn.routed",
    "app.needs_sign_in",
    "routine.drafted",
    "notice",
}


def told_naively(events: Sequence[ev.Event], as_of: int) -> dict[str, Any]:
    naive = Naive(events, as_of)
    return {
        "start": naive.start(),
        "undoable": naive.undoable(),
        "goal": naive.goal(),
        "before plan, ask": naive.before_plan(ev.Mode.ASK),
        "before plan, plan": naive.before_plan(ev.Mode.PLAN),
        "options": naive.options(),
        "offers": naive.offers(),
        "turn": naive.turn(),
        "tools": [name for _, name in naive.tools()],
        "question": naive.question(),
        "permissions": naive.permissions(),
        "holds": naive.holds(),
        "taint": naive.taint(),
        "replies": naive.replies(),
        "plan": naive.plan(),
        "said since the clear": bool(naive.of(ev.UserMessage, ev.TurnStarted, after=naive.start())),
        "last user": naive.last_user(),
    }


def told_by_the_fold(events: Sequence[ev.Event], as_of: int) -> dict[str, Any]:
    turn = projections.running_turn(events, as_of)
    question = projections.waiting_question(events, as_of)
    plan = projections.current_plan(events, as_of)
    permissions = projections.waiting_permissions(events, as_of)
    holds = projections.holds_in_force(events, as_of)
    return {
        "start": projections.context_start(events, as_of),
        "undoable": projections.undoable_clear(events, as_of),
        "goal": projections.chat_goal(events, as_of),
        "before plan, ask": projections.mode_before_plan(events, ev.Mode.ASK, as_of),
        "before plan, plan": projections.mode_before_plan(events, ev.Mode.PLAN, as_of),
        "options": projections.current_options(events, as_of),
        "offers": [offer.offer_id for offer in projections.open_offers(events, as_of)],
        "turn": (turn.seq, turn.engine) if turn else None,
        "tools": [tool.tool_use_id for tool in turn.open_tools] if turn else [],
        "question": (question.seq, question.question.question_id) if question else None,
        "permissions": [(permission.seq, permission.permission_id) for permission in permissions],
        "holds": {(hold.skill_id, name) for hold in holds for name in hold.holds},
        "taint": [(mark.source, mark.label) for mark in projections.taint_marks(events, as_of)],
        "replies": [reply.text for reply in projections.replies_on_show(events, as_of)],
        "plan": (plan.seq, len(plan.steps)) if plan else None,
        "said since the clear": projections.fold_as_of(events, as_of).said_since_clear,
        "last user": projections.fold_as_of(events, as_of).last_user_seq,
    }


@pytest.mark.parametrize("topic", TOPICS)
@settings(deadline=None, max_examples=120)
@given(st.data())
def test_the_fold_says_what_the_specification_says(topic: str, data: st.DataObject) -> None:
    events = data.draw(logs(TOPICS[topic]))
    as_of = data.draw(st.integers(-1, len(events)) | st.just(len(events)))

    told = told_by_the_fold(events, as_of)

    assert told == told_naively(events, as_of)


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_the_fold_says_what_the_specification_says_of_many_long_logs(topic: str, data: st.DataObject) -> None:
    events = data.draw(logs(TOPICS[topic], max_size=80))

    told = told_by_the_fold(events, len(events))

    assert told == told_naively(events, len(events))


@settings(deadline=None, max_examples=60)
@given(logs(), TOPICS["everything"])
def test_a_stored_state_goes_on_like_the_one_it_was_stored_from(events: list[ev.Event], data: ev.EventData) -> None:
    state = fold(events)
    following = ev.Event("c", len(events), START, data)

    stored = ConversationState.model_validate_json(state.model_dump_json())

    assert stored == state
    assert advance(stored, following) == advance(state, following)


def test_a_flood_of_events_stops_growing_the_state() -> None:
    flood: list[ev.EventData] = [started()]
    for number in range(200):
        flood += [
            ev.ToolStarted(tool_use_id=f"t{number:05}", name="n" * 5_000, input={"content": "x" * 10_000}),
            wants_permission(f"p{number:05}", "s" * 5_000),
            ev.Tainted(source="web", label=f"{number:05}" * 1_000),
            ev.TitleSet(title="t" * 5_000),
            offered(f"o{number:05}"),
            ev.ContextCleared(),
        ]
    flood += [offered(f"o{number:05}") for number in range(200)]

    state = fold(log(*flood))

    assert len(state.open_tools) == len(state.waiting_permissions) == cs.MAX_OPEN_CALLS
    assert (len(state.open_offers), len(state.clears)) == (cs.MAX_OFFERS, cs.MAX_CLEARS)
    assert len(state.model_dump_json()) < 100_000


def test_a_clear_that_was_pushed_out_stays_in_force_for_good() -> None:
    clears = log(*[ev.ContextCleared()] * (cs.MAX_CLEARS + 2))
    undos = [ev.ContextRestored(cleared_seq=event.seq) for event in reversed(clears)]

    state = fold([*clears, *log(*undos, start=len(clears))])

    assert (state.memory_start, state.undoable_clear) == (1, None)


@pytest.mark.report("R145")
def test_an_undone_clear_brings_back_memory_and_plan() -> None:
    plan = ev.PlanUpdated(steps=({"title": "look"},))
    cleared = log(said(), plan, ev.ContextCleared())

    restored = [*cleared, *log(ev.ContextRestored(cleared_seq=2), start=3)]

    assert (projections.context_start(cleared), projections.current_plan(cleared)) == (2, None)
    assert projections.context_start(restored) == -1
    assert projections.current_plan(restored) is not None


def test_the_first_twelve_things_from_outside_are_named_each_once() -> None:
    labels = [f"site{number}" for number in range(20)]
    events = log(*(ev.Tainted(source="web", label=label) for label in [*labels, *labels]))

    marks = projections.taint_marks(events)

    assert [mark.label for mark in marks] == labels[:12]


def test_an_answer_to_another_question_leaves_the_waiting_one() -> None:
    state = fold(log(started(), asked("q1"), ev.QuestionAnswered(question_id="q2")))

    assert state.waiting_question is not None


def test_the_newest_title_is_the_title() -> None:
    state = fold(log(ev.TitleSet(title="Hello"), ev.TitleSet(title="Trip to Rome")))

    assert state.title == "Trip to Rome"


def test_several_clears_are_undone_one_at_a_time() -> None:
    events = log(said(), ev.ContextCleared(), ev.ContextCleared(), ev.ContextRestored(cleared_seq=2))

    assert projections.undoable_clear(events, as_of=2) == 2
    assert projections.undoable_clear(events) == 1


def test_a_restore_of_another_clear_is_ignored() -> None:
    events = log(ev.ContextCleared(), ev.ContextCleared(), ev.ContextRestored(cleared_seq=0))

    assert projections.context_start(events) == 1


def test_goal_taint_and_holds_survive_a_clear() -> None:
    lasting = (ev.GoalSet(goal="win"), ev.Tainted(source="web", label="example.org"), used_skill("briefing", "mail"))

    state = fold(log(*lasting, ev.ContextCleared()))

    assert state.goal == "win"
    assert state.tainted
    assert state.holds == (cs.SkillHold(skill_id="briefing", title="Briefing", holds=("mail",)),)


def test_a_skill_used_again_with_fewer_holds_keeps_the_earlier_ones() -> None:
    state = fold(log(used_skill("briefing", "mail", "files"), used_skill("briefing", "files")))

    assert [hold.holds for hold in state.holds] == [("mail", "files")]


@pytest.mark.report("R093")
@pytest.mark.report("R109")
def test_where_a_turn_s_words_go_is_fixed_when_it_starts() -> None:
    elsewhere = said().model_copy(update={"origin": ev.Origin(kind="channel", address=THERE)})

    state = fold(log(said(), ev.TurnStarted(engine="demo", address=HERE), elsewhere, asked()))

    assert state.turn_address == HERE


def test_a_second_end_of_a_turn_ends_nothing_else() -> None:
    events = log(started(), completed(), completed(), started())

    assert projections.running_turn(events, as_of=2) is None
    assert fold(events).turn_seq == 3


def test_a_question_outside_a_turn_waits_for_nobody() -> None:
    state = fold(log(started(), completed(), asked(), wants_permission()))

    assert (state.status, state.waiting_question, state.waiting_permissions) == (ev.Status.IDLE, None, ())


def test_a_question_or_a_permission_makes_the_conversation_wait() -> None:
    events = log(said(), started(), asked(), ev.QuestionAnswered(question_id="q1"), wants_permission(), answered())

    told = [projections.fold_as_of(events, as_of).status for as_of in range(6)]

    assert told == ["idle", "running", "waiting", "running", "waiting", "waiting"]


def test_an_announced_status_is_not_what_the_conversation_does() -> None:
    state = fold(log(started(), ev.StatusChanged(status=ev.Status.IDLE)))

    assert state.status == ev.Status.RUNNING


def test_an_event_that_says_nothing_new_changes_only_the_seq() -> None:
    state = fold(log(said(), started()))

    after = advance(state, log(answered(), start=2)[0])

    assert after == state.model_copy(update={"last_seq": 2})


CHIPS = ev.Replies(replies=({"text": "Go on"},))


@pytest.mark.parametrize(
    "quiet",
    [
        completed(),
        ev.OfferResolved(offer_id="o1", outcome="dismissed"),
        ev.GoalSet(goal="win"),
        ev.OptionsSet(mode=ev.Mode.EDIT),
        ev.TitleSet(title="Hello"),
        ev.StatusChanged(status=ev.Status.IDLE),
        ev.Unknown(type="hologram", raw={}),
    ],
    ids=lambda data: data.type,
)
def test_chips_stay_for_what_is_not_in_the_chat(quiet: ev.EventData) -> None:
    events = log(said(), started(), answered(), completed(), CHIPS, quiet)

    assert [reply.text for reply in projections.replies_on_show(events)] == ["Go on"]


@pytest.mark.parametrize(
    "newer",
    [said(), started(), answered(), ev.ContextCleared(), ev.Notice(code="budget", message="Half is used.")],
    ids=lambda data: data.type,
)
def test_chips_go_with_anything_newer_in_the_chat(newer: ev.EventData) -> None:
    events = log(said(), started(), answered(), completed(), CHIPS, newer)

    assert projections.replies_on_show(events) == ()


def test_an_empty_list_takes_chips_back() -> None:
    events = log(CHIPS, ev.Replies(replies=()))

    assert projections.replies_on_show(events) == ()


@pytest.mark.parametrize(
    ("modes", "default", "before"),
    [
        ((), "edit", "edit"),
        (("plan",), "edit", "edit"),
        (("plan",), "plan", "ask"),
        (("auto", "plan"), "ask", "auto"),
        (("auto", "plan", "plan"), "ask", "auto"),
        (("auto", "plan", "edit"), "ask", "auto"),
        (("auto", "plan", "full", "plan"), "ask", "full"),
        (("auto", None, "plan"), "edit", "edit"),
    ],
)
@pytest.mark.report("R163")
def test_leaving_plan_mode_goes_back_to_the_mode_before(modes: tuple[Any, ...], default: str, before: str) -> None:
    events = log(*(ev.OptionsSet(mode=mode) for mode in modes))

    assert projections.mode_before_plan(events, ev.Mode(default)) == before
