"""The owner's commands done in this process, over the data folder, while no server runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from conch import machine, settings
from conch.admin import Admin
from conch.app import composed
from conch.engines import standing_of_found
from conch.home import Home
from conch.kinds import connectable
from core.clock import Clock
from core.engines.demo.engine import DemoEngine


@asynccontextmanager
async def alone(place: Home, clock: Clock) -> AsyncIterator[Admin]:
    """Everything built and nothing started. The caller holds the data folder's lock.

    Raises:
        UsageError: the settings are off.
    """
    chosen = settings.load(place).settings
    kinds = connectable(chosen, clock)
    engines = [DemoEngine(clock, "")]  # it is never asked: no turn runs here
    async with composed(place, chosen, clock=clock, kinds=kinds, engines=engines) as app:
        await app.connections.open(await machine.look(), standing_of_found(place))
        yield Admin(app)
