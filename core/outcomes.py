"""What becomes of what others ask `core.conversations` for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.conversation_state import ConversationState
from core.engines.base import Engine
from core.events import ContextCompacted, PermissionResolved, QuestionAnswered


class SendOutcome(StrEnum):
    """What became of a message."""

    STARTED = "started"
    """A turn answers it now."""
    QUEUED = "queued"
    """It waits for the running turn to end."""
    HELD = "held"
    """No engine can answer now; it goes when one can."""
    DUPLICATE = "duplicate"
    """It was sent before; nothing happened."""
    FULL = "full"
    """Too many wait already; it was not kept."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a message. `first_in_turn`: it is the first to wait in this turn. `waiting` counts with it."""

    outcome: SendOutcome
    first_in_turn: bool = False
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stop ended: the running turn (or fold), and how many messages were waiting."""

    turn: bool
    waiting: int


class FoldOutcome(StrEnum):
    """What became of the wish to have a conversation's memory folded."""

    STARTED = "started"
    """It is being folded; what comes of it is in the log."""
    NOTHING = "nothing"
    """The engine that answers here remembers nothing of it."""
    OWN_MEMORY = "own-memory"
    """That engine keeps its memory to itself."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A conversation as it is now: its state, the engine that would answer, and how many messages wait.

    `held`: they wait for an engine that can answer. `folding`: its memory is being folded, because somebody asked.
    `summary` is what stands for the older part of it, the newest since the newest clear.
    """

    state: ConversationState
    engine: Engine
    waiting: int
    held: bool
    folding: bool = False
    summary: ContextCompacted | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer to a question.

    `answered`: it counts; the same client id again is told the same. `invalid`: `sentence` says what does not fit, and
    the question still waits. `not-found`: it does not wait (any more), and nothing was stored; `earlier` is what it was
    answered with, where that is known.
    """

    outcome: Literal["answered", "invalid", "not-found"]
    sentence: str | None = None
    """For the person: the answer in words (None when it was skipped), or what is wrong."""
    earlier: QuestionAnswered | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What became of a decision about a permission.

    `not-found`: it does not wait (any more), and nothing was stored; `earlier` is what was decided, where it is known.
    """

    outcome: Literal["resolved", "not-found"]
    earlier: PermissionResolved | None = None
