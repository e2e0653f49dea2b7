"""The inbox: every update of a chat app, stored once before the app is told "got it".

    received ──Done──▶ done
        └────Poisoned──▶ done, with an error

A row is marked done in the transaction of what it caused; rows that are not done are taken up again at the next start.
Nothing leads back: a redelivered update finds its row and changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Connection, Update, func, select, text, tuple_, update

from core.store import tables
from core.store.changes import Change, Step, Transaction, chunks
from core.store.database import Database
from core.store.statements import insert_into

_INBOX = tables.inbox
_KEY = (_INBOX.c.channel_id, _INBOX.c.update_id)


@dataclass(frozen=True, slots=True)
class Received(Change[bool]):
    """An update came in; the result is whether it is a new one. `payload` is the app's own, of JSON values."""

    step: ClassVar[Step] = Step.RECEIVED

    channel_id: str
    update_id: str
    payload: Mapping[str, Any]

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Received"]) -> Sequence[bool]:
        """One insert that skips what is there."""
        rows = [
            {
                "channel_id": change.channel_id,
                "update_id": change.update_id,
                "payload": json.dumps(change.payload, ensure_ascii=False, separators=(",", ":")),
                "at": tx.at,
            }
            for change in changes
        ]
        statement = insert_into(tx.connection, _INBOX).on_conflict_do_nothing().returning(*_KEY)
        new = {(row[0], row[1]) for row in tx.connection.execute(statement, rows)}
        return _first_of_each(new, changes)


@dataclass(frozen=True, slots=True)
class Done(Change[bool]):
    """What the update caused is in this transaction; the result is False when it was done before, or is not there."""

    step: ClassVar[Step] = Step.DONE

    channel_id: str
    update_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Done"]) -> Sequence[bool]:
        """One conditional update."""
        done: set[tuple[str, str]] = set()
        for some in chunks(changes):
            keys = [(change.channel_id, change.update_id) for change in some]
            statement = _finish(tuple_(*_KEY).in_(keys)).values(done_at=tx.at).returning(*_KEY)
            done.update((row[0], row[1]) for row in tx.connection.execute(statement))
        return _first_of_each(done, changes)


@dataclass(frozen=True, slots=True)
class Poisoned(Change[bool]):
    """The update cannot be handled, ever: it is skipped and counted. `error` is for the owner."""

    step: ClassVar[Step] = Step.POISONED

    channel_id: str
    update_id: str
    error: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Poisoned"]) -> Sequence[bool]:
        """One update each: it is rare."""
        return [
            tx.connection.execute(
                _finish(tuple_(*_KEY) == (change.channel_id, change.update_id)).values(
                    done_at=tx.at, error=change.error
                )
            ).rowcount
            == 1
            for change in changes
        ]


def _first_of_each(keys: set[tuple[str, str]], changes: Sequence[Received] | Sequence[Done]) -> list[bool]:
    """Which changes made the difference: where several are about one update, the first of them."""
    results = []
    for change in changes:
        key = (change.channel_id, change.update_id)
        results.append(key in keys)
        keys.discard(key)
    return results


def _finish(which: ColumnElement[bool]) -> Update:
    return update(_INBOX).where(which, _INBOX.c.done_at.is_(None))


@dataclass(frozen=True, slots=True)
class PendingUpdate:
    """An update that was stored and not handled to its end. `arrival` grows."""

    arrival: int
    channel_id: str
    update_id: str
    payload: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class InboxCounts:
    """How many updates wait, and how many had to be skipped."""

    pending: int
    poisoned: int


class Inbox:
    """Reads the inbox."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pending(self, channel_id: str, after: int = 0, limit: int = 1_000) -> tuple[PendingUpdate, ...]:
        """What is not done, in the order of arrival, from the one after the arrival `after`."""
        query = (
            select(_INBOX.c.arrival, *_KEY, _INBOX.c.payload, _INBOX.c.at)
            .where(text(tables.NOT_DONE), _INBOX.c.channel_id == channel_id, _INBOX.c.arrival > after)
            .order_by(_INBOX.c.arrival)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(
            PendingUpdate(row.arrival, row.channel_id, row.update_id, json.loads(row.payload), row.at) for row in rows
        )

    async def counts(self, channel_id: str) -> InboxCounts:
        """For the console and the doctor."""

        def query(connection: Connection) -> InboxCounts:
            pending, poisoned = (
                connection.execute(
                    select(func.count()).select_from(_INBOX).where(text(where), _INBOX.c.channel_id == channel_id)
                ).scalar_one()
                for where in (tables.NOT_DONE, tables.POISONED)
            )
            return InboxCounts(pending, poisoned)

        return await self._database.read(query)
