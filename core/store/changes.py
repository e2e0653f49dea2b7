"""What can be written: changes as data, and the transaction that takes them.

A change is a frozen dataclass; its class knows how to write many of them at once. Everything that waits for the writer
at the same moment is concurrent, so the writer may sort it: all changes of one class are written together, classes in
the order of `Step`. Changes of one class keep the order in which they were handed in. What a change means is in the
module of its concern.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, auto
from typing import ClassVar, Generic, Self

from sqlalchemy import Connection
from typing_extensions import TypeVar as TypeVarWithDefault

from core.events import Event
from core.projections import ConversationState
from core.store.recent import Recent

R_co = TypeVarWithDefault("R_co", covariant=True, default=object)


class Step(IntEnum):
    """When in a transaction a class of changes is written."""

    RECEIVED = auto()
    DONE = auto()
    POISONED = auto()
    TAKE_SEAT = auto()
    HOLD_ON_SEAT = auto()
    LEAVE_SEAT = auto()
    MOVE_CHAT = auto()
    EMPTY_QUEUE = auto()
    DEQUEUE = auto()
    EDIT_QUEUED = auto()
    APPEND = auto()
    DECIDE = auto()
    ENQUEUE = auto()
    DELETE_CONVERSATION = auto()
    SAVE_SESSION = auto()
    ADD_USAGE = auto()
    RELAYED = auto()
    DELIVERED = auto()
    FAILED = auto()
    UNKNOWN = auto()
    RETRY = auto()
    EXPIRED = auto()
    DROPPED = auto()
    RESEND = auto()
    POST = auto()
    CLAIM = auto()
    CLAIM_ACTION = auto()
    CLOSE_ACTIONS = auto()
    OFFER_ACTIONS = auto()
    CLOSE_SET = auto()
    FADE_ACTIONS = auto()
    OPEN_CARD = auto()
    RENEW_CARD = auto()
    FILL_CARD = auto()
    REMEMBER_UPDATE = auto()
    CLOSE_CARDS = auto()
    REDRAWN = auto()
    CLOSE_MENUS = auto()
    PUT_MENU = auto()
    FADE_MENU = auto()
    KEEP_PREVIEW = auto()
    END_PREVIEW = auto()


RecentStates = Recent[str, ConversationState]
"""The folds of the conversations written last. An append that need not read them first takes 25 µs instead of 35.

Only the sole writer of a database may keep them, and drops them whenever a transaction is rolled back.
"""


@dataclass(slots=True)
class Transaction:
    """One transaction while it is written. `at` is the time of everything in it."""

    connection: Connection
    at: datetime
    states: RecentStates
    events: list[Event] = field(default_factory=list)
    """What the log gained, in the order of the seqs of each conversation; published after the commit."""


class Change(ABC, Generic[R_co]):
    """One thing to write, with a result."""

    step: ClassVar[Step]

    @classmethod
    @abstractmethod
    def apply_many(cls, tx: Transaction, changes: Sequence[Self]) -> Sequence[R_co]:
        """Write them all and return their results in the same order. Runs in the writer's thread."""
