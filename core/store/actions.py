"""Actions under a message: one row per set of buttons that belong together.

    open ──ClaimActions──▶ used
     ├── a newer set, CloseActions ──▶ replaced
     └── its time is over ──▶ expired: `expires_at` says so at once, and Fade writes it down

One press uses up the whole set, by one conditional statement: of many presses at once, in however many processes, one
gets it. The same press again (its update was not seen through when the program ended) gets it again.

Beside that stands until when the buttons are seen. `fade_at` is the time from which they should be taken away: when the
set expires, or at once when it was used or replaced; None once they are gone. Only a token's hash is here.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

from sqlalchemy import ColumnElement, Row, Update, and_, bindparam, case, func, or_, select, text, update

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.moments import Moment
from core.store.seats import Seat

MOST_OF_SEAT: Final = 20
"""Open sets of one person in one chat; the oldest is replaced first."""

MOST_OF_CHANNEL: Final = 20_000
"""Open sets of one bot."""

UNDER_CHIPS: Final = ":chips"
"""How the key of a set of chips ends: before that stands the key of the message that they are under."""

_SET = tables.action_set


class State(StrEnum):
    """What became of a set."""

    OPEN = "open"
    USED = "used"
    REPLACED = "replaced"
    EXPIRED = "expired"


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
    if tx.connection.execute(_KNOWN, {"its_key": change.key}).first() is not None:
        return False
    row = {"key": change.key, "token_hash": change.token_hash, "actions": change.actions, "state": State.OPEN.value}
    times = {"expires_at": change.expires_at, "fade_at": change.expires_at}
    new = tx.connection.execute(_SET.insert(), {**row, **times, **asdict(change.seat)}).inserted_primary_key
    assert new is not None  # noqa: S101 - tells the type checker what an insert of one row has
    theirs = {**_named(change.seat), "now": tx.at}
    tx.connection.execute(_KEEP_OF_SEAT, theirs)
    # Ids only grow: where the oldest open set is not so far behind, there are not too many. That is the usual case, and
    # counting them takes more than a millisecond.
    oldest: int = tx.connection.execute(_OLDEST, theirs).scalar_one()
    if new[0] - oldest >= MOST_OF_CHANNEL:
        tx.connection.execute(_KEEP_OF_CHANNEL, theirs)
    return True


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
        return [_close(tx, change) for change in changes]


def _close(tx: Transaction, change: CloseActions) -> int:
    if change.seat is not None:
        return tx.connection.execute(_CLOSE_OF_SEAT, {**_named(change.seat), "now": tx.at}).rowcount
    whose = {"its_channel_id": change.channel_id, "its_person_id": change.person_id, "now": tx.at}
    return tx.connection.execute(_CLOSE_OF_PERSON, whose).rowcount


@dataclass(frozen=True, slots=True)
class CloseSet(Change[bool]):
    """The set with this key counts no more; False when it did not before."""

    step: ClassVar[Step] = Step.CLOSE_SET

    key: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["CloseSet"]) -> Sequence[bool]:
        """One update each."""
        given = ({"its_key": change.key, "now": tx.at} for change in changes)
        return [tx.connection.execute(_CLOSE_ONE, one).rowcount == 1 for one in given]


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

    `update_id` is the press's own, `message_id` the app's id of the message that it was made under;
    None: it was picked in words.
    """

    step: ClassVar[Step] = Step.CLAIM_ACTION

    token_hash: str
    seat: Seat
    update_id: str
    message_id: str | None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["ClaimActions"]) -> Sequence[str | Denied]:
        """One conditional update each; then a look at the row, which also says why there was nothing to update."""
        return [_claim(tx, change) for change in changes]


def _claim(tx: Transaction, change: ClaimActions) -> str | Denied:
    token, press = {"its_token": change.token_hash}, {"by": change.update_id, "under": change.message_id}
    claimed = tx.connection.execute(_CLAIM, {**token, **press, **_named(change.seat), "now": tx.at}).rowcount == 1
    row = tx.connection.execute(_OF_TOKEN, token).one_or_none()
    if row is None:
        return Denied.UNKNOWN
    return str(row.actions) if claimed else _why(row, change.seat)


def _why(row: Row[Any], seat: Seat) -> Denied:
    if Seat(row.channel_id, row.chat_id, row.thread, row.person_id) != seat:
        return Denied.FOREIGN
    return _DENIED[State(row.state)]


_DENIED = {
    State.USED: Denied.USED,
    State.REPLACED: Denied.REPLACED,
    State.EXPIRED: Denied.EXPIRED,
    State.OPEN: Denied.EXPIRED,  # or it would have been claimed
}


@dataclass(frozen=True, slots=True)
class Fade(Change[None]):
    """The buttons of a set whose time had come are gone, or nobody tries to take them away before `again_at`."""

    step: ClassVar[Step] = Step.FADE_ACTIONS

    id: int
    again_at: datetime | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Fade"]) -> Sequence[None]:
        """One update for all."""
        given = [{"its_id": change.id, "again_at": change.again_at, "now": tx.at} for change in changes]
        tx.connection.execute(_FADE, given)
        return [None] * len(changes)


# ---- statements: made once, because to make one takes longer than to run it ------------------------------------------


def _named(seat: Seat) -> dict[str, str]:
    """A seat as the parameters of a statement."""
    return {f"its_{name}": value for name, value in asdict(seat).items()}


def _is(*names: str) -> ColumnElement[bool]:
    """Rows with the given values in these columns."""
    return and_(*(_SET.c[name] == bindparam(f"its_{name}") for name in names))


def _replacing(whose: ColumnElement[bool]) -> Update:
    return update(_SET).where(whose, _OPEN).values(state=State.REPLACED.value, fade_at=bindparam("now"))


def _keeping(whose: ColumnElement[bool], most: int) -> Update:
    """Replaces all but the newest open ones."""
    newest = select(_SET.c.id).where(whose, _OPEN).order_by(_SET.c.id.desc())
    return _replacing(and_(whose, _SET.c.id <= newest.limit(1).offset(most).scalar_subquery()))


_OPEN = text(tables.ON_OFFER)
_OF_SEAT = _is(*Seat.__slots__)
_OF_CHANNEL = _is("channel_id")

_KNOWN = select(_SET.c.id).where(_is("key"))
_OLDEST = select(func.min(_SET.c.id)).where(_OF_CHANNEL, _OPEN)
_KEEP_OF_SEAT = _keeping(_OF_SEAT, MOST_OF_SEAT)
_KEEP_OF_CHANNEL = _keeping(_OF_CHANNEL, MOST_OF_CHANNEL)
_CLOSE_OF_SEAT = _replacing(_OF_SEAT)
_CLOSE_ONE = _replacing(_is("key"))
_CLOSE_OF_PERSON = _replacing(_is("channel_id", "person_id"))

_TOKEN = _SET.c.token_hash == bindparam("its_token")
_FREE = and_(_OPEN, _SET.c.expires_at > bindparam("now", type_=Moment))
_MINE = and_(_SET.c.state == State.USED.value, _SET.c.press == bindparam("by"))
_CLAIM = (
    update(_SET)
    .where(_TOKEN, _OF_SEAT, or_(_FREE, _MINE))
    .values(
        state=State.USED.value,
        press=bindparam("by"),
        message_id=bindparam("under"),
        fade_at=bindparam("now", type_=Moment),
    )
)
_OF_TOKEN = select(_SET).where(_TOKEN)

_OVER = and_(_OPEN, _SET.c.expires_at <= bindparam("now", type_=Moment))
_FADE = (
    update(_SET)
    .where(_is("id"))
    .values(
        fade_at=bindparam("again_at"),
        state=case((_OVER, State.EXPIRED.value), else_=_SET.c.state),
    )
)


# ---- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FadingSet:
    """A set whose buttons should be gone. `message_id` is the app's own, where a press named it."""

    id: int
    key: str
    channel_id: str
    message_id: str | None
    expires_at: datetime

    @property
    def under(self) -> str:
        """The key of the message that the buttons stand under."""
        return self.key.removesuffix(UNDER_CHIPS)


@dataclass(frozen=True, slots=True)
class WaitingSet:
    """A set that can be claimed."""

    token_hash: str
    key: str
    actions: str
    expires_at: datetime


class ActionRows:
    """Reads which sets wait, and which buttons are to be taken away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, seat: Seat, now: datetime, update_id: str, limit: int) -> tuple[WaitingSet, ...]:
        """What a seat can claim, newest first; what this update claimed before is among it."""
        given = {**_named(seat), "now": now, "by": update_id, "most": limit}
        rows = await self._database.peek(lambda connection: connection.execute(_WAITING, given).all())
        return tuple(WaitingSet(**row._mapping) for row in rows)

    async def is_open(self, token_hash: str, now: datetime) -> bool:
        """Whether a set can still be claimed."""
        given = {"its_token": token_hash, "now": now}
        return await self._database.peek(lambda connection: connection.execute(_STANDS, given).first() is not None)

    async def open_under(self, suffix: str) -> tuple[str, ...]:
        """The keys with this end (`UNDER_CHIPS`) whose buttons stand, oldest first."""
        given = {"suffix": f"%{suffix}"}
        return await self._database.read(lambda connection: tuple(connection.execute(_UNDER, given).scalars()))

    async def fading(self, channel_ids: Collection[str], now: datetime, limit: int = 100) -> tuple[FadingSet, ...]:
        """Those of these channels whose time has come, the longest overdue first."""
        given = {"channels": list(channel_ids), "now": now, "most": limit}
        rows = await self._database.read(lambda connection: connection.execute(_FADING, given).all())
        return tuple(FadingSet(**row._mapping) for row in rows)

    async def next_fading(self, channel_ids: Collection[str]) -> datetime | None:
        """When the next time comes; None when nothing waits for it."""
        given = {"channels": list(channel_ids)}
        return await self._database.read(lambda connection: connection.execute(_NEXT_FADING, given).scalar())


_WAITING = (
    select(*(_SET.c[name] for name in WaitingSet.__slots__))
    .where(_OF_SEAT, or_(_FREE, _MINE))
    .order_by(_SET.c.id.desc())
    .limit(bindparam("most"))
)
_STANDS = select(_SET.c.id).where(_TOKEN, _FREE)
_UNDER = select(_SET.c.key).where(_OPEN, _SET.c.key.like(bindparam("suffix"))).order_by(_SET.c.id)
_SOME = and_(text(tables.FADING), _SET.c.channel_id.in_(bindparam("channels", expanding=True)))
_FADING = (
    select(*(_SET.c[name] for name in FadingSet.__slots__))
    .where(_SOME, _SET.c.fade_at <= bindparam("now"))
    .order_by(_SET.c.fade_at)
    .limit(bindparam("most"))
)
_NEXT_FADING = select(_SET.c.fade_at).where(_SOME).order_by(_SET.c.fade_at).limit(1)
