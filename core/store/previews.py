"""Previews: messages of a chat app that were begun with the first words of an answer, and that its last words end.

    (none) ──KeepPreview──▶ open ──EndPreview──▶ (none)

One is kept as soon as the app has taken it, and ends in the transaction that stores what is to stand in it: from there
on the outbox sees to it. So a preview that is open when the program dies is known to whoever tells the turn later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import bindparam, delete, select

from core.store import preview_tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.moments import to_stored
from core.store.statements import PutRows

_PREVIEW = preview_tables.preview
_KEYS = ("conversation_id", "turn_seq", "message_id")
_PUT = PutRows(_PREVIEW, _KEYS, ["words_id", "opened_at"])
_END = delete(_PREVIEW).where(*(_PREVIEW.c[name] == bindparam(name) for name in _KEYS))


@dataclass(frozen=True, slots=True)
class Preview:
    """An open one. `message_id` is the app's, `words_id` the id of the assistant's message that is shown in it."""

    conversation_id: str
    turn_seq: int
    message_id: str
    words_id: str


@dataclass(frozen=True, slots=True)
class KeepPreview(Change[None]):
    """The app has taken the beginning of a message."""

    step: ClassVar[Step] = Step.KEEP_PREVIEW

    preview: Preview

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["KeepPreview"]) -> Sequence[None]:
        """One write each."""
        at = to_stored(tx.at)
        _PUT.run(tx.connection, [(*_key(change.preview), change.preview.words_id, at) for change in changes])
        return [None] * len(changes)


@dataclass(frozen=True, slots=True)
class EndPreview(Change[bool]):
    """What is to stand in it is stored in this transaction; False when it was ended before."""

    step: ClassVar[Step] = Step.END_PREVIEW

    preview: Preview

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["EndPreview"]) -> Sequence[bool]:
        """One delete each."""
        keys = (dict(zip(_KEYS, _key(change.preview), strict=True)) for change in changes)
        return [tx.connection.execute(_END, key).rowcount == 1 for key in keys]


def _key(preview: Preview) -> tuple[str, int, str]:
    return preview.conversation_id, preview.turn_seq, preview.message_id


class Previews:
    """Reads the open previews."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_turn(self, conversation_id: str, turn_seq: int) -> tuple[Preview, ...]:
        """Those of one turn, the oldest first."""
        query = (
            select(_PREVIEW)
            .where(_PREVIEW.c.conversation_id == conversation_id, _PREVIEW.c.turn_seq == turn_seq)
            .order_by(_PREVIEW.c.opened_at, _PREVIEW.c.message_id)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(Preview(row.conversation_id, row.turn_seq, row.message_id, row.words_id) for row in rows)
