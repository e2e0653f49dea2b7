"""The outbox: everything that is said in a chat app, one row per part, written before it is tried.

    pending ──Claim──▶ sending ──Delivered──▶ delivered
     ▲ ▲ │               │ │└───Unknown──▶ unknown ──Delivered──▶ delivered
     │ │ └─Expired       │ │                  └─────Failed──▶ failed
     │ │   ▼             │ └────Failed──▶ failed
     │ │ expired         │
     │ └─────────────────┘ Retry, with a time before which it is not tried again
     └── Resend, from unknown, failed or expired; Dropped leads from there to `dropped`

What its owner tries at once is posted as `sending` already.

Every transition is one conditional statement; one that comes too late changes nothing and says so. A receipt is a fact:
`Delivered` is taken from any state in which the message could go out again, so that it does not. `owner` is one life of
one process: when it is gone, what it was sending may have been taken or not. When which transition is due is decided
where sending happens, not here.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Self

from sqlalchemy import Row, Select, func, or_, select, text, update

from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.moments import to_stored
from core.store.statements import InsertNew
from core.store.transitions import Transition, Way

_OUTBOX = tables.outbox


class Kind(StrEnum):
    """What a message is; decides what happens to it when nobody knows whether it arrived."""

    ANSWER = "answer"
    NOTICE = "notice"
    ACTION = "action"


class State(StrEnum):
    """Where a message is on its way."""

    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    UNKNOWN = "unknown"
    FAILED = "failed"
    EXPIRED = "expired"
    DROPPED = "dropped"
    """A person decided that it stays unsent."""


class FailureClass(StrEnum):
    """Why a message will never be taken; the words of `core.errors.RefusedReason`."""

    AUTH = "auth"
    GONE = "gone"
    BAD_PAYLOAD = "bad-payload"
    FORBIDDEN = "forbidden"


# ---- posting -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Post(Change[int | None]):
    """Say one part of a reply; the result is its id, or None when this part of this key was posted before.

    `part` counts from 0, `of` is how many the reply has. `body` is JSON text whose shape only the sender knows. With an
    `owner` it is claimed in the same moment, until the lease is over.
    """

    step: ClassVar[Step] = Step.POST

    key: str
    part: int
    of: int
    channel_id: str
    chat_id: str
    chat_kind: str
    thread: str | None
    body: str
    kind: Kind
    owner: str | None = None
    lease_until: datetime | None = None

    @property
    def state(self) -> State:
        """The first one of its row."""
        return State.PENDING if self.owner is None else State.SENDING

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Post"]) -> Sequence[int | None]:
        """One insert of what is not there yet."""
        new = _POST.run(tx.connection, [_new_row(change, to_stored(tx.at)) for change in changes])
        ids = {(row.key, row.part): row.id for row in new}
        return [ids.pop((change.key, change.part), None) for change in changes]


_MESSAGE = ("key", "part", "of", "channel_id", "chat_id", "chat_kind", "thread", "body", "kind")
_POST = InsertNew(
    _OUTBOX,
    (*_MESSAGE, "state", "owner", "lease_until", "attempts", "resends", "posted_at", "changed_at"),
    returning=["id", "key", "part"],
)


def _new_row(post: Post, at: int) -> tuple[object, ...]:
    chat = (post.channel_id, post.chat_id, post.chat_kind, post.thread or "")
    lease_until = None if post.lease_until is None else to_stored(post.lease_until)
    first = (post.state.value, post.owner, lease_until, 0, 0, at, at)
    return (post.key, post.part, post.of, *chat, post.body, post.kind.value, *first)


# ---- transitions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim(Transition):
    """The owner tries to send it now, until the lease is over."""

    step: ClassVar[Step] = Step.CLAIM
    way: ClassVar[Way] = Way(_OUTBOX, (State.PENDING,), State.SENDING, "owner", "lease_until")

    owner: str
    lease_until: datetime

    def values(self) -> tuple[object, ...]:
        """Who, and how long."""
        return self.owner, to_stored(self.lease_until)


@dataclass(frozen=True, slots=True)
class Delivered(Transition):
    """The app took it; `message_id` is the app's own. False when a receipt was stored before."""

    step: ClassVar[Step] = Step.DELIVERED
    way: ClassVar[Way] = Way(
        _OUTBOX,
        (State.SENDING, State.UNKNOWN, State.PENDING),
        State.DELIVERED,
        "message_id",
        error=None,
        owner=None,
        lease_until=None,
    )

    message_id: str

    def values(self) -> tuple[object, ...]:
        """The receipt."""
        return (self.message_id,)


@dataclass(frozen=True, slots=True)
class Unknown(Transition):
    """No receipt came, or the owner is gone: it was taken or not."""

    step: ClassVar[Step] = Step.UNKNOWN
    way: ClassVar[Way] = Way(_OUTBOX, (State.SENDING,), State.UNKNOWN, "error", owner=None, lease_until=None)

    error: str

    def values(self) -> tuple[object, ...]:
        """Why nobody knows."""
        return (self.error,)


@dataclass(frozen=True, slots=True)
class Failed(Transition):
    """The app will never take it."""

    step: ClassVar[Step] = Step.FAILED
    way: ClassVar[Way] = Way(
        _OUTBOX, (State.SENDING, State.UNKNOWN), State.FAILED, "error_class", "error", owner=None, lease_until=None
    )

    error_class: FailureClass
    error: str

    def values(self) -> tuple[object, ...]:
        """Why."""
        return self.error_class.value, self.error


@dataclass(frozen=True, slots=True)
class Retry(Transition):
    """It was surely not taken; nobody tries again before `not_before`. `error` says what was wrong."""

    step: ClassVar[Step] = Step.RETRY
    way: ClassVar[Way] = Way(
        _OUTBOX,
        (State.SENDING,),
        State.PENDING,
        "not_before",
        "error",
        attempts=_OUTBOX.c.attempts + 1,
        owner=None,
        lease_until=None,
    )

    not_before: datetime
    error: str | None = None

    def values(self) -> tuple[object, ...]:
        """When, and what was wrong."""
        return to_stored(self.not_before), self.error


@dataclass(frozen=True, slots=True)
class Expired(Transition):
    """It is too old to be said."""

    step: ClassVar[Step] = Step.EXPIRED
    way: ClassVar[Way] = Way(_OUTBOX, (State.PENDING,), State.EXPIRED)


@dataclass(frozen=True, slots=True)
class Dropped(Transition):
    """A person does not want it sent any more."""

    step: ClassVar[Step] = Step.DROPPED
    way: ClassVar[Way] = Way(_OUTBOX, (State.UNKNOWN, State.FAILED, State.EXPIRED), State.DROPPED)


@dataclass(frozen=True, slots=True)
class Resend(Change[bool]):
    """Send it again, though it may have been taken, was refused or is old.

    With `at_most`, only while it was sent again fewer times than that. Without, a person wants it, so its age counts
    from now.
    """

    step: ClassVar[Step] = Step.RESEND

    id: int
    at_most: int | None = None

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Resend"]) -> Sequence[bool]:
        """One conditional update each: it is rare."""
        return [_resend(tx, change) for change in changes]


def _resend(tx: Transaction, change: Resend) -> bool:
    statement = update(_OUTBOX).where(_OUTBOX.c.id == change.id, text(tables.IN_TROUBLE))
    statement = statement.values(
        state=State.PENDING.value, resends=_OUTBOX.c.resends + 1, not_before=None, error_class=None, changed_at=tx.at
    )
    if change.at_most is None:
        statement = statement.values(posted_at=tx.at)
    else:
        statement = statement.where(_OUTBOX.c.resends < change.at_most)
    return tx.connection.execute(statement).rowcount == 1


# ---- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Letter:
    """A row of the outbox, for whoever sends or shows it. `body` is the JSON text of its `Post`."""

    id: int
    key: str
    part: int
    of: int
    channel_id: str
    chat_id: str
    chat_kind: str
    thread: str | None
    kind: Kind
    body: str
    state: State
    posted_at: datetime
    attempts: int = 0
    resends: int = 0
    not_before: datetime | None = None
    owner: str | None = None
    lease_until: datetime | None = None
    message_id: str | None = None
    error_class: FailureClass | None = None
    error: str | None = None

    @classmethod
    def posted(cls, id_: int, post: Post, at: datetime) -> Self:
        """The letter of a post that was stored just now."""
        return cls(
            id=id_,
            key=post.key,
            part=post.part,
            of=post.of,
            channel_id=post.channel_id,
            chat_id=post.chat_id,
            chat_kind=post.chat_kind,
            thread=post.thread,
            kind=post.kind,
            body=post.body,
            state=post.state,
            posted_at=at,
            owner=post.owner,
            lease_until=post.lease_until,
        )

    @property
    def created_at(self) -> datetime:
        """When it was posted, or when a person wanted it sent again: its age counts from there."""
        return self.posted_at

    @property
    def sending(self) -> bool:
        """Somebody tries it, or tried it when they came to their end."""
        return self.state is State.SENDING


_COLUMNS = tuple(_OUTBOX.c[name] for name in Letter.__slots__)


class OutboxRows:
    """Reads the outbox."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unfinished(self, channel_id: str) -> tuple[Letter, ...]:
        """What is pending or being sent, in the order of posting."""
        return await self._letters(
            select(*_COLUMNS).where(text(tables.ON_THE_WAY), _OUTBOX.c.channel_id == channel_id).order_by(_OUTBOX.c.id)
        )

    async def abandoned(self, alive: Collection[str], now: datetime) -> tuple[Letter, ...]:
        """What is being sent by an owner who is not alive, or whose lease is over."""
        gone = or_(_OUTBOX.c.owner.not_in(alive), _OUTBOX.c.lease_until < now)
        return await self._letters(
            select(*_COLUMNS)
            .where(text(tables.ON_THE_WAY), _OUTBOX.c.state == State.SENDING.value, gone)
            .order_by(_OUTBOX.c.id)
        )

    async def get(self, id_: int) -> Letter | None:
        """One row."""
        found = await self._letters(select(*_COLUMNS).where(_OUTBOX.c.id == id_))
        return found[0] if found else None

    async def of_key(self, key: str) -> tuple[Letter, ...]:
        """The parts of one reply, in order."""
        return await self._letters(select(*_COLUMNS).where(_OUTBOX.c.key == key).order_by(_OUTBOX.c.part))

    async def key_in_group(self, channel_id: str, chat_id: str, message_id: str) -> str | None:
        """The key of the reply that a message in a group belongs to, by the app's own id of it."""
        query = select(_OUTBOX.c.key).where(
            text(tables.IN_GROUPS),
            _OUTBOX.c.channel_id == channel_id,
            _OUTBOX.c.chat_id == chat_id,
            _OUTBOX.c.message_id == message_id,
        )
        return await self._database.read(lambda connection: connection.execute(query.limit(1)).scalar())

    async def in_trouble(self, limit: int, before: int | None = None) -> tuple[Letter, ...]:
        """What did not go well (unknown, failed, expired), newest first; the next page is `before` the last id."""
        query = select(*_COLUMNS).where(text(tables.IN_TROUBLE)).order_by(_OUTBOX.c.id.desc()).limit(limit)
        return await self._letters(query if before is None else query.where(_OUTBOX.c.id < before))

    async def counts(self) -> Mapping[State, int]:
        """How many there are in each state but `delivered` and `dropped`, which nobody needs to act on."""
        await_or_act = or_(text(tables.ON_THE_WAY), text(tables.IN_TROUBLE))
        query = select(_OUTBOX.c.state, func.count()).where(await_or_act).group_by(_OUTBOX.c.state)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return {State(state): count for state, count in rows}

    async def _letters(self, query: Select[Any]) -> tuple[Letter, ...]:
        return await self._database.read(lambda connection: tuple(_letter(row) for row in connection.execute(query)))


def _letter(row: Row[Any]) -> Letter:
    fields = {
        **row._mapping,
        "thread": row.thread or None,
        "kind": Kind(row.kind),
        "state": State(row.state),
        "error_class": FailureClass(row.error_class) if row.error_class else None,
    }
    return Letter(**fields)
