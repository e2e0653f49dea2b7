"""Actions under a message: one row per set of buttons that belong together.

    open ──ClaimActions──▶ used
     ├── a newer set, CloseActions ──▶ replaced
     └── its time is over ──▶ expired, which nobody has to write: `expires_at` says so

One press uses up the whole set, by one conditional statement: of many presses at once, in however many processes, one
gets it. The same press again (its update was not seen through when the program ended) gets it again.

Beside that stands until when the buttons are seen. `fade_at` is the time from which they should be taken away: when the
set expires, or at once when it was used or replaced; None once they are gone. Only a token's hash is here.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

from sqlalchemy import ColumnElement, Row, and_, or_, select, text, update

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.seats import Seat

MOST_OF_SEAT: Final = 20
"""Open sets of one person in one chat; the oldest is replaced first."""

MOST_OF_CHANNEL: Final = 20_000
"""Open sets of one bot."""

_SET = tables.action_set
_OPEN = text(tables.ON_OFFER)


class State(StrEnum):
    """What became of a set."""

    OPEN = "open"
    USED = "used"
    REPLACED = "replaced"


# ---- writing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OfferActions(Change[bool]):
    """Put actions under the message that has this key in the outbox; False when that was done before.

    `actions` is JSON text whose shape only the offerer knows. The seat's and the channel's oldest sets give way.
    """

    step: ClassVar[Step] = Step.OFFER_ACTIONS

    seat: Seat
    key: str
    token_hash: str
    actions: str
    expires_at: datetime

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["OfferActions"]) -> Sequence[bool]:
        """One look and a few writes each: few messages have buttons."""
        return [_offer(tx, change) for change in changes]


def _offer(tx: Transaction, change: OfferActions) -> bool:
    if tx.connection.execute(select(_SET.c.id).where(_SET.c.key == change.key)).first() is not None:
        return False
    tx.connection.execute(
        _SET.insert().values(
            key=change.key,
            token_hash=change.token_hash,
            actions=change.actions,
            state=State.OPEN.value,
            expires_at=change.expires_at,
            fade_at=change.expires_at,
            **_place(change.seat),
        )
    )
    _keep_newest(tx, _of_seat(change.seat), MOST_OF_SEAT)
    _keep_newest(tx, _SET.c.channel_id == change.seat.channel_id, MOST_OF_CHANNEL)
    return True


def _keep_newest(tx: Transaction, whose: ColumnElement[bool], count: int) -> None:
    beyond = select(_SET.c.id).where(whose, _OPEN).order_by(_SET.c.id.desc()).limit(1).offset(count).scalar_subquery()
    _replace(tx, and_(whose, _SET.c.id <= beyond))


def _replace(tx: Transaction, which: ColumnElement[bool]) -> int:
    statement = update(_SET).where(which, _OPEN).values(state=State.REPLACED.value, fade_at=tx.at)
    return tx.connection.execute(statement).rowcount


@dataclass(frozen=True, slots=True)
class CloseActions(Change[int]):
    """What is open of a person, in one chat or in all of a channel, counts no more; the result is how many it were."""

    step: ClassVar[Step] = Step.CLOSE_ACTIONS

    channel_id: str
    person_id: str
    seat: Seat | None = None

    @classmethod
    def of_seat(cls, seat: Seat) -> "CloseActions":
        """Only what stands in the chat of this seat."""
        return cls(seat.channel_id, seat.person_id, seat)

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["CloseActions"]) -> Sequence[int]:
        """One update each."""
        return [_replace(tx, _whose(change)) for change in changes]


def _whose(change: CloseActions) -> ColumnElement[bool]:
    if change.seat is not None:
        return _of_seat(change.seat)
    return and_(_SET.c.channel_id == change.channel_id, _SET.c.person_id == change.person_id)


class Denied(StrEnum):
    """Why a press gets nothing."""

    FOREIGN = "foreign"
    """It is somebody else's, or stands in another chat; it stays usable for the right one."""
    USED = "used"
    EXPIRED = "expired"
    REPLACED = "replaced"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ClaimActions(Change[str | Denied]):
    """A press: use up the set. The result is its `actions`, or why not.

    `update_id` is the press's own, `message_id` the app's id of the message that it was made under.
    """

    step: ClassVar[Step] = Step.CLAIM_ACTION

    token_hash: str
    seat: Seat
    update_id: str
    message_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["ClaimActions"]) -> Sequence[str | Denied]:
        """One conditional update each; then a look at the row, which also says why there was nothing to update."""
        return [_claim(tx, change) for change in changes]


def _claim(tx: Transaction, change: ClaimActions) -> str | Denied:
    free = and_(_OPEN, _SET.c.expires_at > tx.at)
    mine = and_(_SET.c.state == State.USED.value, _SET.c.press == change.update_id)
    claim = update(_SET).where(_SET.c.token_hash == change.token_hash, _of_seat(change.seat), or_(free, mine))
    claim = claim.values(state=State.USED.value, press=change.update_id, message_id=change.message_id, fade_at=tx.at)
    claimed = tx.connection.execute(claim).rowcount == 1
    row = tx.connection.execute(select(_SET).where(_SET.c.token_hash == change.token_hash)).one_or_none()
    if row is None:
        return Denied.UNKNOWN
    return str(row.actions) if claimed else _why(row, change.seat)


def _why(row: Row[Any], seat: Seat) -> Denied:
    if {name: getattr(row, name) for name in _place(seat)} != _place(seat):
        return Denied.FOREIGN
    if row.state == State.OPEN:
        return Denied.EXPIRED
    return Denied.USED if row.state == State.USED else Denied.REPLACED


@dataclass(frozen=True, slots=True)
class Fade(Change[None]):
    """The buttons of a set are gone, or nobody tries to take them away before `again_at`."""

    step: ClassVar[Step] = Step.FADE_ACTIONS

    id: int
    again_at: datetime | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Fade"]) -> Sequence[None]:
        """One update each."""
        for change in changes:
            tx.connection.execute(update(_SET).where(_SET.c.id == change.id).values(fade_at=change.again_at))
        return [None] * len(changes)


def _place(seat: Seat) -> dict[str, str]:
    return {
        "channel_id": seat.channel_id,
        "chat_id": seat.chat_id,
        "thread": seat.thread,
        "person_id": seat.person_id,
    }


def _of_seat(seat: Seat) -> ColumnElement[bool]:
    return and_(*(_SET.c[name] == value for name, value in _place(seat).items()))


# ---- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FadingSet:
    """A set whose buttons should be gone. `message_id` is the app's own, where a press named it."""

    id: int
    key: str
    channel_id: str
    message_id: str | None
    expires_at: datetime


class ActionRows:
    """Reads which buttons are to be taken away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fading(self, channel_ids: Collection[str], now: datetime, limit: int = 100) -> tuple[FadingSet, ...]:
        """Those of these channels whose time has come, the longest overdue first."""
        columns = (_SET.c[name] for name in FadingSet.__slots__)
        query = select(*columns).where(text(tables.FADING), _SET.c.fade_at <= now, _SET.c.channel_id.in_(channel_ids))
        query = query.order_by(_SET.c.fade_at).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(FadingSet(**row._mapping) for row in rows)

    async def next_fading(self, channel_ids: Collection[str]) -> datetime | None:
        """When the next time comes; None when nothing waits for it."""
        query = select(_SET.c.fade_at).where(text(tables.FADING), _SET.c.channel_id.in_(channel_ids))
        query = query.order_by(_SET.c.fade_at).limit(1)
        return await self._database.read(lambda connection: connection.execute(query).scalar())
