"""Time as a dependency: the program uses the system's clock, tests one that they move by hand.

Everything that waits takes a `Clock`, so that no test sleeps.
"""

import asyncio
import heapq
import itertools
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the project needs of time."""

    def now(self) -> datetime:
        """The wall time in UTC, cut to whole milliseconds (the precision of the log)."""
        ...

    def monotonic(self) -> float:
        """Seconds from a fixed point; never goes back. For intervals only."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`; a negative time counts as 0."""
        ...


def to_milliseconds(moment: datetime) -> datetime:
    """The same moment in UTC, cut to whole milliseconds."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The wall time in UTC, cut to whole milliseconds."""
        return to_milliseconds(datetime.now(UTC))

    def monotonic(self) -> float:
        """Seconds from a fixed point; never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`."""
        await asyncio.sleep(max(0.0, seconds))


class ManualClock:
    """A clock that stands still until `advance` moves it.

    Sleepers wake in the order of their times, and each gets the chance to run (and to sleep again) before the next one
    wakes, as they would in real life.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> datetime:
        """The start plus everything that `advance` added."""
        return to_milliseconds(self._start + timedelta(seconds=self._elapsed))

    def monotonic(self) -> float:
        """Seconds that `advance` added so far."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was moved by `seconds`."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), waiter))
        await waiter

    async def advance(self, seconds: float) -> None:
        """Move the clock and let everyone run whose time has come."""
        target = self._elapsed + seconds
        await _let_others_run()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, waiter = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, due)
            if not waiter.done():
                waiter.set_result(None)
            await _let_others_run()
        self._elapsed = target

    @property
    def sleeping(self) -> int:
        """How many are waiting now."""
        return sum(1 for _, _, waiter in self._sleepers if not waiter.done())


async def _let_others_run(rounds: int = 20) -> None:
    """Give tasks that are ready a few turns of the loop; enough for a chain of awaits to settle."""
    for _ in range(rounds):
        await asyncio.sleep(0)
