"""A clock for tests of what waits and goes on by itself."""

import asyncio

from core.clock import ManualClock


class HurriedClock(ManualClock):
    """Waits for nothing and notes how long."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []
        self.waited = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.waited.set()
        await asyncio.sleep(0)
