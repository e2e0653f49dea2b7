"""Lanes: things of one key are handled one after another, things of different keys side by side.

A lane exists only while it has work: ten thousand idle chats cost nothing.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Lanes(Generic[K, T]):
    """Runs `handler(key, items)` with everything that waits for a key, in order, never twice at once for one key.

    The handler gets at most `at_once` items together. It must not raise: it knows what to do about a failure, a lane
    does not. If it does, `on_fault` hears of it and the lane goes on with the next.
    """

    def __init__(
        self,
        handler: Callable[[K, list[T]], Awaitable[None]],
        on_fault: Callable[[K, BaseException], None],
        *,
        at_once: int = 1,
    ) -> None:
        self._handler = handler
        self._on_fault = on_fault
        self._at_once = at_once
        self._waiting: dict[K, deque[T]] = {}
        self._tasks: dict[K, asyncio.Task[None]] = {}

    def put(self, key: K, item: T) -> None:
        """Add to the end of the key's lane."""
        queue = self._waiting.get(key)
        if queue is not None:
            queue.append(item)
            return
        self._waiting[key] = deque((item,))
        self._tasks[key] = asyncio.create_task(self._work(key), name=f"lane {key}")

    async def _work(self, key: K) -> None:
        queue = self._waiting[key]
        try:
            while queue:
                items = [queue.popleft() for _ in range(min(self._at_once, len(queue)))]
                try:
                    await self._handler(key, items)
                except Exception as fault:  # noqa: BLE001 - a lane outlives whatever its handler does
                    self._on_fault(key, fault)
        finally:
            del self._waiting[key]
            del self._tasks[key]

    def busy(self, key: K) -> bool:
        """Whether anything of this key is handled or waits."""
        return key in self._waiting

    def waiting(self, key: K) -> int:
        """How many wait in a lane, without the ones that are being handled."""
        return len(self._waiting.get(key, ()))

    def __len__(self) -> int:
        return len(self._waiting)

    async def settled(self) -> None:
        """Come back when every lane is empty."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def close(self) -> None:
        """End every lane where it stands; what waits is dropped (it is stored elsewhere)."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
