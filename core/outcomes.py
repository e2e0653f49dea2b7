"""What becomes of what others ask `core.conversations` for."""

from dataclasses import dataclass
from enum import StrEnum

from core.conversation_state import ConversationState
from core.engines.base import Engine


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
    """What a stop ended: the running turn, and how many messages were waiting."""

    turn: bool
    waiting: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A conversation as it is now: its state, the engine that would answer, and how many messages wait.

    `held`: they wait for an engine that can answer.
    """

    state: ConversationState
    engine: Engine
    waiting: int
    held: bool
