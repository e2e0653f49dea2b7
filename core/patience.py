"""Waiting longer each time: how everything here tries again."""

import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, TypeVar

import structlog

from core.clock import Clock
from core.errors import StoreUnavailable
from core.store.changes import Change
from core.store.database import Database

T = TypeVar("T")

_log = structlog.get_logger(__name__)

STEPS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between tries; the last one stays."""

JITTER = 0.15
"""Each wait is up to this share shorter or longer, so that many do not come back at once."""


def backoff(steps: Sequence[float] = STEPS, source: random.Random | None = None) -> Iterator[float]:
    """The waits between tries, in seconds, without end."""
    chance = source.uniform if source else random.uniform
    for step in chain(steps, repeat(steps[-1])):
        yield step * chance(1 - JITTER, 1 + JITTER)


async def patiently(work: Callable[[], Awaitable[T]], clock: Clock) -> T:
    """Do it, and do it again while the database cannot take anything; not sooner than it says."""
    waits = backoff()
    while True:
        try:
            return await work()
        except StoreUnavailable as reason:
            wait = max(next(waits), reason.retry_after or 0.0)
            _log.error("waiting for the database", reason=str(reason), seconds=round(wait, 1))
            await clock.sleep(wait)


async def until_stored(database: Database, clock: Clock, *changes: Change[Any]) -> tuple[Any, ...]:
    """Commit, and keep trying while the database cannot take anything."""
    return await patiently(lambda: database.commit(*changes), clock)
