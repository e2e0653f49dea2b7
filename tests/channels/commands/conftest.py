"""Ada's private chat with a Conch whose engine echoes."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.memory.app import MemoryApp
from conch.home import Home
from core.clock import ManualClock
from core.store.database import Database
from tests.channels.commands.talking import Echo, Talk, talking


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("commands") / "empty.sqlite"

    async def opened() -> None:
        await (await Database.open(f"sqlite:///{path}", ManualClock())).close()

    asyncio.run(opened())
    return path


@pytest.fixture
def home(tmp_path: Path, empty_database: Path) -> Home:
    home = Home(tmp_path)
    home.prepare()
    shutil.copyfile(empty_database, home.database)
    return home


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def shell(clock: ManualClock) -> MemoryApp:
    return MemoryApp(clock)


@pytest.fixture
def engine(clock: ManualClock) -> Echo:
    return Echo(clock)


@pytest.fixture
async def talk(home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock) -> AsyncIterator[Talk]:
    async with talking(home, engine, shell, clock) as talk:
        yield talk
