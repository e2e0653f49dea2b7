"""Engine sessions: what each engine remembers of a conversation, and the last event that this memory has seen.

A session is written with the events that end a turn, so that it never claims to know more or less than the log.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import bindparam, select

from core.events import TurnCompleted
from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.statements import PutRows

_SESSION = tables.engine_session
_PUT = PutRows(_SESSION, ("conversation_id", "engine"), ("seq", "state"))
_ONE = select(_SESSION.c.seq, _SESSION.c.state).where(
    _SESSION.c.conversation_id == bindparam("conversation_id"), _SESSION.c.engine == bindparam("engine")
)


@dataclass(frozen=True, slots=True)
class SaveSession(Change[None]):
    """The engine's memory as it is now; `state` is of JSON values.

    It has seen everything up to the end of the turn that is closed in this transaction, or else up to the newest event;
    where it took part in nothing new, no more than it had `seen`.
    """

    step: ClassVar[Step] = Step.SAVE_SESSION

    conversation_id: str
    engine: str
    state: Mapping[str, Any]
    seen: int | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["SaveSession"]) -> Sequence[None]:
        """One write each: once per turn. A conversation without events has no session."""
        ends = {event.conversation_id: event.seq for event in tx.events if isinstance(event.data, TurnCompleted)}
        rows = []
        for change in changes:
            seq = ends.get(change.conversation_id) if change.seen is None else change.seen
            if seq is None:
                seq = _last_seq(tx, change.conversation_id)
            state = json.dumps(change.state, ensure_ascii=False, separators=(",", ":"))
            rows.append((change.conversation_id, change.engine, seq, state))
        _PUT.run(tx.connection, rows)
        return [None] * len(changes)


def _last_seq(tx: Transaction, conversation_id: str) -> int:
    query = select(tables.conversation.c.last_seq).where(tables.conversation.c.id == conversation_id)
    seq = tx.connection.execute(query).scalar()
    return -1 if seq is None else seq


@dataclass(frozen=True, slots=True)
class SavedSession:
    """An engine's memory of a conversation, and the seq of the last event that it has seen."""

    seq: int
    state: Mapping[str, Any]


class Sessions:
    """Reads the sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, conversation_id: str, engine: str) -> SavedSession | None:
        """What the engine remembers; None when it never answered here."""
        named = {"conversation_id": conversation_id, "engine": engine}
        row = await self._database.peek(lambda connection: connection.execute(_ONE, named).one_or_none())
        return None if row is None else SavedSession(row.seq, json.loads(row.state))
