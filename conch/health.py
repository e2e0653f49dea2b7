"""How Conch is doing, for `/healthz`: a real write, and the state of every bot that is on."""

import asyncio
from collections import Counter

from channels.registry import ChannelRegistry
from core.clock import Clock
from core.store.database import Database
from core.store.probe import can_write
from web.health import HealthReport

FRESH_SECONDS = 1.0
"""How old an answer may be: whoever asks without end makes the disk work once a second."""


class HealthLook:
    """Looks, at most once in `FRESH_SECONDS`."""

    def __init__(self, database: Database, registry: ChannelRegistry, clock: Clock) -> None:
        self._database = database
        self._registry = registry
        self._clock = clock
        self._looking = asyncio.Lock()
        self._can_write = False
        self._looked_at: float | None = None

    async def __call__(self) -> HealthReport:
        """The report."""
        async with self._looking:
            now = self._clock.monotonic()
            if self._looked_at is None or now - self._looked_at >= FRESH_SECONDS:
                self._can_write = await can_write(self._database)
                self._looked_at = now
        states = Counter(health.state.value for health in self._registry.health().values())
        return HealthReport(can_store=self._can_write, channels=dict(states))
