"""What an engine gets at the start of a turn: its own memory, what it missed, and the new message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.engines.base import Engine, ModelOptions, TurnInput
from core.events import Mode, OptionsSet, Origin
from core.handoff import handoff
from core.prompt import Persona, Place, Role, instructions
from core.settings import Settings
from core.store.database import Database
from core.store.log import EventLog
from core.store.sessions import SavedSession, Sessions
from core.turn import Opened


@dataclass(frozen=True, slots=True)
class Briefing:
    """`memory` is what the engine remembers of this conversation; None when it begins anew."""

    turn: TurnInput
    memory: Mapping[str, Any] | None


class Briefings:
    """Prepares turns that have been opened."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._log = EventLog(database)
        self._sessions = Sessions(database)
        self._persona = Persona(settings.assistant_name, settings.voice)

    async def prepare(self, opened: Opened) -> Briefing:
        """Read what the engine needs; where it missed nothing, no more than its memory.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        message, state = opened.message, opened.state
        saved = await self._saved(opened)
        turn = TurnInput(
            text=message.text,
            attachments=message.attachments,
            instructions=self._instructions(opened),
            mode=state.options.mode or Mode.ASK,
            words_only=message.origin.role == "guest",
            options=model_options(state.options, opened.engine),
            handoff=await self._missed(opened, saved),
        )
        return Briefing(turn, saved.state if saved else None)

    async def _saved(self, opened: Opened) -> SavedSession | None:
        """What the engine saved, unless that is from before a clear in force."""
        if opened.first_seq == 0:
            return None
        saved = await self._sessions.get(opened.conversation_id, opened.engine.id)
        return saved if saved and saved.seq > opened.state.memory_start else None

    async def _missed(self, opened: Opened, saved: SavedSession | None) -> str | None:
        known = saved.seq if saved else opened.state.memory_start
        if known >= opened.first_seq - 1:
            return None
        events = await self._log.read(opened.conversation_id, after=known)
        return handoff(events, since=known, upto=opened.seq)

    def _instructions(self, opened: Opened) -> str:
        able, options = opened.engine.capabilities, opened.state.options
        return instructions(
            self._persona,
            place(opened.message.origin),
            goal=opened.state.goal,
            mode=None if options.mode in able.modes else options.mode,
            context_window=able.context_window,
        )


def model_options(options: OptionsSet, engine: Engine) -> ModelOptions:
    """What the chat chose for its engine; another one that stands in for it does not know that model."""
    if options.engine is not None and options.engine != engine.id:
        return ModelOptions()
    return ModelOptions(options.model, options.effort, options.fast)


def place(origin: Origin) -> Place:
    """Where the words come from, for the prompt."""
    return Place(
        origin.kind,
        origin.address.chat_kind if origin.address else None,
        app=origin.app,
        person=origin.person_name,
        role=Role(origin.role) if origin.role else None,
    )
