"""The event log: append-only, one gap-free sequence per conversation, with the fold of each conversation beside it.

A conversation begins to exist with its first append. Its row caches `ConversationState` and a few columns for lists,
written in the transaction of the events; `EventLog.rebuild` computes the same from the events alone. `relayed_seq` says
up to where the log was turned into messages of a chat app, and only moves forward.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, ClassVar, Protocol

from pydantic import ValidationError
from sqlalchemy import Column, Connection, Row, bindparam, select, text, tuple_

from core.events import Event, EventData, Status, decode, encode
from core.projections import ConversationState, advance, fold
from core.store import client_ids, tables
from core.store.changes import Change, Step, Transaction
from core.store.client_ids import AlreadySent as AlreadySent
from core.store.database import Database
from core.store.moments import to_stored
from core.store.statements import FindRows, InsertRows, UpdateRows

_EVENT = tables.event
_CONVERSATION = tables.conversation

_EVENT_COLUMNS = ("conversation_id", "seq", "at", "type", "data")
_INSERT_EVENTS = InsertRows(_EVENT, *_EVENT_COLUMNS)

_FOLD_COLUMNS = ("last_seq", "turn_seq", "status", "title", "updated_at", "state")
_INSERT_CONVERSATIONS = InsertRows(_CONVERSATION, *_FOLD_COLUMNS, "id", "relayed_seq", "created_at")
_UPDATE_FOLDS = UpdateRows(_CONVERSATION, "id", _FOLD_COLUMNS)
_UPDATE_SEQS = UpdateRows(_CONVERSATION, "id", ["last_seq"])
_UPDATE_RELAYED = UpdateRows(_CONVERSATION, "id", ["relayed_seq"], growing="relayed_seq")
_FIND_STATES = FindRows(_CONVERSATION, ["id"], ["id", "last_seq", "state"])


# ---- writing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Append(Change[tuple[Event, ...] | AlreadySent]):
    """Add events to a conversation, in this order, with nothing between them.

    When the conversation has accepted any of `client_ids` before, nothing is added. Messages that come out of the queue
    were accepted when they went in: they bring no client ids.
    """

    step: ClassVar[Step] = Step.APPEND

    conversation_id: str
    data: tuple[EventData, ...]
    client_ids: tuple[str, ...] = ()

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Append"]) -> Sequence[tuple[Event, ...] | AlreadySent]:
        """Write the conversations' rows, then the events."""
        refused = _accept(tx, changes)
        before = _load(tx, {change.conversation_id for change in changes})
        states = dict(before)
        results: list[tuple[Event, ...] | AlreadySent] = []
        for change, sent in zip(changes, refused, strict=True):
            results.append(sent or _extend(states, change, tx.at))
        events = [event for result in results if isinstance(result, tuple) for event in result]
        _write_conversations(tx, before, states)
        at = to_stored(tx.at)
        _INSERT_EVENTS.run(
            tx.connection,
            [(event.conversation_id, event.seq, at, event.data.type, encode(event.data)) for event in events],
        )
        tx.events += events
        return results


class Decision(Protocol):
    """Something decided about a conversation, as data. What there is to decide is in `core.decisions`."""

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """What it adds to a conversation that is so; nothing where it changes nothing. Pure, and never raises."""
        ...


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision came to. `before` is the conversation as it found it.

    `again`: it was decided before, by the same client id, and nothing was added now.
    """

    before: ConversationState
    events: tuple[Event, ...] = ()
    again: bool = False

    @property
    def after(self) -> ConversationState:
        """The conversation as it is now."""
        return reduce(advance, self.events, self.before)


@dataclass(frozen=True, slots=True)
class Decide(Change[Decided]):
    """Add what a decision makes of the conversation as it is in this very transaction.

    A client id that the conversation accepted before decides nothing again. It is remembered also where the decision
    adds nothing, unless `spares_id`: then the words that it belongs to can still become something else.
    """

    step: ClassVar[Step] = Step.DECIDE

    conversation_id: str
    decision: Decision
    client_id: str | None = None
    spares_id: bool = False

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Decide"]) -> Sequence[Decided]:
        """One after the other: each sees what the one before it added. People decide rarely."""
        return [_decide(tx, change) for change in changes]


def _decide(tx: Transaction, change: Decide) -> Decided:
    conversation_id = change.conversation_id
    before = _load(tx, (conversation_id,)).get(conversation_id) or ConversationState()
    ids = (change.client_id,) if change.client_id is not None else ()
    data = change.decision.events(before)
    if change.spares_id and not data:
        return Decided(before, again=bool(client_ids.known(tx, [(conversation_id, known) for known in ids])))
    [events] = Append.apply_many(tx, [Append(conversation_id, data, ids)])
    return Decided(before, again=True) if isinstance(events, AlreadySent) else Decided(before, events)


@dataclass(frozen=True, slots=True)
class Relayed(Change[None]):
    """The log up to and with `seq` was turned into messages; an earlier seq than the known one changes nothing."""

    step: ClassVar[Step] = Step.RELAYED

    conversation_id: str
    seq: int

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Relayed"]) -> Sequence[None]:
        """One conditional update each."""
        _UPDATE_RELAYED.run(tx.connection, [(change.seq, change.conversation_id) for change in changes])
        return [None] * len(changes)


def _accept(tx: Transaction, changes: Sequence[Append]) -> list[AlreadySent | None]:
    """Which changes were sent before; the client ids of the others are remembered."""
    ids = [(change.conversation_id, client_id) for change in changes for client_id in change.client_ids]
    if not ids:
        return [None] * len(changes)
    seen = client_ids.known(tx, ids)
    new: dict[client_ids.ClientId, None] = {}
    refused: list[AlreadySent | None] = []
    for change in changes:
        mine = [(change.conversation_id, client_id) for client_id in change.client_ids]
        sent = tuple(one[1] for one in mine if one in seen or one in new)
        refused.append(AlreadySent(sent) if sent else None)
        if not sent:
            new.update(dict.fromkeys(mine))
    client_ids.remember(tx, new)
    return refused


def _load(tx: Transaction, conversation_ids: Iterable[str]) -> dict[str, ConversationState]:
    """The states before the append; a conversation that does not exist yet has none."""
    states: dict[str, ConversationState] = {}
    unknown: list[tuple[str]] = []
    for conversation_id in conversation_ids:
        state = tx.states.get(conversation_id)
        if state is None:
            unknown.append((conversation_id,))
        else:
            states[conversation_id] = state
    for row in _FIND_STATES.run(tx.connection, unknown):
        states[row.id] = _state(tx.connection, row.id, row.last_seq, row.state)
    return states


def _extend(states: dict[str, ConversationState], change: Append, at: datetime) -> tuple[Event, ...]:
    conversation_id = change.conversation_id
    state = states.get(conversation_id) or ConversationState()
    events: list[Event] = []
    for data in change.data:
        event = Event(conversation_id, state.last_seq + 1, at, data)
        state = advance(state, event)
        events.append(event)
    if events:
        states[conversation_id] = state
    return tuple(events)


def _write_conversations(
    tx: Transaction, before: Mapping[str, ConversationState], after: Mapping[str, ConversationState]
) -> None:
    at = to_stored(tx.at)
    new, changed, longer = [], [], []
    for conversation_id, state in after.items():
        old = before.get(conversation_id)
        if old is state:
            continue
        if old is not None and _only_longer(old, state):
            longer.append((state.last_seq, conversation_id))
        else:
            shown = (state.last_seq, state.turn_seq, state.status.value, _title(state), at, _cached(state))
            if old is None:
                new.append((*shown, conversation_id, -1, at))
            else:
                changed.append((*shown, conversation_id))
        tx.states.put(conversation_id, state)
    _INSERT_CONVERSATIONS.run(tx.connection, new)
    _UPDATE_FOLDS.run(tx.connection, changed)
    _UPDATE_SEQS.run(tx.connection, longer)


def _title(state: ConversationState) -> str | None:
    """The title as lists show it: PostgreSQL keeps no NUL."""
    return None if state.title is None else state.title.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _only_longer(old: ConversationState, new: ConversationState) -> bool:
    """Whether nothing but `last_seq` differs. Quick, because a fold keeps what it does not change.

    Most events are so, and not to write the fold again saves 8 of the 33 µs that an append takes.
    """
    return {**old.__dict__, "last_seq": new.last_seq} == new.__dict__


def _cached(state: ConversationState) -> str:
    # A question's fields are told apart by their `kind`, which is a default and must be written all the same.
    return state.model_dump_json(exclude={"last_seq"}, exclude_defaults=state.waiting_question is None)


# ---- reading -------------------------------------------------------------------------------------------------------

_STATE_OF = select(_CONVERSATION.c.id, _CONVERSATION.c.last_seq, _CONVERSATION.c.state).where(
    _CONVERSATION.c.id == bindparam("conversation_id")
)
_EVENTS = select(*(_EVENT.c[name] for name in _EVENT_COLUMNS)).where(
    _EVENT.c.conversation_id == bindparam("conversation_id")
)
_EVENTS_AFTER = _EVENTS.where(_EVENT.c.seq > bindparam("after")).order_by(_EVENT.c.seq).limit(bindparam("limit"))
_NEWEST_EVENTS = _EVENTS.order_by(_EVENT.c.seq.desc()).limit(bindparam("limit"))

_NO_LIMIT = 2**31 - 1
_A_FEW = 64
"""Events that are read at once, where a thread would take longer to be woken."""


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """What a list shows of a conversation."""

    id: str
    title: str | None
    status: Status
    last_seq: int
    created_at: datetime
    updated_at: datetime
    """When it last changed in a way that lists show: a message, a turn's begin or end, a title …"""


class EventLog:
    """Reads the log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, conversation_id: str, after: int = -1, limit: int | None = None) -> tuple[Event, ...]:
        """Events with a greater seq than `after`, oldest first, at most `limit`."""

        def query(connection: Connection, most: int) -> tuple[Event, ...]:
            named = {"conversation_id": conversation_id, "after": after, "limit": most}
            return _events(connection.execute(_EVENTS_AFTER, named))

        wanted = _NO_LIMIT if limit is None else limit
        few = await self._database.peek(lambda connection: query(connection, min(_A_FEW, wanted)))
        if len(few) < _A_FEW or wanted == _A_FEW:
            return few
        return await self._database.read(lambda connection: query(connection, wanted))

    async def newest(self, conversation_id: str, event_type: str, count: int) -> tuple[Event, ...]:
        """The newest events of a type, at most `count`, the newest first."""
        query = _EVENTS.where(_EVENT.c.type == event_type).order_by(_EVENT.c.seq.desc()).limit(count)
        named = {"conversation_id": conversation_id}
        return await self._database.read(lambda connection: _events(connection.execute(query, named)))

    async def last_page(self, conversation_id: str, count: int) -> tuple[Event, ...]:
        """The newest `count` events, oldest of them first."""

        def query(connection: Connection) -> tuple[Event, ...]:
            return _events(connection.execute(_NEWEST_EVENTS, {"conversation_id": conversation_id, "limit": count}))

        return (await self._database.read(query))[::-1]

    async def before(self, conversation_id: str, seq: int, count: int) -> tuple[Event, ...]:
        """The newest `count` events with a smaller seq, oldest of them first."""
        query = _EVENTS.where(_EVENT.c.seq < seq).order_by(_EVENT.c.seq.desc()).limit(count)
        named = {"conversation_id": conversation_id}
        return (await self._database.read(lambda connection: _events(connection.execute(query, named))))[::-1]

    async def state(self, conversation_id: str) -> ConversationState:
        """The cached fold; the empty one for a conversation that does not exist."""

        def query(connection: Connection) -> ConversationState:
            row = connection.execute(_STATE_OF, {"conversation_id": conversation_id}).one_or_none()
            return ConversationState() if row is None else _state(connection, row.id, row.last_seq, row.state)

        return await self._database.peek(query)

    async def exists(self, conversation_id: str) -> bool:
        """Whether anything ever happened in it."""
        named = {"conversation_id": conversation_id}
        return await self._database.peek(lambda connection: connection.execute(_STATE_OF, named).first() is not None)

    async def rebuild(self, conversation_id: str) -> ConversationState:
        """The fold computed from the events alone."""
        return await self._database.read(lambda connection: _fold(connection, conversation_id))

    async def running(self) -> tuple[str, ...]:
        """Conversations with a turn that has not ended."""
        query = select(_CONVERSATION.c.id).where(text(tables.RUNNING)).order_by(_CONVERSATION.c.id)
        return await self._database.read(lambda connection: tuple(connection.execute(query).scalars()))

    async def unrelayed(self) -> tuple[tuple[str, int], ...]:
        """Conversations whose newest events were not turned into messages yet, and up to where they were (-1: none)."""
        columns = (_CONVERSATION.c.id, _CONVERSATION.c.relayed_seq)
        query = select(*columns).where(_CONVERSATION.c.relayed_seq < _CONVERSATION.c.last_seq)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple((row.id, row.relayed_seq) for row in rows)

    async def page(self, limit: int, after: ConversationSummary | None = None) -> tuple[ConversationSummary, ...]:
        """Conversations, the one changed last first; the next page begins after the last one of this."""
        query = select(*summary_columns()).limit(limit)
        query = query.order_by(_CONVERSATION.c.updated_at.desc(), _CONVERSATION.c.id.desc())
        if after is not None:
            query = query.where(tuple_(_CONVERSATION.c.updated_at, _CONVERSATION.c.id) < (after.updated_at, after.id))
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(map(summarised, rows))


def summary_columns() -> tuple[Column[Any], ...]:
    """What a list reads of a conversation."""
    return tuple(getattr(_CONVERSATION.c, name) for name in ConversationSummary.__slots__)


def summarised(row: Row[Any]) -> ConversationSummary:
    """A row of these as what a list shows."""
    return ConversationSummary(row.id, row.title, Status(row.status), row.last_seq, row.created_at, row.updated_at)


def _state(connection: Connection, conversation_id: str, last_seq: int, cached: str) -> ConversationState:
    try:
        state = ConversationState.model_validate_json(cached)
    except ValidationError:  # another release wrote it in a shape of its own; the events are the truth
        return _fold(connection, conversation_id)
    return state.model_copy(update={"last_seq": last_seq})


def _fold(connection: Connection, conversation_id: str) -> ConversationState:
    named = {"conversation_id": conversation_id, "after": -1, "limit": _NO_LIMIT}
    return fold(_event(row) for row in connection.execute(_EVENTS_AFTER, named))


def _events(rows: Iterable[Row[Any]]) -> tuple[Event, ...]:
    return tuple(_event(row) for row in rows)


def _event(row: Row[Any]) -> Event:
    return Event(row.conversation_id, row.seq, row.at, decode(row.type, json.loads(row.data)))
