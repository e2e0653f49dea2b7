"""Menus under a message: one row per message, of which a person has one open in a chat.

    open ──PutMenu (the same message, changed)──▶ open
     ├── a menu under another message, CloseMenus ──▶ closed
     └── its time is over: `expires_at` says so, and FadeMenu writes it down ──▶ closed

What a menu holds is the view's and the drawer's; `view` is JSON text whose shape only they know. `fade_at` is the time
from which its buttons should be taken away; None once they are gone. Only a token's hash is here.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Connection, Row, TextClause, and_, select, text, update

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.seats import Seat

_MENU = tables.menu
_OPEN = text(tables.ON_OFFER)


class State(StrEnum):
    """What became of a menu."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class PutMenu(Change[None]):
    """The message with this key in the outbox shows this menu now; the seat's other one is closed.

    Args:
        words: what the message says, as Markdown.
        waits_for: the setting whose value the person's next message is.
        message_id: the app's own id of the message, where it is known.
    """

    step: ClassVar[Step] = Step.PUT_MENU

    seat: Seat
    key: str
    token_hash: str
    view: str
    words: str
    revision: str
    expires_at: datetime
    waits_for: str | None = None
    message_id: str | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["PutMenu"]) -> Sequence[None]:
        """A few writes each: only owners have menus."""
        for change in changes:
            _put(tx, change)
        return [None] * len(changes)


def _put(tx: Transaction, change: PutMenu) -> None:
    _close(tx, and_(_of_seat(change.seat), _MENU.c.key != change.key))
    shown = {name: value for name, value in asdict(change).items() if name not in ("seat", "key")}
    shown |= {"state": State.OPEN.value, "fade_at": change.expires_at}
    changed = tx.connection.execute(update(_MENU).where(_MENU.c.key == change.key).values(shown)).rowcount
    if not changed:
        tx.connection.execute(_MENU.insert(), {**shown, **asdict(change.seat), "key": change.key})


@dataclass(frozen=True, slots=True)
class CloseMenus(Change[int]):
    """What is open of a person, in one chat or in all of a channel, counts no more; the result is how many it were."""

    step: ClassVar[Step] = Step.CLOSE_MENUS

    channel_id: str
    person_id: str
    seat: Seat | None = None

    @classmethod
    def of_seat(cls, seat: Seat) -> "CloseMenus":
        """Only the one in the chat of this seat."""
        return cls(seat.channel_id, seat.person_id, seat)

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["CloseMenus"]) -> Sequence[int]:
        """One update each."""
        return [_close(tx, _whose(change)) for change in changes]


def _whose(change: CloseMenus) -> ColumnElement[bool]:
    if change.seat is not None:
        return _of_seat(change.seat)
    return and_(_MENU.c.channel_id == change.channel_id, _MENU.c.person_id == change.person_id)


def _close(tx: Transaction, which: ColumnElement[bool]) -> int:
    closed = {"state": State.CLOSED.value, "waits_for": None, "fade_at": tx.at}
    return tx.connection.execute(update(_MENU).where(which, _OPEN).values(closed)).rowcount


@dataclass(frozen=True, slots=True)
class FadeMenu(Change[None]):
    """The buttons of a menu whose time had come are gone, or nobody tries to take them away before `again_at`.

    One that was shown anew meanwhile (another token) stays as it is.
    """

    step: ClassVar[Step] = Step.FADE_MENU

    token_hash: str
    again_at: datetime | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["FadeMenu"]) -> Sequence[None]:
        """One update each."""
        for change in changes:
            faded = {"state": State.CLOSED.value, "waits_for": None, "fade_at": change.again_at}
            tx.connection.execute(update(_MENU).where(_MENU.c.token_hash == change.token_hash).values(faded))
        return [None] * len(changes)


# ---- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MenuRecord:
    """A menu that is known."""

    seat: Seat
    key: str
    token_hash: str
    view: str
    words: str
    revision: str
    waits_for: str | None
    open: bool
    message_id: str | None
    expires_at: datetime


class MenuRows:
    """Reads menus."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_token(self, token_hash: str) -> MenuRecord | None:
        """The menu whose buttons have this token now."""
        return await self._one(_MENU.c.token_hash == token_hash)

    async def of_seat(self, seat: Seat) -> MenuRecord | None:
        """The one that is open, also where its time is over."""
        return await self._one(_of_seat(seat), _OPEN)

    async def fading(self, channel_ids: Collection[str], now: datetime, limit: int = 100) -> tuple[MenuRecord, ...]:
        """Those of these channels whose buttons should be gone, the longest overdue first."""
        due = (_FADING, _MENU.c.channel_id.in_(list(channel_ids)), _MENU.c.fade_at <= now)
        query = select(_MENU).where(*due).order_by(_MENU.c.fade_at).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(map(_record, rows))

    async def next_fading(self, channel_ids: Collection[str]) -> datetime | None:
        """When the next time comes; None when nothing waits for it."""
        some = (_FADING, _MENU.c.channel_id.in_(list(channel_ids)))
        query = select(_MENU.c.fade_at).where(*some).order_by(_MENU.c.fade_at).limit(1)
        return await self._database.read(lambda connection: connection.execute(query).scalar())

    async def _one(self, *where: ColumnElement[bool] | TextClause) -> MenuRecord | None:
        query = select(_MENU).where(*where)

        def look(connection: Connection) -> MenuRecord | None:
            row = connection.execute(query).one_or_none()
            return None if row is None else _record(row)

        return await self._database.peek(look)


_FADING = text(tables.FADING)


def _of_seat(seat: Seat) -> ColumnElement[bool]:
    return and_(*(_MENU.c[name] == value for name, value in asdict(seat).items()))


def _record(row: Row[Any]) -> MenuRecord:
    seat = Seat(row.channel_id, row.chat_id, row.thread, row.person_id)
    shown = (row.key, row.token_hash, row.view, row.words, row.revision, row.waits_for)
    return MenuRecord(seat, *shown, row.state == State.OPEN.value, row.message_id, row.expires_at)
