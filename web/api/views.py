"""What the core knows, as the API tells it. Pure."""

import json
from typing import Final

from commands.parsing import written_in
from core.conversation_state import ConversationState
from core.engines.base import EXIT_PLAN_MODE
from core.events import (
    AssistantMessage,
    Event,
    EventData,
    Mode,
    Notice,
    OptionsSet,
    TurnCompleted,
    Unknown,
    encode,
)
from core.outcomes import Overview
from core.store.log import ConversationSummary
from web.api import schemas


def event(happened: Event) -> schemas.EventView:
    """One event. What an older or newer release wrote and this one does not know is told as it stands."""
    return schemas.EventView(
        conversation_id=happened.conversation_id,
        seq=happened.seq,
        at=happened.at,
        type=happened.type,
        data=_data(happened.data),
    )


def _data(data: EventData) -> dict[str, object]:
    """With all fields, also at their defaults. By way of JSON: a NaN that a tool was given becomes a null."""
    data = _as_read(data)
    written = encode(data) if isinstance(data, Unknown) else data.model_dump_json(exclude={"type"}, by_alias=True)
    told: dict[str, object] = json.loads(written)
    return told


def _as_read(data: EventData) -> EventData:
    """Sentences of ours name commands in a way of their own until it is known where they are read."""
    match data:
        case TurnCompleted(error=str(error)):
            return data.model_copy(update={"error": written_in(API, error)})
        case Notice(message=message) | AssistantMessage(text=message):
            field = "message" if isinstance(data, Notice) else "text"
            return data.model_copy(update={field: written_in(API, message)})
    return data


API: Final = "api"
"""Where events are read, as the kinds of chat apps are called."""


def conversation(summary: ConversationSummary) -> schemas.ConversationView:
    """One row of the list."""
    return schemas.ConversationView(**{name: getattr(summary, name) for name in ConversationSummary.__slots__})


def options(chosen: OptionsSet) -> schemas.OptionsView:
    """What a conversation chose itself."""
    return schemas.OptionsView(**{name: getattr(chosen, name) for name in schemas.OptionsView.model_fields})


def overview(conversation_id: str, now: Overview, model: str | None, default_mode: Mode) -> schemas.OverviewView:
    """All that a screen needs to begin with."""
    state = now.state
    return schemas.OverviewView(
        id=conversation_id,
        title=state.title,
        status=state.status,
        last_seq=state.last_seq,
        engine=schemas.EngineNow(id=now.engine.id, title=now.engine.title, model=model),
        options=options(state.options),
        mode=state.options.mode or default_mode,
        goal=state.goal,
        taint=tuple(schemas.TaintNow(source=mark.source, label=mark.label) for mark in state.taint),
        turn=_turn(state),
        question=_question(state),
        permissions=_permissions(state),
        offers=state.open_offers,
        plan=state.current_plan.steps if state.current_plan else (),
        replies=state.replies,
        queue=schemas.QueueNow(waiting=now.waiting, held=now.held),
        memory=schemas.MemoryNow(
            cleared_seq=state.memory_start if state.memory_start >= 0 else None,
            undoable_seq=state.undoable_clear,
            summary=now.summary.summary if now.summary else None,
            folding=now.folding,
        ),
    )


def _turn(state: ConversationState) -> schemas.TurnNow | None:
    turn = state.turn
    if turn is None:
        return None
    return schemas.TurnNow(seq=turn.seq, engine=turn.engine, model=turn.model, trigger=turn.trigger)


def _question(state: ConversationState) -> schemas.QuestionNow | None:
    waiting = state.waiting_question
    if waiting is None:
        return None
    return schemas.QuestionNow(seq=waiting.seq, asked_at=waiting.asked_at, question=waiting.question)


def _permissions(state: ConversationState) -> tuple[schemas.PermissionNow, ...]:
    return tuple(
        schemas.PermissionNow(
            seq=waiting.seq,
            asked_at=waiting.asked_at,
            permission_id=waiting.permission_id,
            tool_name=waiting.tool_name,
            summary=waiting.summary,
            reason=waiting.reason,
            always=not (waiting.once or waiting.reason or waiting.tool_name == EXIT_PLAN_MODE),
        )
        for waiting in state.waiting_permissions
    )
