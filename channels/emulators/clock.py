"""Time as the pretend apps see it. Same shape as the program's own clock, so that one clock can drive both.

Belongs here: the protocol, the machine's clock, and waiting for something or for a time, whichever comes first.
"""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any, Protocol


class Clock(Protocol):
    """What a pretend app needs of time."""

    def now(self) -> datetime:
        """The wall time in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from a fixed point; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The wall time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds from a fixed point; never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`."""
        await asyncio.sleep(seconds)


async def wait_or(clock: Clock, future: "asyncio.Future[Any]", seconds: float) -> bool:
    """Whether `future` was done before `seconds` went by on the clock."""
    sleeper = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({future, sleeper}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeper.cancel()
    return future.done()
