"""Client ids: a message is accepted once by a conversation, whether it went to the log or to the queue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select, tuple_

from core.store import tables
from core.store.changes import Transaction, chunks
from core.store.moments import to_stored
from core.store.statements import Prepared, given

ClientId = tuple[str, str]
"""A conversation's id, and the client's own id of a message."""

_REMEMBER = Prepared(
    tables.client_id.insert().values(given("conversation_id", "client_id", "at")), "conversation_id", "client_id", "at"
)


@dataclass(frozen=True, slots=True)
class AlreadySent:
    """Nothing was taken: the conversation has accepted these client ids before."""

    client_ids: tuple[str, ...]


def known(tx: Transaction, ids: Sequence[ClientId]) -> set[ClientId]:
    """Which of these were accepted before."""
    pair = tuple_(tables.client_id.c.conversation_id, tables.client_id.c.client_id)
    found: set[ClientId] = set()
    for some in chunks(ids):
        rows = tx.connection.execute(
            select(tables.client_id.c.conversation_id, tables.client_id.c.client_id).where(pair.in_(some))
        )
        found.update((row[0], row[1]) for row in rows)
    return found


def remember(tx: Transaction, ids: Iterable[ClientId]) -> None:
    """Mark these as accepted; none of them may be known already."""
    at = to_stored(tx.at)
    _REMEMBER.run(tx.connection, [(conversation_id, client_id, at) for conversation_id, client_id in ids])
