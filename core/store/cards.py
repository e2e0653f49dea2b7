"""Cards where they stand in chats: one row per question, permission, plan or offer that somebody is shown.

    open ──FillCard, RenewCard──▶ open
     └──CloseCards──▶ closed, with a note of what was decided

What a card says is drawn from the event at `seq` and the `draft`; nothing of it is repeated here. Who answered first is
decided by the log, not here. `version` grows with every change of what is to be seen, and `redraw_at` is the time from
which the app should show it; None once it does. Only a token's hash is here.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

from sqlalchemy import Row, Select, and_, bindparam, func, select, text, update

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.moments import Moment

_CARD = tables.card

NEWEST: Final = 20
"""Cards of one person in one chat that are looked at; a turn waits for a few at most."""


class CardKind(StrEnum):
    """What a card is about."""

    QUESTION = "question"
    PERMISSION = "permission"
    PLAN = "plan"
    """The checklist of a turn: nobody answers it."""
    OFFER = "offer"
    """It outlives its turn, and is over when something newer is said."""


@dataclass(frozen=True, slots=True)
class CardPlace:
    """Where a card stands, and who may answer it. `thread` is empty outside threads.

    `behalf` says for whom it is asked (“the group “Team””), where its turn answers in another chat.
    """

    channel_id: str
    chat_id: str
    chat_kind: str
    thread: str
    person_id: str
    behalf: str | None = None


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A card that is known. `place` as it was opened; `draft` is JSON text whose shape only the drawer knows."""

    id: int
    handle: str
    token_hash: str
    key: str
    conversation_id: str
    turn_seq: int
    seq: int
    kind: CardKind
    ref: str
    place: CardPlace
    draft: str
    press: str | None
    version: int
    open: bool
    note: str | None
    message_id: str | None
    created_at: datetime


# ---- writing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenCard(Change[bool]):
    """Show a card, in the message that has this key in the outbox; False when that was done before.

    `redraw_at` is when it looks different by itself.
    """

    step: ClassVar[Step] = Step.OPEN_CARD

    handle: str
    token_hash: str
    key: str
    conversation_id: str
    turn_seq: int
    seq: int
    kind: CardKind
    ref: str
    place: CardPlace
    draft: str
    redraw_at: datetime | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["OpenCard"]) -> Sequence[bool]:
        """A look and an insert each: people are asked rarely."""
        return [_open(tx, change) for change in changes]


def _open(tx: Transaction, change: OpenCard) -> bool:
    if tx.connection.execute(_OF_KEY, {"its_key": change.key}).first() is not None:
        return False
    row = asdict(change)
    row |= {"kind": change.kind.value, "state": "open", "version": 0, "created_at": tx.at} | row.pop("place")
    tx.connection.execute(_CARD.insert(), row)
    return True


@dataclass(frozen=True, slots=True)
class FillCard(Change[bool]):
    """Somebody filled in more of an open card that was at this version; False when it is not (any more).

    `press` is the update that did it, `key` the message that shows it from now on, `message_id` the app's own of the
    message that was pressed; what is None stays as it was.
    """

    step: ClassVar[Step] = Step.FILL_CARD

    id: int
    version: int
    draft: str
    press: str
    key: str | None = None
    message_id: str | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["FillCard"]) -> Sequence[bool]:
        """One conditional update each."""
        return [_fill(tx, change) for change in changes]


def _fill(tx: Transaction, change: FillCard) -> bool:
    news: dict[str, Any] = {"draft": change.draft, "press": change.press}
    if change.key is not None:  # a new message shows it at once
        news |= {"key": change.key, "message_id": None, "redraw_at": None}
    else:
        news |= {"message_id": change.message_id or _CARD.c.message_id, "redraw_at": tx.at}
    statement = update(_CARD).where(_CARD.c.id == change.id, _CARD.c.version == change.version, _OPEN)
    return tx.connection.execute(statement.values(**news, version=_CARD.c.version + 1)).rowcount == 1


@dataclass(frozen=True, slots=True)
class RememberUpdate(Change[None]):
    """This update is about to answer a card: should it come again, it was no message of its own."""

    step: ClassVar[Step] = Step.REMEMBER_UPDATE

    id: int
    update_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["RememberUpdate"]) -> Sequence[None]:
        """One update each."""
        for change in changes:
            tx.connection.execute(update(_CARD).where(_CARD.c.id == change.id).values(press=change.update_id))
        return [None] * len(changes)


@dataclass(frozen=True, slots=True)
class RenewCard(Change[bool]):
    """An open card draws a newer event from now on; False when it is not open, or draws that one or a newer one."""

    step: ClassVar[Step] = Step.RENEW_CARD

    conversation_id: str
    turn_seq: int
    ref: str
    seq: int

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["RenewCard"]) -> Sequence[bool]:
        """One conditional update each."""
        return [_renew(tx, change) for change in changes]


def _renew(tx: Transaction, change: RenewCard) -> bool:
    theirs = and_(
        _CARD.c.conversation_id == change.conversation_id,
        _CARD.c.turn_seq == change.turn_seq,
        _CARD.c.ref == change.ref,
    )
    statement = update(_CARD).where(theirs, _CARD.c.seq < change.seq, _OPEN)
    statement = statement.values(seq=change.seq, version=_CARD.c.version + 1, redraw_at=tx.at)
    return tx.connection.execute(statement).rowcount == 1


@dataclass(frozen=True, slots=True)
class CloseCards(Change[int]):
    """Nobody can answer these any more: the open card of this `ref`, or all of the turn that end with it.

    The result is how many there were. `note` says in plain words what was decided; None where nothing is to be said.
    The card in the message with the key `but` stays open.
    """

    step: ClassVar[Step] = Step.CLOSE_CARDS

    conversation_id: str
    note: str | None
    ref: str | None = None
    turn_seq: int | None = None
    but: str | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["CloseCards"]) -> Sequence[int]:
        """One update each, in their order."""
        return [_close(tx, change) for change in changes]


def _close(tx: Transaction, change: CloseCards) -> int:
    statement = update(_CARD).where(_CARD.c.conversation_id == change.conversation_id, _OPEN)
    if change.ref is not None:
        statement = statement.where(_CARD.c.ref == change.ref)
    if change.turn_seq is not None:
        statement = statement.where(_CARD.c.turn_seq == change.turn_seq, _CARD.c.kind != CardKind.OFFER.value)
    if change.but is not None:
        statement = statement.where(_CARD.c.key != change.but)
    news = {"state": "closed", "note": change.note, "version": _CARD.c.version + 1, "redraw_at": tx.at}
    return tx.connection.execute(statement.values(news)).rowcount


@dataclass(frozen=True, slots=True)
class Redrawn(Change[bool]):
    """The app shows a card as it was at this version, or nobody tries again before `again_at`; False: it changed."""

    step: ClassVar[Step] = Step.REDRAWN

    id: int
    version: int
    again_at: datetime | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Redrawn"]) -> Sequence[bool]:
        """One conditional update each."""
        return [_redrawn(tx, change) for change in changes]


def _redrawn(tx: Transaction, change: Redrawn) -> bool:
    statement = update(_CARD).where(_CARD.c.id == change.id, _CARD.c.version == change.version)
    return tx.connection.execute(statement.values(redraw_at=change.again_at)).rowcount == 1


_OPEN = _CARD.c.state == "open"
_OF_KEY = select(_CARD.c.id).where(_CARD.c.key == bindparam("its_key"))


# ---- reading -------------------------------------------------------------------------------------------------------


class CardRows:
    """Reads the cards."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_handle(self, handle: str) -> CardRecord | None:
        """The card whose buttons carry this handle."""
        found = await self._records(select(_CARD).where(_CARD.c.handle == handle))
        return found[0] if found else None

    async def of_key(self, key: str) -> CardRecord | None:
        """The card that stands in the message with this key in the outbox."""
        found = await self._records(select(_CARD).where(_CARD.c.key == key))
        return found[0] if found else None

    async def lately(self, channel_id: str, chat_id: str, thread: str, person_id: str) -> tuple[CardRecord, ...]:
        """What a person could answer in a chat, open or closed: the newest 20, newest first."""
        given = {"channel_id": channel_id, "chat_id": chat_id, "thread": thread, "person_id": person_id}
        return await self._database.peek(
            lambda connection: tuple(map(_record, connection.execute(_LATELY, given).all()))
        )

    async def of_ref(self, conversation_id: str, ref: str) -> CardRecord | None:
        """The newest card of this ref, open or closed."""
        theirs = (_CARD.c.conversation_id == conversation_id, _CARD.c.ref == ref)
        found = await self._records(select(_CARD).where(*theirs).order_by(_CARD.c.id.desc()).limit(1))
        return found[0] if found else None

    async def to_redraw(self, channel_ids: Collection[str], now: datetime, limit: int = 100) -> tuple[CardRecord, ...]:
        """Those of these channels that should be shown anew by now, the longest overdue first."""
        due = (_SOME, _CARD.c.redraw_at <= bindparam("now", type_=Moment))
        query = select(_CARD).where(*due).order_by(_CARD.c.redraw_at).limit(limit)
        return await self._records(query, {"channels": list(channel_ids), "now": now})

    async def next_redraw(self, channel_ids: Collection[str]) -> datetime | None:
        """When the next time comes; None when nothing waits for it."""
        query, given = select(func.min(_CARD.c.redraw_at)).where(_SOME), {"channels": list(channel_ids)}
        return await self._database.read(lambda connection: connection.execute(query, given).scalar())

    async def _records(self, query: Select[Any], given: dict[str, Any] | None = None) -> tuple[CardRecord, ...]:
        rows = await self._database.read(lambda connection: connection.execute(query, given or {}).all())
        return tuple(map(_record, rows))


_LATELY = (
    select(_CARD)
    .where(*(_CARD.c[name] == bindparam(name) for name in ("channel_id", "chat_id", "thread", "person_id")))
    .where(_CARD.c.kind != CardKind.PLAN.value)
    .order_by(_CARD.c.id.desc())
    .limit(NEWEST)
)
_SOME = and_(text(tables.TO_REDRAW), _CARD.c.channel_id.in_(bindparam("channels", expanding=True)))


def _record(row: Row[Any]) -> CardRecord:
    fields = row._mapping
    return CardRecord(
        place=CardPlace(*(fields[name] for name in CardPlace.__slots__)),
        kind=CardKind(row.kind),
        open=row.state == "open",
        **{name: fields[name] for name in CardRecord.__slots__ if name not in ("place", "kind", "open")},
    )
