"""Client ids: a message is accepted once by a conversation, whether it went to the log or to the queue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.store import tables
from core.store.changes import Transaction
from core.store.moments import to_stored
from core.store.statements import FindRows, InsertRows

ClientId = tuple[str, str]
"""A conversation's id, and the client's own id of a message."""

_KEYS = ("conversation_id", "client_id")
_FIND = FindRows(tables.client_id, _KEYS, _KEYS)
_INSERT = InsertRows(tables.client_id, *_KEYS, "at")


@dataclass(frozen=True, slots=True)
class AlreadySent:
    """Nothing was taken: the conversation has accepted these client ids before."""

    client_ids: tuple[str, ...]


def known(tx: Transaction, ids: Sequence[ClientId]) -> set[ClientId]:
    """Which of these were accepted before."""
    return {(row.conversation_id, row.client_id) for row in _FIND.run(tx.connection, ids)}


def remember(tx: Transaction, ids: Iterable[ClientId]) -> None:
    """Mark these as accepted; none of them may be known already."""
    at = to_stored(tx.at)
    _INSERT.run(tx.connection, [(conversation_id, client_id, at) for conversation_id, client_id in ids])
