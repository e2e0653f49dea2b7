"""A task that looks at what is due, does it, and sleeps until the next time comes or somebody wakes it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from core.clock import Clock

_log = structlog.get_logger(__name__)

TROUBLE = timedelta(seconds=30)
"""Until the next look where a round broke off."""


class Rounds:
    """Goes round until it is closed. What is due stays due, whatever goes wrong.

    Args:
        go: does what is due and returns how long until something is.
        soon: what it lets pass after it was woken, so that several changes are seen to together.
        name: of the task, and of what failed in the log.
    """

    def __init__(self, go: Callable[[], Awaitable[timedelta]], clock: Clock, soon: timedelta, name: str) -> None:
        self._go = go
        self._clock = clock
        self._soon = soon
        self._name = name
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look now, and from now on."""
        self._task = asyncio.create_task(self._run(), name=self._name)

    def wake(self) -> None:
        """Something may be due that was not before."""
        self._woken.set()

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                wait = await self._go()
            except Exception as fault:  # noqa: BLE001 - the next round may find it mended
                _log.error("a round broke off", what=self._name, exc_info=fault)
                wait = TROUBLE
            await self._pause(wait)

    async def _pause(self, wait: timedelta) -> None:
        slept = asyncio.create_task(self._clock.sleep(wait.total_seconds()))
        woken = asyncio.create_task(self._woken.wait())
        try:
            await asyncio.wait({slept, woken}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            slept.cancel()
            woken.cancel()
            await asyncio.gather(slept, woken, return_exceptions=True)
        if self._woken.is_set():
            await self._clock.sleep(self._soon.total_seconds())
