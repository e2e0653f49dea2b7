"""What happens in one conversation and has not gone to a client yet, never more than so much of it.

A client that is slower than the answer is written loses its place: it is told what stands in the log, and the running
message anew. Nobody waits for it.
"""

import asyncio
from collections import deque
from typing import Final

from core.live import LiveItem

MOST_WAITING: Final = 1_000
"""Things that wait for one client; about half a minute of a fast answer."""


class Mailbox:
    """Fills up by `hear`, a listener of the live feed."""

    def __init__(self, conversation_id: str) -> None:
        self._conversation_id = conversation_id
        self._items: deque[LiveItem] = deque()
        self._news = asyncio.Event()
        self.is_behind = False
        """Too much came: what waited is gone."""
        self.is_closed = False

    def hear(self, item: LiveItem) -> None:
        """Keep it, where it belongs here."""
        if item.conversation_id != self._conversation_id or self.is_behind:
            return
        self._items.append(item)
        if len(self._items) > MOST_WAITING:
            self._items.clear()
            self.is_behind = True
        self._news.set()

    def begin_anew(self) -> None:
        """Whoever was behind takes up everything from here on."""
        self.is_behind = False

    def take(self) -> LiveItem | None:
        """The oldest thing that waits; None: nothing does now."""
        return self._items.popleft() if self._items else None

    def close(self) -> None:
        """Nothing more is to go to the client."""
        self.is_closed = True
        self._news.set()

    async def wait(self) -> None:
        """Come back when something waits, when the client is behind, or at the end."""
        while not (self._items or self.is_behind or self.is_closed):
            self._news.clear()
            await self._news.wait()
