"""Groups of a channel: which are known, which the owner turned on, and how often guests were answered there.

    (unknown) ──heard_of──▶ off ◀──switch──▶ on
        ▲                    │                │
        └── 20 newer ones ───┘                └── MoveChat ──▶ moved: the switch and the seats are under its new id

A group that is on is pushed out only when the bot is not in it any more. Whether somebody is answered in a group is
decided by whoever asks; here stands only what is known of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, func, or_, select, update

from core.errors import NotFound
from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.statements import insert_into

MAX_GROUPS: Final = 20
"""Groups remembered for one channel; of those that are off, the one not heard of for longest goes first."""

MAX_TITLE: Final = 128
"""Characters kept of a group's title; whoever runs the group chooses it."""

HEARD_EVERY: Final = timedelta(minutes=1)
"""How exact `heard_at` is: one write a minute and group."""

GUEST_WINDOW: Final = timedelta(hours=1)
"""The time in which guests' answers are counted."""

_GROUP = tables.chat_group
_ANSWER = tables.guest_answer
_SEAT = tables.seat

_ONE = select(_GROUP).where(_GROUP.c.channel_id == bindparam("channel_id"), _GROUP.c.chat_id == bindparam("chat_id"))


@dataclass(frozen=True, slots=True)
class Group:
    """A group that is known. `heard_at` is when somebody last wanted something there, exact to a minute."""

    channel_id: str
    chat_id: str
    title: str
    on: bool
    heard_at: datetime


@dataclass(frozen=True, slots=True)
class MoveChat(Change[bool]):
    """A group has a new id: its switch, its seats and its guests' answers go there; False when they did before.

    What is still on its way under the old id finds the new one's switch.
    """

    step: ClassVar[Step] = Step.MOVE_CHAT

    channel_id: str
    old_id: str
    new_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["MoveChat"]) -> Sequence[bool]:
        """A few statements each: a group moves once in its life."""
        return [_move(tx, change) for change in changes]


class Groups:
    """Reads and writes the groups."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def is_on(self, channel_id: str, chat_id: str) -> bool:
        """Whether the owner turned a group on, by its new id or the one it had before."""
        return await self._database.peek(lambda connection: _is_on(connection, channel_id, chat_id))

    async def list(self, channel_id: str) -> tuple[Group, ...]:
        """The groups that the bot is in, as far as is known, the one heard of last first."""
        query = select(_GROUP).where(_in(channel_id), _GROUP.c.gone.is_(False))
        query = query.order_by(_GROUP.c.heard_at.desc(), _GROUP.c.chat_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_group(row) for row in rows)

    async def title(self, channel_id: str, chat_id: str) -> str:
        """What a group is called, as far as is known, also one that the bot is not in any more."""
        row = await self._database.peek(lambda connection: _row(connection, channel_id, chat_id))
        return "" if row is None else str(row.title)

    async def heard_of(self, channel_id: str, chat_id: str, title: str | None) -> None:
        """The bot is in a group, and somebody there wants something of it; without a title, the one known stays."""
        title, at = title[:MAX_TITLE] if title is not None else None, self._database.now()
        row = await self._database.peek(lambda connection: _row(connection, channel_id, chat_id))
        if row is not None and _is_fresh(row, title, at):
            return
        key = {"channel_id": channel_id, "chat_id": chat_id}
        news = {"heard_at": at, "gone": False} | ({"title": title} if title is not None else {})

        def work(connection: Connection) -> None:
            new = {**key, "title": "", "enabled": False, "moved_to": None, **news}
            insert = insert_into(connection, _GROUP).values(new)
            connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=news))
            _drop_oldest(connection, channel_id)

        await self._database.write(work)

    async def leave(self, channel_id: str, chat_id: str) -> None:
        """The bot is not in a group any more. Its switch stays: it may be brought back, or the group may have moved."""
        gone = update(_GROUP).where(_is(channel_id, chat_id)).values(gone=True)
        await self._database.write(lambda connection: connection.execute(gone))

    async def switch(self, channel_id: str, chat_id: str, on: bool) -> Group:
        """Turn a group on or off.

        Raises:
            NotFound: no group of that id is known.
        """
        which = _is(channel_id, chat_id)

        def work(connection: Connection) -> Group:
            connection.execute(update(_GROUP).where(which, _GROUP.c.moved_to.is_(None)).values(enabled=on))
            row = connection.execute(select(_GROUP).where(which, _GROUP.c.moved_to.is_(None))).one_or_none()
            if row is None:
                raise NotFound("No group of that id is known.")
            return _group(row)

        return await self._database.write(work)

    async def answer_guest(self, channel_id: str, chat_id: str, update_id: str, limit: int) -> bool:
        """Count an answer to a guest's update, unless `limit` were given in the last hour; the same update counts once.

        Returns:
            Whether it may be given.
        """
        at = self._database.now()

        def work(connection: Connection) -> bool:
            here = and_(_ANSWER.c.channel_id == channel_id, _ANSWER.c.chat_id == chat_id)
            if connection.execute(select(_ANSWER.c.at).where(here, _ANSWER.c.update_id == update_id)).first():
                return True
            lately = select(func.count()).select_from(_ANSWER).where(here, _ANSWER.c.at > at - GUEST_WINDOW)
            if connection.execute(lately).scalar_one() >= limit:
                return False
            row = {"channel_id": channel_id, "chat_id": chat_id, "update_id": update_id, "at": at}
            connection.execute(_ANSWER.insert().values(row))
            return True

        return await self._database.write(work)


def _in(channel_id: str) -> ColumnElement[bool]:
    return _GROUP.c.channel_id == channel_id


def _is(channel_id: str, chat_id: str) -> ColumnElement[bool]:
    return and_(_in(channel_id), _GROUP.c.chat_id == chat_id)


def _row(connection: Connection, channel_id: str, chat_id: str) -> Row[tuple[object, ...]] | None:
    return connection.execute(_ONE, {"channel_id": channel_id, "chat_id": chat_id}).one_or_none()


def _is_on(connection: Connection, channel_id: str, chat_id: str) -> bool:
    row = _row(connection, channel_id, chat_id)
    if row is not None and row.moved_to is not None:
        row = _row(connection, channel_id, row.moved_to)
    return row is not None and bool(row.enabled)


def _is_fresh(row: Row[tuple[object, ...]], title: str | None, at: datetime) -> bool:
    """Whether the row says all that there is to say."""
    return not row.gone and title in (None, row.title) and at - row.heard_at < HEARD_EVERY


def _group(row: Row[tuple[object, ...]]) -> Group:
    return Group(row.channel_id, row.chat_id, row.title, row.enabled, row.heard_at)


def _drop_oldest(connection: Connection, channel_id: str) -> None:
    """Forget the oldest of those that may go, as many as there are too many."""
    may_go = or_(_GROUP.c.enabled.is_(False), _GROUP.c.gone.is_(True))
    staying = select(func.count()).select_from(_GROUP).where(_in(channel_id), ~may_go)
    room = max(0, MAX_GROUPS - connection.execute(staying).scalar_one())
    kept = select(_GROUP.c.chat_id).where(_in(channel_id), may_go)
    kept = kept.order_by(_GROUP.c.heard_at.desc(), _GROUP.c.chat_id).limit(room)
    connection.execute(delete(_GROUP).where(_in(channel_id), may_go, _GROUP.c.chat_id.not_in(kept)))


# ---- a group moves -------------------------------------------------------------------------------------------------


def _move(tx: Transaction, change: MoveChat) -> bool:
    channel_id, old_id, new_id = change.channel_id, change.old_id, change.new_id
    old = tx.connection.execute(select(_GROUP).where(_is(channel_id, old_id))).one_or_none()
    if old_id == new_id or (old is not None and old.moved_to is not None):
        return False
    if old is not None:
        _move_switch(tx, old, new_id)
    _move_seats(tx.connection, change)
    answers = update(_ANSWER).where(_ANSWER.c.channel_id == channel_id, _ANSWER.c.chat_id == old_id)
    tx.connection.execute(answers.values(chat_id=new_id))
    return True


def _move_switch(tx: Transaction, old: Row[tuple[object, ...]], new_id: str) -> None:
    """On stays on; the old id is remembered for as long as there is room."""
    key = {"channel_id": old.channel_id, "chat_id": new_id}
    news = {"enabled": True} if old.enabled else {}
    new = {**key, "title": old.title, "enabled": old.enabled, "heard_at": tx.at, "gone": False, "moved_to": None}
    insert = insert_into(tx.connection, _GROUP).values(new)
    tx.connection.execute(
        insert.on_conflict_do_update(index_elements=list(key), set_={"heard_at": tx.at, "gone": False, **news})
    )
    gone = update(_GROUP).where(_is(old.channel_id, old.chat_id))
    tx.connection.execute(gone.values(moved_to=new_id, gone=True, heard_at=tx.at))
    _drop_oldest(tx.connection, old.channel_id)


def _move_seats(connection: Connection, change: MoveChat) -> None:
    """People go on where they were; whoever has a seat under the new id already keeps that one."""
    new = select(_SEAT.c.thread, _SEAT.c.person_id)
    new = new.where(_SEAT.c.channel_id == change.channel_id, _SEAT.c.chat_id == change.new_id)
    taken = {tuple(row) for row in connection.execute(new)}
    old = and_(_SEAT.c.channel_id == change.channel_id, _SEAT.c.chat_id == change.old_id)
    for row in connection.execute(select(_SEAT.c.thread, _SEAT.c.person_id).where(old)).all():
        this = and_(old, _SEAT.c.thread == row.thread, _SEAT.c.person_id == row.person_id)
        if tuple(row) in taken:
            connection.execute(delete(_SEAT).where(this))
        else:
            connection.execute(update(_SEAT).where(this).values(chat_id=change.new_id))
