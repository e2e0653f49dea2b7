"""What a conversation is: a fold over its events.

`ConversationState` (shaped in `core.conversation_state`) is that fold. It is cached beside the log in the transaction
that appends, can be rebuilt from the log at any time and is never a second truth. Pure functions only; what to append
next is decided elsewhere, opening and closing events in `core.turn_boundaries`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from core import conversation_state as cs
from core import events as ev
from core.cards import Offer, ReplySuggestion
from core.conversation_state import ConversationState as ConversationState

Changes = dict[str, Any]


def _in_turn(state: ConversationState, **changes: object) -> Changes:
    """What belongs to a turn is ignored when none runs: nothing could ever end it."""
    return {"turn": state.turn.model_copy(update=changes)} if state.turn else {}


def _user_message(_: ConversationState, event: ev.Event, __: ev.UserMessage) -> Changes:
    return {"last_user_seq": event.seq, "last_said_seq": event.seq}


def _turn_started(_: ConversationState, event: ev.Event, data: ev.TurnStarted) -> Changes:
    turn = cs.RunningTurn(
        seq=event.seq, engine=data.engine, model=data.model, trigger=data.trigger, address=data.address
    )
    return {"turn": turn, "last_said_seq": event.seq}


def _turn_completed(_: ConversationState, __: ev.Event, ___: ev.TurnCompleted) -> Changes:
    return {"turn": None}


def _turn_routed(state: ConversationState, _: ev.Event, data: ev.TurnRouted) -> Changes:
    return _in_turn(state, engine=data.to_engine, model=None)


def _tool_started(state: ConversationState, _: ev.Event, data: ev.ToolStarted) -> Changes:
    tool = cs.OpenTool(tool_use_id=data.tool_use_id, name=data.name[: cs.MAX_TEXT])
    others = tuple(t for t in state.open_tools if t.tool_use_id != data.tool_use_id)
    return _in_turn(state, open_tools=(*others, tool)[-cs.MAX_OPEN_CALLS :])


def _tool_finished(state: ConversationState, _: ev.Event, data: ev.ToolFinished) -> Changes:
    return _in_turn(state, open_tools=tuple(t for t in state.open_tools if t.tool_use_id != data.tool_use_id))


def _permission_requested(state: ConversationState, event: ev.Event, data: ev.PermissionRequested) -> Changes:
    waiting = cs.WaitingPermission(
        seq=event.seq,
        asked_at=event.at,
        permission_id=data.permission_id,
        tool_name=data.tool_name[: cs.MAX_TEXT],
        summary=data.summary[: cs.MAX_TEXT],
        reason=data.reason[: cs.MAX_TEXT] if data.reason else None,
        once=data.once,
    )
    others = tuple(p for p in state.waiting_permissions if p.permission_id != data.permission_id)
    return _in_turn(state, permissions=(*others, waiting)[-cs.MAX_OPEN_CALLS :])


def _permission_resolved(state: ConversationState, _: ev.Event, data: ev.PermissionResolved) -> Changes:
    left = tuple(p for p in state.waiting_permissions if p.permission_id != data.permission_id)
    return _in_turn(state, permissions=left)


def _question(state: ConversationState, event: ev.Event, data: ev.QuestionAsked) -> Changes:
    return _in_turn(state, question=cs.WaitingQuestion(seq=event.seq, asked_at=event.at, question=data.question))


def _question_answered(state: ConversationState, _: ev.Event, data: ev.QuestionAnswered) -> Changes:
    waiting = state.waiting_question
    return _in_turn(state, question=None) if waiting and waiting.question.question_id == data.question_id else {}


def _offer(state: ConversationState, _: ev.Event, data: ev.OfferShown) -> Changes:
    others = tuple(o for o in state.open_offers if o.offer_id != data.offer.offer_id)
    return {"open_offers": (*others, data.offer)[-cs.MAX_OFFERS :]}


def _offer_resolved(state: ConversationState, _: ev.Event, data: ev.OfferResolved) -> Changes:
    return {"open_offers": tuple(o for o in state.open_offers if o.offer_id != data.offer_id)}


def _replies(_: ConversationState, __: ev.Event, data: ev.Replies) -> Changes:
    return {"replies": data.replies}


def _plan(_: ConversationState, event: ev.Event, data: ev.PlanUpdated) -> Changes:
    return {"latest_plan": cs.StandingPlan(seq=event.seq, steps=data.steps)}


def _context_cleared(state: ConversationState, event: ev.Event, _: ev.ContextCleared) -> Changes:
    clears = (*state.clears, event.seq)
    settled = clears[0] if len(clears) > cs.MAX_CLEARS else state.settled_clear
    return {"clears": clears[-cs.MAX_CLEARS :], "settled_clear": settled, "open_offers": ()}


def _context_restored(state: ConversationState, _: ev.Event, data: ev.ContextRestored) -> Changes:
    return {"clears": state.clears[:-1]} if state.clears and state.clears[-1] == data.cleared_seq else {}


def _goal(_: ConversationState, __: ev.Event, data: ev.GoalSet) -> Changes:
    return {"goal": data.goal or None}


def _options(state: ConversationState, _: ev.Event, data: ev.OptionsSet) -> Changes:
    into_plan = data.mode is ev.Mode.PLAN and state.options.mode is not ev.Mode.PLAN
    return {"options": data, "mode_at_plan": state.options.mode if into_plan else state.mode_at_plan}


def _taint(state: ConversationState, _: ev.Event, data: ev.Tainted) -> Changes:
    mark = cs.TaintMark(source=data.source, label=data.label[: cs.MAX_TEXT])
    return {} if mark in state.taint or len(state.taint) >= cs.MAX_TAINT_MARKS else {"taint": (*state.taint, mark)}


def _skill_used(state: ConversationState, _: ev.Event, data: ev.SkillUsed) -> Changes:
    before = next((hold.holds for hold in state.holds if hold.skill_id == data.skill_id), ())
    # Only a person ends a hold: a skill that is used again with fewer holds keeps the earlier ones.
    together = tuple(dict.fromkeys((*before, *data.holds)))
    if together == before:
        return {}
    others = tuple(hold for hold in state.holds if hold.skill_id != data.skill_id)
    return {"holds": (*others, cs.SkillHold(skill_id=data.skill_id, title=data.title[: cs.MAX_TEXT], holds=together))}


def _skill_hold_ended(state: ConversationState, _: ev.Event, data: ev.SkillHoldEnded) -> Changes:
    return {"holds": tuple(hold for hold in state.holds if hold.skill_id != data.skill_id)}


def _title(_: ConversationState, __: ev.Event, data: ev.TitleSet) -> Changes:
    return {"title": data.title[: cs.MAX_TEXT]}


_CHANGES: Mapping[type[ev.EventData], Callable[[ConversationState, ev.Event, Any], Changes]] = {
    ev.UserMessage: _user_message,
    ev.TurnStarted: _turn_started,
    ev.TurnCompleted: _turn_completed,
    ev.TurnRouted: _turn_routed,
    ev.ToolStarted: _tool_started,
    ev.ToolFinished: _tool_finished,
    ev.PermissionRequested: _permission_requested,
    ev.PermissionResolved: _permission_resolved,
    ev.QuestionAsked: _question,
    ev.QuestionAnswered: _question_answered,
    ev.OfferShown: _offer,
    ev.OfferResolved: _offer_resolved,
    ev.Replies: _replies,
    ev.PlanUpdated: _plan,
    ev.ContextCleared: _context_cleared,
    ev.ContextRestored: _context_restored,
    ev.GoalSet: _goal,
    ev.OptionsSet: _options,
    ev.Tainted: _taint,
    ev.SkillUsed: _skill_used,
    ev.SkillHoldEnded: _skill_hold_ended,
    ev.TitleSet: _title,
}

_NOT_IN_THE_CHAT: frozenset[type[ev.EventData]] = frozenset(
    {
        ev.TurnCompleted,
        ev.OfferResolved,
        ev.QuestionAnswered,
        ev.PermissionResolved,
        ev.GoalSet,
        ev.OptionsSet,
        ev.Tainted,
        ev.SkillHoldEnded,
        ev.TitleSet,
        ev.StatusChanged,
        ev.Unknown,
    }
)
"""What adds nothing that people read in the chat, so that chips stay; anything else takes them away."""


def advance(state: ConversationState, event: ev.Event) -> ConversationState:
    """The state after one more event. Events come in the order of their seq; one out of place changes nothing else."""
    kind = type(event.data)
    change = _CHANGES.get(kind)
    changes = change(state, event, event.data) if change else {}
    if state.replies and kind not in _NOT_IN_THE_CHAT:
        changes.setdefault("replies", ())
    changes["last_seq"] = event.seq
    return state.model_copy(update=changes)


def fold(events: Iterable[ev.Event]) -> ConversationState:
    """The state after all of these."""
    return reduce(advance, events, ConversationState())


# ---- one thing at a time, also as of an earlier seq ----------------------------------------------------------------


def fold_as_of(events: Sequence[ev.Event], as_of: int | None) -> ConversationState:
    """The state after the event `as_of`, that one included; None means after all of them."""
    return fold(events if as_of is None else (event for event in events if event.seq <= as_of))


def context_start(events: Sequence[ev.Event], as_of: int | None = None) -> int:
    """Where memory starts: the newest clear in force, -1 where there is none. Memory has a greater seq."""
    return fold_as_of(events, as_of).context_start


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
