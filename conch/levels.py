"""What there is at this moment, for `/metrics`: read from the store and the running parts, at most once a second."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace

from conch.app import App
from core.errors import StoreUnavailable
from core.store.inbox import Inbox
from core.store.outbox import OutboxRows, State
from core.store.queue import Queue
from web.health import HealthReport
from web.metrics import Levels

FRESH_SECONDS = 1.0
"""How old an answer may be: whoever asks without end makes the database work once a second."""

OVER = (State.DELIVERED, State.DROPPED)
"""Messages that nobody has to do anything about."""


class LevelsLook:
    """Looks, at most once in `FRESH_SECONDS`."""

    def __init__(self, app: App, health: Callable[[], Awaitable[HealthReport]]) -> None:
        self._app = app
        self._health = health
        self._inbox = Inbox(app.database)
        self._outbox = OutboxRows(app.database)
        self._queue = Queue(app.database)
        self._looking = asyncio.Lock()
        self._levels = Levels()
        self._looked_at: float | None = None

    async def __call__(self) -> Levels:
        """The levels."""
        async with self._looking:
            now = self._app.clock.monotonic()
            if self._looked_at is None or now - self._looked_at >= FRESH_SECONDS:
                self._levels = await self._look()
                self._looked_at = now
            return self._levels

    async def _look(self) -> Levels:
        kinds, health = self._app.registry.kinds(), self._app.registry.health()
        levels = Levels(
            can_store=(await self._health()).can_store,
            turns=self._app.conversations.turns,
            channels=Counter((kind, health[channel_id].state.value) for channel_id, kind in kinds.items()),
        )
        try:
            return await self._with_stored(levels)
        except StoreUnavailable:
            return levels

    async def _with_stored(self, levels: Levels) -> Levels:
        inbox: Counter[tuple[str, str]] = Counter()
        oldest: dict[str, float] = {}
        for channel_id, kind in self._app.registry.kinds().items():
            counts = await self._inbox.counts(channel_id)
            inbox[kind, "pending"] += counts.pending
            inbox[kind, "poisoned"] += counts.poisoned
            age = await self._age(channel_id)
            oldest[kind] = max(age, oldest.get(kind, 0.0))
        letters = await self._outbox.counts()
        outbox = {state.value: letters.get(state, 0) for state in State if state not in OVER}
        return replace(levels, queued=await self._queue.count(), inbox=inbox, oldest=oldest, outbox=outbox)

    async def _age(self, channel_id: str) -> float:
        """Of the oldest update that is not seen through, in seconds; 0 where there is none."""
        found = await self._inbox.pending(channel_id, limit=1)
        return (self._app.clock.now() - found[0].at).total_seconds() if found else 0.0
