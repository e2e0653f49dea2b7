"""An in-memory app with Ada's chat in it, and the channel to it."""

import pytest

from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from core.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(clock: ManualClock) -> MemoryApp:
    return MemoryApp(clock)


@pytest.fixture
def chat(app: MemoryApp) -> MemoryChat:
    return app.private_chat("Ada")


@pytest.fixture
def channel(app: MemoryApp, clock: ManualClock) -> MemoryChannel:
    return MemoryChannel("c1", app, clock, key=app.key, button_limit=8)
