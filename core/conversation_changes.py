"""How each event changes what is known of a conversation: `advance`, one event at a time.

Pure, and cheap enough for every append: an event that changes nothing costs one copy. What comes out of place (an
answer to no question, a second end of a turn) changes nothing. A new type of event is a function and a line in the
table here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from core import conversation_state as cs
from core import events as ev
from core.conversation_state import ConversationState
from core.safety.permissions import action_of

Changes = dict[str, Any]


def _in_turn(state: ConversationState, **changes: object) -> Changes:
    """What belongs to a turn is ignored when none runs: nothing could ever end it."""
    return {"turn": state.turn.model_copy(update=changes)} if state.turn else {}


def _user_message(_: ConversationState, event: ev.Event, __: ev.UserMessage) -> Changes:
    return {"last_user_seq": event.seq, "last_said_seq": event.seq}


def _turn_started(state: ConversationState, event: ev.Event, data: ev.TurnStarted) -> Changes:
    turn = cs.RunningTurn(
        seq=event.seq,
        engine=data.engine,
        model=data.model,
        trigger=data.trigger,
        address=data.address,
        said_seq=state.last_user_seq,
    )
    return {"turn": turn, "last_said_seq": event.seq}


def _turn_completed(_: ConversationState, __: ev.Event, ___: ev.TurnCompleted) -> Changes:
    return {"turn": None}


def _turn_routed(state: ConversationState, _: ev.Event, data: ev.TurnRouted) -> Changes:
    return _in_turn(state, engine=data.to_engine, model=data.to_model)


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
        asks_owner=data.asks_owner,
        action=action_of(data.tool_name, data.input),
    )
    others = tuple(p for p in state.waiting_permissions if p.permission_id != data.permission_id)
    return _in_turn(state, permissions=(*others, waiting)[-cs.MAX_OPEN_CALLS :])


def _permission_resolved(state: ConversationState, _: ev.Event, data: ev.PermissionResolved) -> Changes:
    waiting = state.waiting_permissions
    left = tuple(p for p in waiting if p.permission_id != data.permission_id)
    changes = _in_turn(state, permissions=left)
    for answered in waiting:
        if answered not in left and data.decision == "allow-always" and not (answered.once or answered.reason):
            others = tuple(action for action in state.always if action != answered.action)
            changes["always"] = (*others, answered.action)[-cs.MAX_ALWAYS :]
    return changes


def _question(state: ConversationState, event: ev.Event, data: ev.QuestionAsked) -> Changes:
    return _in_turn(state, question=cs.WaitingQuestion(seq=event.seq, asked_at=event.at, question=data.question))


def _question_answered(state: ConversationState, _: ev.Event, data: ev.QuestionAnswered) -> Changes:
    waiting = state.waiting_question
    if waiting is None or waiting.question.question_id != data.question_id:
        return {}
    changes = _in_turn(state, question=None)
    if state.turn and state.turn.said_seq is not None:
        changes["last_user_seq"] = state.turn.said_seq
    return changes


def _offer(state: ConversationState, _: ev.Event, data: ev.OfferShown) -> Changes:
    others = tuple(o for o in state.open_offers if o.offer_id != data.offer.offer_id)
    key = cs.offered_key(data.offer)
    offered = (*(each for each in state.offered if each != key), key)[-cs.MAX_OFFERED :]
    shown = (*others, data.offer)[-cs.MAX_OFFERS :]
    return {"open_offers": shown, "offered": offered, **_in_turn(state, offered=True)}


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


def _context_compacted(_: ConversationState, event: ev.Event, data: ev.ContextCompacted) -> Changes:
    return {"summary_seq": event.seq} if data.summary else {}


def _goal(_: ConversationState, __: ev.Event, data: ev.GoalSet) -> Changes:
    return {"goal": data.goal or None}


def _options(state: ConversationState, _: ev.Event, data: ev.OptionsSet) -> Changes:
    into_plan = data.mode is ev.Mode.PLAN and state.options.mode is not ev.Mode.PLAN
    return {"options": data, "mode_at_plan": state.options.mode if into_plan else state.mode_at_plan}


def _taint(state: ConversationState, _: ev.Event, data: ev.Tainted) -> Changes:
    mark = cs.TaintMark(source=data.source, label=data.label[: cs.MAX_TEXT])
    changes = _in_turn(state, read_outside=True) if state.turn and not state.turn.read_outside else {}
    if mark in state.taint or len(state.taint) >= cs.MAX_TAINT_MARKS:
        return changes
    return {"taint": (*state.taint, mark), **changes}


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
    ev.ContextCompacted: _context_compacted,
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


def adds_to_the_chat(data: ev.EventData) -> bool:
    """Whether an event is something newer for the people who read the chat; chips themselves are not."""
    return type(data) not in _NOT_IN_THE_CHAT and not isinstance(data, ev.Replies)


def advance(state: ConversationState, event: ev.Event) -> ConversationState:
    """The state after one more event. Events come in the order of their seq; one out of place changes nothing else."""
    kind = type(event.data)
    change = _CHANGES.get(kind)
    changes = change(state, event, event.data) if change else {}
    if state.replies and kind not in _NOT_IN_THE_CHAT:
        changes.setdefault("replies", ())
    changes["last_seq"] = event.seq
    return state.model_copy(update=changes)
