"""What an engine gets at the start of a turn: its own memory, what it missed, what it may use, and the new message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.budget import Allowed
from core.engines.base import Host, ModelOptions, TurnInput
from core.handoff import handoff
from core.opened import Opened
from core.replies import Suggested
from core.skills.calling import expanded
from core.store.database import Database
from core.store.log import EventLog
from core.store.sessions import SavedSession, Sessions


@dataclass(frozen=True, slots=True)
class Briefing:
    """`memory` is what the engine remembers of this conversation; None when it begins anew."""

    turn: TurnInput
    memory: Mapping[str, Any] | None
    host: Host
    allowed: Allowed
    suggested: Suggested = field(default_factory=Suggested)
    """What the host is told to suggest to the person, for the end of the turn."""


class Briefings:
    """Prepares turns that have been opened."""

    def __init__(self, database: Database) -> None:
        self._log = EventLog(database)
        self._sessions = Sessions(database)

    async def prepare(self, opened: Opened, host: Host, options: ModelOptions, allowed: Allowed) -> Briefing:
        """Read what the engine needs; where it missed nothing, no more than its memory.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        message, frame = opened.message, host.frame()
        saved = await self._saved(opened)
        turn = TurnInput(
            text=expanded(message.text, opened.called),
            attachments=message.attachments,
            instructions=frame.instructions,
            mode=frame.mode,
            tools=frame.tools,
            words_only=opened.for_guest,
            options=options,
            handoff=await self._missed(opened, saved),
            first_seq=opened.first_seq,
            allowance=allowed.allowance,
        )
        return Briefing(turn, saved.state if saved else None, host, allowed)

    async def _saved(self, opened: Opened) -> SavedSession | None:
        """What the engine saved, unless that is from before a clear in force."""
        if opened.first_seq == 0:
            return None
        saved = await self._sessions.get(opened.conversation_id, opened.engine.id)
        return saved if saved and saved.seq > opened.state.memory_start else None

    async def _missed(self, opened: Opened, saved: SavedSession | None) -> str | None:
        """Nothing, most often: then nothing is read. Whoever takes over also missed what this turn has come to."""
        known = saved.seq if saved else opened.state.memory_start
        if known >= opened.first_seq - 1 and opened.instead_of is None:
            return None
        events = await self._log.read(opened.conversation_id, after=known)
        return handoff(events, since=known, upto=opened.seq, taking_over=opened.instead_of is not None)
