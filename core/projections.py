"""What a conversation is: a fold over its events; and which events open and close a turn of it.

`ConversationState` (shaped in `core.conversation_state`, moved on by `core.conversation_changes`) is that fold. It is
cached beside the log in the transaction that appends, can be rebuilt from the log at any time and is never a second
truth. Pure functions only: nothing here reads or writes a log.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Literal

from core import conversation_state as cs
from core import events as ev
from core.cards import Offer, ReplySuggestion
from core.conversation_changes import advance as advance
from core.conversation_state import ConversationState as ConversationState
from core.errors import UsageError

MAX_GOAL = 500


def fold(events: Iterable[ev.Event]) -> ConversationState:
    """The state after all of these."""
    return reduce(advance, events, ConversationState())


# ---- one thing at a time, also as of an earlier seq ----------------------------------------------------------------


def fold_as_of(events: Sequence[ev.Event], as_of: int | None) -> ConversationState:
    """The state after the event `as_of`, that one included; None means after all of them."""
    return fold(events if as_of is None else (event for event in events if event.seq <= as_of))


def context_start(events: Sequence[ev.Event], as_of: int | None = None) -> int:
    """Where memory starts: the newest clear in force, -1 where there is none. Memory has a greater seq."""
    return fold_as_of(events, as_of).memory_start


def undoable_clear(events: Sequence[ev.Event], as_of: int | None = None) -> int | None:
    """The clear that can be taken back, while neither a message nor a turn came after it."""
    return fold_as_of(events, as_of).undoable_clear


def chat_goal(events: Sequence[ev.Event], as_of: int | None = None) -> str | None:
    """The goal in force; a clear does not touch it."""
    return fold_as_of(events, as_of).goal


def mode_before_plan(events: Sequence[ev.Event], default: ev.Mode, as_of: int | None = None) -> ev.Mode:
    """The mode before the newest switch into plan mode: `default` where there was none, Ask first instead of plan."""
    return fold_as_of(events, as_of).mode_before_plan(default)


def current_options(events: Sequence[ev.Event], as_of: int | None = None) -> ev.OptionsSet:
    """The options in force."""
    return fold_as_of(events, as_of).options


def open_offers(events: Sequence[ev.Event], as_of: int | None = None) -> tuple[Offer, ...]:
    """Offers that can be taken, oldest first; a clear expires them."""
    return fold_as_of(events, as_of).open_offers


def waiting_question(events: Sequence[ev.Event], as_of: int | None = None) -> cs.WaitingQuestion | None:
    """The question that the running turn waits for."""
    return fold_as_of(events, as_of).waiting_question


def waiting_permissions(events: Sequence[ev.Event], as_of: int | None = None) -> tuple[cs.WaitingPermission, ...]:
    """The yeses that the running turn waits for, oldest first."""
    return fold_as_of(events, as_of).waiting_permissions


def holds_in_force(events: Sequence[ev.Event], as_of: int | None = None) -> tuple[cs.SkillHold, ...]:
    """What used skills hold back; only a person ends it, never a clear."""
    return fold_as_of(events, as_of).holds


def taint_marks(events: Sequence[ev.Event], as_of: int | None = None) -> tuple[cs.TaintMark, ...]:
    """What came in from outside: the first 12, no repeats, never cleared."""
    return fold_as_of(events, as_of).taint


def replies_on_show(events: Sequence[ev.Event], as_of: int | None = None) -> tuple[ReplySuggestion, ...]:
    """The chips that still stand: nothing newer is in the chat."""
    return fold_as_of(events, as_of).replies


def current_plan(events: Sequence[ev.Event], as_of: int | None = None) -> cs.StandingPlan | None:
    """The newest plan since the memory start."""
    return fold_as_of(events, as_of).current_plan


def running_turn(events: Sequence[ev.Event], as_of: int | None = None) -> cs.RunningTurn | None:
    """The turn that runs, with what is open in it."""
    return fold_as_of(events, as_of).turn


# ---- what to append ------------------------------------------------------------------------------------------------


def goal_change(state: ConversationState, goal: str | None) -> ev.GoalSet | None:
    """The event that makes `goal` the chat's goal (None takes it away); None when it is the goal already.

    Raises:
        UsageError: it is blank, or over 500 characters after trimming.
    """
    goal = goal.strip() if goal is not None else None
    if goal is not None and not 1 <= len(goal) <= MAX_GOAL:
        raise UsageError(f"A goal has 1 to {MAX_GOAL} characters; this one has {len(goal)}.")
    return None if goal == state.goal else ev.GoalSet(goal=goal)


def expired_offers(state: ConversationState, carried_on: str | None = None) -> tuple[ev.OfferResolved, ...]:
    """What ends the open offers, all but the one (its id) that is being carried on."""
    return tuple(
        ev.OfferResolved(offer_id=offer.offer_id, outcome="expired")
        for offer in state.open_offers
        if offer.offer_id != carried_on
    )


def opening_events(
    state: ConversationState,
    message: ev.UserMessage,
    turn: ev.TurnStarted,
    *,
    goal: str | None = None,
    options: ev.OptionsSet | None = None,
    skills: Sequence[ev.SkillUsed] = (),
    words_of: str = "someone else",
    carried_on: str | None = None,
) -> tuple[ev.EventData, ...]:
    """Everything that a message which starts a turn appends, in this order; the last one is the turn.

    `goal` and `options` come with the message (None leaves them alone), `words_of` names whose words are in it when
    `message.others_words`, `carried_on` is the id of the offer that stays.

    Raises:
        UsageError: see `goal_change`.
    """
    goal_set = goal_change(state, goal) if goal is not None else None
    taint = taint_of(state, words_of) if message.others_words else None
    return (
        *expired_offers(state, carried_on),
        *((goal_set,) if goal_set else ()),
        *((options,) if options else ()),
        message,
        *skills,
        *((taint,) if taint else ()),
        turn,
    )


def taint_of(
    state: ConversationState, label: str, source: Literal["web", "download", "app", "person"] = "person"
) -> ev.Tainted | None:
    """The mark of what was taken in from outside, by default somebody else's words.

    None where it is there already, or there are as many as there may be; but a running turn that took in nothing so
    far is marked all the same, as what it may offer depends on that.
    """
    marked = cs.TaintMark(source=source, label=label[: cs.MAX_TEXT])
    known = marked in state.taint or len(state.taint) >= cs.MAX_TAINT_MARKS
    if known and (state.turn is None or state.turn.read_outside):
        return None
    return ev.Tainted(source=marked.source, label=marked.label)


def loose_ends(state: ConversationState, status: Literal["error", "stopped"]) -> tuple[ev.EventData, ...]:
    """What ends everything that is open in the running turn: tools (as `status`), the question, permissions."""
    tools = (ev.ToolFinished(tool_use_id=tool.tool_use_id, name=tool.name, status=status) for tool in state.open_tools)
    return (*tools, *unanswered(state))


def unanswered(state: ConversationState) -> tuple[ev.EventData, ...]:
    """What ends the question and the permissions that the running turn waits for."""
    waiting = state.waiting_question
    skipped = (ev.QuestionAnswered(question_id=waiting.question.question_id),) if waiting else ()
    expired = (
        ev.PermissionResolved(permission_id=permission.permission_id, decision="expired")
        for permission in state.waiting_permissions
    )
    return (*skipped, *expired)


def closing_events(state: ConversationState, reason: Literal["stop", "restart"]) -> tuple[ev.EventData, ...]:
    """What closes the running turn that was cut off, `turn.completed` last; nothing when none runs.

    A person stopped its tools; under a restart they failed.
    """
    if state.turn is None:
        return ()
    completed = ev.TurnCompleted(
        outcome="interrupted", engine=state.turn.engine, model=state.turn.model, cut_off_by=reason
    )
    return (*loose_ends(state, "stopped" if reason == "stop" else "error"), completed)
