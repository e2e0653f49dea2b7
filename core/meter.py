"""What is counted while it happens, for whoever looks after the program. Who it happened to is never said.

What can be counted afterwards (what waits, who is online) is not here. The program passes the meter of `web.metrics`,
everybody else `NO_METER`.
"""

from enum import StrEnum
from typing import Protocol


class Sending(StrEnum):
    """How one try to send a message ended; a message can be tried again."""

    DELIVERED = "delivered"
    RETRIED = "retried"
    """Surely not taken: it goes again."""
    UNKNOWN = "unknown"
    """No receipt came."""
    FAILED = "failed"
    EXPIRED = "expired"


class Meter(Protocol):
    """Is told what happens. Each call takes a few microseconds at most and never raises; `app` is a channel's kind."""

    def received(self, app: str, new: int, known: int) -> None:
        """Updates were stored. The `known` ones had been before: the app brought them again."""
        ...

    def skipped(self, app: str) -> None:
        """An update could not be handled, and never will be."""
        ...

    def sent(self, app: str, outcome: Sending) -> None:
        """A message was tried."""
        ...

    def committed(self, jobs: int, seconds: float) -> None:
        """A transaction of the store ended, with the work of so many callers in it."""
        ...


class NoMeter:
    """Counts nothing."""

    def received(self, app: str, new: int, known: int) -> None:
        """Nothing."""

    def skipped(self, app: str) -> None:
        """Nothing."""

    def sent(self, app: str, outcome: Sending) -> None:
        """Nothing."""

    def committed(self, jobs: int, seconds: float) -> None:
        """Nothing."""


NO_METER = NoMeter()
