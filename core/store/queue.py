"""The queue: messages of one conversation that wait for its running turn to end.

    (accepted) ──Enqueue──▶ waiting ──Dequeue, with the append that says it──▶ (in the log)
                              └──────EmptyQueue──▶ (gone: somebody pressed stop)

First in, first out. A client id is accepted once, whether it goes to the log or to the queue, so what comes out of the
queue is appended without its client ids.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, bindparam, delete, func, select, update

from core.cards import TakenOffer
from core.events import Attachment, Origin, Trigger
from core.options import OptionsChange
from core.store import client_ids, tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.log import AlreadySent
from core.store.moments import to_stored
from core.store.statements import FindRows, InsertRows

MAX_WAITING: Final = 50
"""Messages that may wait in one conversation; then the sender is told."""

_QUEUED = tables.queued
_INSERT = InsertRows(_QUEUED, "conversation_id", "at", "message")
_FIND = FindRows(_QUEUED, ["conversation_id"], ["conversation_id"])
_WAITING = select(_QUEUED).where(_QUEUED.c.conversation_id == bindparam("its_id")).order_by(_QUEUED.c.id)


class QueuedMessage(BaseModel):
    """What somebody wrote, as it goes to an engine; `goal` is set with it, and plan mode switched on where `plan`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    origin: Origin
    attachments: tuple[Attachment, ...] = ()
    client_ids: tuple[str, ...] = ()
    """Of the messages that were gathered into this one."""
    others_words: bool = False
    words_of: str | None = None
    """Whose words they are, by name, where they are not those of the person who sent it."""
    goal: str | None = None
    plan: bool = False
    options: OptionsChange | None = None
    """Chosen before there was a conversation; plan mode, where asked for as well, comes after it."""
    trigger: Trigger = Trigger.MESSAGE
    carries: TakenOffer | None = None
    """The offer whose turn this is: nobody said it, so it is no `user.message`, and it goes before what waits."""


@dataclass(frozen=True, slots=True)
class QueueFull:
    """Nothing was taken: this many wait already."""

    count: int


@dataclass(frozen=True, slots=True)
class Enqueue(Change[int | QueueFull | AlreadySent]):
    """Let a message wait; the result is its place in the queue, from 1."""

    step: ClassVar[Step] = Step.ENQUEUE

    conversation_id: str
    message: QueuedMessage
    whatever_waits: bool = False
    """Also where as many wait as may: it is none of theirs."""

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Enqueue"]) -> Sequence[int | QueueFull | AlreadySent]:
        """One look at what is known and how many wait, then one insert."""
        seen = client_ids.known(tx, [pair for change in changes for pair in _pairs(change)])
        conversations = [(conversation_id,) for conversation_id in {change.conversation_id for change in changes}]
        counts = Counter(row.conversation_id for row in _FIND.run(tx.connection, conversations))
        new: list[client_ids.ClientId] = []
        rows: list[tuple[str, int, str]] = []
        results: list[int | QueueFull | AlreadySent] = []
        for change in changes:
            sent = tuple(pair[1] for pair in _pairs(change) if pair in seen)
            waiting = counts[change.conversation_id]
            if sent:
                results.append(AlreadySent(sent))
            elif waiting >= MAX_WAITING and not change.whatever_waits:
                results.append(QueueFull(waiting))
            else:
                seen.update(_pairs(change))
                new += dict.fromkeys(_pairs(change))
                rows.append((change.conversation_id, to_stored(tx.at), _dump(change.message)))
                counts[change.conversation_id] += 1
                results.append(waiting + 1)
        client_ids.remember(tx, new)
        _INSERT.run(tx.connection, rows)
        return results


@dataclass(frozen=True, slots=True)
class Dequeue(Change[int]):
    """Take messages out, in the transaction that appends them; the result is how many were there."""

    step: ClassVar[Step] = Step.DEQUEUE

    conversation_id: str
    ids: tuple[int, ...]

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Dequeue"]) -> Sequence[int]:
        """One delete each; a turn takes its messages once."""
        return [
            tx.connection.execute(
                delete(_QUEUED).where(_QUEUED.c.conversation_id == change.conversation_id, _QUEUED.c.id.in_(change.ids))
            ).rowcount
            for change in changes
        ]


@dataclass(frozen=True, slots=True)
class EmptyQueue(Change[int]):
    """Throw away everything that waits; the result is how many it were."""

    step: ClassVar[Step] = Step.EMPTY_QUEUE

    conversation_id: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["EmptyQueue"]) -> Sequence[int]:
        """One delete each: people press stop rarely."""
        return [
            tx.connection.execute(delete(_QUEUED).where(_QUEUED.c.conversation_id == change.conversation_id)).rowcount
            for change in changes
        ]


@dataclass(frozen=True, slots=True)
class EditQueued(Change[bool]):
    """A message that still waits was edited: it says `text` now. False when it does not wait (any more).

    A message that was gathered from several is left alone: nobody knows which part of its text was meant.
    """

    step: ClassVar[Step] = Step.EDIT_QUEUED

    conversation_id: str
    client_id: str
    text: str

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["EditQueued"]) -> Sequence[bool]:
        """One look and one update each: people edit rarely."""
        return [_edit(tx.connection, change) for change in changes]


def _edit(connection: Connection, change: EditQueued) -> bool:
    for item in _waiting(connection, change.conversation_id):
        if item.message.client_ids == (change.client_id,):
            edited = item.message.model_copy(update={"text": change.text})
            connection.execute(update(_QUEUED).where(_QUEUED.c.id == item.id).values(message=_dump(edited)))
            return True
    return False


def _pairs(change: Enqueue) -> list[client_ids.ClientId]:
    return [(change.conversation_id, client_id) for client_id in change.message.client_ids]


def _dump(message: QueuedMessage) -> str:
    return message.model_dump_json(exclude_unset=True)


# ---- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """A message in the queue; `at` is when it was accepted."""

    id: int
    at: datetime
    message: QueuedMessage


class Queue:
    """Reads the queue, and edits what waits in it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, conversation_id: str) -> tuple[QueuedItem, ...]:
        """What waits in a conversation, the oldest first."""
        return await self._database.peek(lambda connection: _waiting(connection, conversation_id))

    async def conversations_waiting(self) -> tuple[str, ...]:
        """Conversations in which anything waits, the one that waits longest first."""
        query = select(_QUEUED.c.conversation_id).group_by(_QUEUED.c.conversation_id).order_by(func.min(_QUEUED.c.id))
        return await self._database.read(lambda connection: tuple(connection.execute(query).scalars()))

    async def count(self) -> int:
        """How many messages wait in all conversations."""
        query = select(func.count()).select_from(_QUEUED)
        return await self._database.read(lambda connection: connection.execute(query).scalar_one())

    async def edit(self, conversation_id: str, client_id: str, text: str) -> bool:
        """See `EditQueued`."""
        return await self._database.commit_one(EditQueued(conversation_id, client_id, text))


def _waiting(connection: Connection, conversation_id: str) -> tuple[QueuedItem, ...]:
    return tuple(
        QueuedItem(row.id, row.at, QueuedMessage.model_validate_json(row.message))
        for row in connection.execute(_WAITING, {"its_id": conversation_id})
    )
