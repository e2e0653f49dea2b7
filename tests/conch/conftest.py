from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.demo.engine import DemoEngine


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def place(tmp_path: Path) -> Home:
    found = Home(tmp_path)
    found.prepare()
    return found


@pytest.fixture
def shell(clock: ManualClock) -> MemoryApp:
    """An app that is connected like any other; `shell` is its kind."""
    return MemoryApp(clock)


@pytest.fixture
async def built(place: Home, clock: ManualClock, shell: MemoryApp) -> AsyncIterator[App]:
    """Everything, built and not started."""
    kinds = {"shell": MemoryKind(clock, shell)}
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        yield app
