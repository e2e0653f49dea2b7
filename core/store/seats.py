"""Seats: whose conversation a chat message belongs to.

    (none) ──HoldOnSeat──▶ a goal, options or plan mode wait ──TakeSeat──▶ taken ──LeaveSeat──▶ (none)

What is chosen of these before there is a conversation waits on the seat; whoever takes it gets it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, delete, select

from core.options import OptionsChange
from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.statements import insert_into

_SEAT = tables.seat
_KEY = (_SEAT.c.channel_id, _SEAT.c.chat_id, _SEAT.c.thread, _SEAT.c.person_id)
_ONE = select(_SEAT).where(*(column == bindparam(column.name) for column in _KEY))


@dataclass(frozen=True, slots=True)
class Seat:
    """One person's place in one chat. `thread` is empty outside threads."""

    channel_id: str
    chat_id: str
    thread: str
    person_id: str


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """What belongs to a seat."""

    seat: Seat
    chat_kind: str
    conversation_id: str | None = None
    pending_goal: str | None = None
    pending_plan: bool = False
    pending_options: OptionsChange | None = None


@dataclass(frozen=True, slots=True)
class TakeSeat(Change[SeatRecord | None]):
    """From now on the seat's messages belong to this conversation; the result is the seat as it was.

    What waited there is not there any more: it is the taker's to use.
    """

    step: ClassVar[Step] = Step.TAKE_SEAT

    seat: Seat
    conversation_id: str
    chat_kind: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["TakeSeat"]) -> Sequence[SeatRecord | None]:
        """One look and one write each: a seat is taken once per conversation."""
        return [
            _put(
                tx.connection,
                change.seat,
                {
                    "chat_kind": change.chat_kind,
                    "conversation_id": change.conversation_id,
                    "pending_goal": None,
                    "pending_plan": False,
                    "pending_options": None,
                },
            )
            for change in changes
        ]


@dataclass(frozen=True, slots=True)
class HoldOnSeat(Change[None]):
    """Let a goal, plan mode and options wait on a seat until it is taken; they replace what waited there."""

    step: ClassVar[Step] = Step.HOLD_ON_SEAT

    seat: Seat
    chat_kind: str
    goal: str | None
    plan: bool
    options: OptionsChange | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["HoldOnSeat"]) -> Sequence[None]:
        """One write each."""
        for change in changes:
            waits = {
                "chat_kind": change.chat_kind,
                "pending_goal": change.goal,
                "pending_plan": change.plan,
                "pending_options": change.options.model_dump_json(exclude_unset=True) if change.options else None,
            }
            _put(tx.connection, change.seat, waits)
        return [None] * len(changes)


@dataclass(frozen=True, slots=True)
class LeaveSeat(Change[bool]):
    """Forget whose conversation the seat's messages belong to, and what waits there; False when nothing was known."""

    step: ClassVar[Step] = Step.LEAVE_SEAT

    seat: Seat

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["LeaveSeat"]) -> Sequence[bool]:
        """One delete each."""
        return [tx.connection.execute(delete(_SEAT).where(_is(change.seat))).rowcount == 1 for change in changes]


def _put(connection: Connection, seat: Seat, values: dict[str, Any]) -> SeatRecord | None:
    before = _get(connection, seat)
    key = {column.name: getattr(seat, column.name) for column in _KEY}
    waits = {"pending_goal": None, "pending_plan": False, "pending_options": None}
    row = {"conversation_id": None, **waits, **key, **values}
    insert = insert_into(connection, _SEAT).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=_KEY, set_=values))
    return before


def _get(connection: Connection, seat: Seat) -> SeatRecord | None:
    row = connection.execute(_ONE, {column.name: getattr(seat, column.name) for column in _KEY}).one_or_none()
    return None if row is None else _record(row._mapping)


def _is(seat: Seat) -> ColumnElement[bool]:
    return and_(*(column == getattr(seat, column.name) for column in _KEY))


def _record(row: RowMapping) -> SeatRecord:
    seat = Seat(row["channel_id"], row["chat_id"], row["thread"], row["person_id"])
    waits = OptionsChange.model_validate_json(row["pending_options"]) if row["pending_options"] else None
    known = (row["chat_kind"], row["conversation_id"], row["pending_goal"], bool(row["pending_plan"]))
    return SeatRecord(seat, *known, waits)


class Seats:
    """Reads the seats."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, seat: Seat) -> SeatRecord | None:
        """What is known of a seat."""
        return await self._database.peek(lambda connection: _get(connection, seat))

    async def conversation(self, seat: Seat) -> str | None:
        """The conversation that the seat's messages belong to."""
        record = await self.get(seat)
        return record.conversation_id if record else None

    async def of_conversation(self, conversation_id: str) -> tuple[SeatRecord, ...]:
        """The seats that a conversation is reached from."""
        return await self._records(_SEAT.c.conversation_id == conversation_id)

    async def of_person(self, channel_id: str, person_id: str) -> tuple[tuple[Seat, str], ...]:
        """A person's seats that belong to a conversation, and to which."""
        mine = (_SEAT.c.channel_id == channel_id, _SEAT.c.person_id == person_id)
        records = await self._records(*mine, _SEAT.c.conversation_id.is_not(None))
        return tuple((record.seat, record.conversation_id) for record in records if record.conversation_id is not None)

    async def private_chat(self, channel_id: str, person_id: str) -> str | None:
        """The private chat in which a person has a seat; None where they have none."""
        mine = (_SEAT.c.channel_id == channel_id, _SEAT.c.person_id == person_id, _SEAT.c.chat_kind == "private")
        records = await self._records(*mine, _SEAT.c.thread == "")
        return records[0].seat.chat_id if records else None

    async def of_chat(self, channel_id: str, chat_id: str) -> tuple[tuple[Seat, str], ...]:
        """The seats in a chat, threads of it too, that belong to a conversation, and to which."""
        here = (_SEAT.c.channel_id == channel_id, _SEAT.c.chat_id == chat_id)
        records = await self._records(*here, _SEAT.c.conversation_id.is_not(None))
        return tuple((record.seat, record.conversation_id) for record in records if record.conversation_id is not None)

    async def _records(self, *where: ColumnElement[bool]) -> tuple[SeatRecord, ...]:
        query = select(_SEAT).where(*where).order_by(*_KEY)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_record(row._mapping) for row in rows)
