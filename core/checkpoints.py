"""Marked points on a message's way, where a test may stop, hold or kill the process.

The program passes `NO_CHECKPOINTS`, which does nothing. The names are the ones of the kill test.
"""

from enum import StrEnum
from typing import Protocol


class Checkpoint(StrEnum):
    """The marked points, in the order of the way."""

    RECEIVED = "received"
    """The update is stored; the app has not been told yet."""
    RECORDED = "recorded"
    """The person's words are in the log or the queue; no engine has seen them."""
    TURN_RUNNING = "turn running"
    """The engine has begun to answer."""
    QUESTION_WAITING = "question waiting"
    """A question is in the log; nobody has answered it yet."""
    PERMISSION_WAITING = "permission waiting"
    """A tool call waits for a yes; nobody has been asked yet but by the log."""
    OFFER_ACCEPTED = "offer accepted"
    """An offer was taken, and the turn that carries on waits; it has not begun."""
    CARRIED_ON = "carried on"
    """The turn that carries on stands in the log; no engine has begun it."""
    SENDING = "sending"
    """The outbox row says `sending`; the request has not gone out."""
    SENT = "sent"
    """The app has taken the message; the receipt is not stored."""


class Checkpoints(Protocol):
    """Called at each marked point."""

    async def reach(self, point: Checkpoint) -> None:
        """Come back when the way may go on."""
        ...


class NoCheckpoints:
    """The program's own: nothing happens at a marked point."""

    async def reach(self, point: Checkpoint) -> None:
        """Go on at once."""


NO_CHECKPOINTS = NoCheckpoints()
