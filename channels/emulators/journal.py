"""A numbered record of what happened, which anyone can wait on.

Belongs here: numbering, the bound, waking those who wait. What an entry says belongs to the platform.
"""

import asyncio
from collections import deque
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class Journal(Generic[T]):
    """Entries are numbered from 1 without a gap; the oldest are forgotten once there are more than `limit`."""

    def __init__(self, limit: int = 10_000) -> None:
        self._entries: deque[T] = deque(maxlen=limit)
        self._last = 0
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def last(self) -> int:
        """The number of the newest entry; 0 when there is none."""
        return self._last

    def append(self, entry: T) -> int:
        """Record it, wake everyone who waits, and return its number."""
        self._entries.append(entry)
        self._last += 1
        self.wake()
        return self._last

    def wake(self) -> None:
        """Let everyone who waits look again although nothing was recorded (time went on, the app stops)."""
        if self._waiters:
            waiters, self._waiters = self._waiters, set()
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def after(self, number: int, limit: int | None = None) -> list[tuple[int, T]]:
        """Entries with a higher number than `number`, oldest first, at most `limit`."""
        first = self._last - len(self._entries) + 1
        skip = max(0, number + 1 - first)
        stop = None if limit is None else skip + limit
        return list(enumerate(islice(self._entries, skip, stop), start=first + skip))

    async def changed(self, since: int) -> None:
        """Come back once there is an entry above `since`, or somebody called `wake`."""
        if self._last > since:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)
