"""Waiting longer each time: how everything here tries again."""

import random
from collections.abc import Iterator, Sequence

import structlog

from core.clock import Clock
from core.errors import StoreUnavailable
from core.store.changes import Change
from core.store.database import Database

_log = structlog.get_logger(__name__)

STEPS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between tries; the last one stays."""

JITTER = 0.15
"""Each wait is up to this share shorter or longer, so that many do not come back at once."""


def backoff(steps: Sequence[float] = STEPS, source: random.Random | None = None) -> Iterator[float]:
    """The waits between tries, in seconds, without end."""
    chance = source or random.Random()  # noqa: S311 - spreads load, guards nothing
    for attempt in range(1_000_000_000):
        yield steps[min(attempt, len(steps) - 1)] * chance.uniform(1 - JITTER, 1 + JITTER)


async def until_stored(database: Database, clock: Clock, *changes: Change) -> tuple[object, ...]:
    """Commit, and keep trying while the database cannot take anything."""
    for wait in backoff():
        try:
            return await database.commit(*changes)
        except StoreUnavailable as reason:
            _log.error("waiting for the database", reason=str(reason), seconds=round(wait, 1))
            await clock.sleep(wait)
    raise AssertionError("backoff never ends")
