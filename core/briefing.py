"""What an engine gets at the start of a turn: its own memory, what it missed, and the new message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.engines.base import Engine, ModelOptions, TurnInput
from core.events import OptionsSet
from core.framing import Framing
from core.handoff import handoff
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

    def __init__(self, database: Database, framing: Framing) -> None:
        self._log = EventLog(database)
        self._sessions = Sessions(database)
        self._framing = framing

    async def prepare(self, opened: Opened) -> Briefing:
        """Read what the engine needs; where it missed nothing, no more than its memory.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        message, state = opened.message, opened.state
        frame = self._framing.frame(opened, state)
        saved = await self._saved(opened)
        turn = TurnInput(
            text=message.text,
            attachments=message.attachments,
            instructions=frame.instructions,
            mode=frame.mode,
            tools=frame.tools,
            words_only=message.origin.role == "guest",
            options=model_options(state.options, opened.engine),
            handoff=await self._missed(opened, saved),
            first_seq=opened.first_seq,
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


def model_options(options: OptionsSet, engine: Engine) -> ModelOptions:
    """What the chat chose for its engine; another one that stands in for it does not know that model."""
    if options.engine is not None and options.engine != engine.id:
        return ModelOptions()
    return ModelOptions(options.model, options.effort, options.fast)
