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

from sqlalchemy import Connection, Row, func, select, text

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.moments import to_stored
from core.store.statements import ChangeRows, InsertNew, firsts

_INBOX = tables.inbox
_KEYS = ("channel_id", "update_id")
_RECEIVE = InsertNew(_INBOX, (*_KEYS, "payload", "at"), _KEYS)
_FINISH = ChangeRows(_INBOX, _KEYS, ["done_at", "error"], where=text(f"inbox.{tables.NOT_DONE}"))

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Received(Change[bool]):
    """An update came in; the result is whether it is a new one. `payload` is the app's own, of JSON values."""

    step: ClassVar[Step] = Step.RECEIVED

    channel_id: str
    update_id: str
    payload: Mapping[str, Any]

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Received"]) -> Sequence[bool]:
        """One insert of what is not there yet."""
        at = to_stored(tx.at)
        rows = [(*_key(change), _dump(change.payload), at) for change in changes]
        return firsts([_key(change) for change in changes], _RECEIVE.run(tx.connection, rows))


@dataclass(frozen=True, slots=True)
class Done(Change[bool]):
    """What the update caused is in this transaction; the result is False when it was done before, or is not there."""

    step: ClassVar[Step] = Step.DONE

    channel_id: str
    update_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Done"]) -> Sequence[bool]:
        """One update of what is not done yet."""
        return _finish(tx, [_key(change) for change in changes], [None] * len(changes))


@dataclass(frozen=True, slots=True)
class Poisoned(Change[bool]):
    """The update cannot be handled, ever: it is skipped and counted. `error` is for the owner."""

    step: ClassVar[Step] = Step.POISONED

    channel_id: str
    update_id: str
    error: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Poisoned"]) -> Sequence[bool]:
        """As for what is done."""
        return _finish(tx, [_key(change) for change in changes], [change.error for change in changes])


def _key(change: Received | Done | Poisoned) -> _Key:
    return change.channel_id, change.update_id


def _dump(payload: Mapping[str, Any]) -> str:
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # there is half a character in it, and no database takes that as it is
        return json.dumps(payload)
    return text


def _finish(tx: Transaction, keys: Sequence[_Key], errors: Sequence[str | None]) -> list[bool]:
    """Which made the difference: where several are about one update, the first of them."""
    at = to_stored(tx.at)
    first = dict(zip(reversed(keys), reversed(errors), strict=True))
    rows = [(at, error, *key) for key, error in first.items()]
    return firsts(keys, _FINISH.run(tx.connection, rows))


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

    async def pending(self, channel_id: str, after: int = 0, limit: int | None = None) -> tuple[PendingUpdate, ...]:
        """What is not done, in the order of arrival, after the arrival `after`, at most `limit`."""
        query = (
            select(_INBOX)
            .where(text(tables.NOT_DONE), _INBOX.c.channel_id == channel_id, _INBOX.c.arrival > after)
            .order_by(_INBOX.c.arrival)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_update(row) for row in rows)

    async def newest(
        self, channel_id: str, limit: int, *, until: datetime, before: int | None = None
    ) -> tuple[PendingUpdate, ...]:
        """What came in before a moment, done or not, the newest first; the next page is `before` the last arrival."""
        query = (
            select(_INBOX)
            .where(_INBOX.c.channel_id == channel_id, _INBOX.c.at < until)
            .order_by(_INBOX.c.arrival.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(_INBOX.c.arrival < before)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_update(row) for row in rows)

    async def has(self, channel_id: str, update_id: str) -> bool:
        """Whether an update came in before."""
        query = select(_INBOX.c.arrival).where(_INBOX.c.channel_id == channel_id, _INBOX.c.update_id == update_id)
        return await self._database.read(lambda connection: connection.execute(query).first()) is not None

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


def _update(row: Row[Any]) -> PendingUpdate:
    return PendingUpdate(row.arrival, row.channel_id, row.update_id, json.loads(row.payload), row.at)
