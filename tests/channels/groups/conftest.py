"""A Conch over the in-memory app, and a group that is on."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat
from conch.home import Home
from core.clock import ManualClock
from core.store.database import Database
from tests.channels.commands.talking import Echo, Talk, talking
from tests.channels.groups.rooms import ADA, BOB, EVE, seen_through


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("groups") / "empty.sqlite"

    async def opened() -> None:
        await (await Database.open(f"sqlite:///{path}", ManualClock())).close()

    asyncio.run(opened())
    return path


@pytest.fixture
def home(tmp_path: Path, migrated: Path) -> Home:
    home = Home(tmp_path)
    home.prepare()
    shutil.copyfile(migrated, home.database)
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
    async with talking(home, engine, shell, clock, guest_answers_per_hour=3) as talk:
        yield talk


@pytest.fixture
async def group(talk: Talk) -> MemoryChat:
    """A group that is on: Ada owns the bot, Bob was let in, Eve was not."""
    await talk.app.people.let_in(talk.channel_id, "bob", by="console", name="Bob")
    group = talk.shell.group("Team", ADA, BOB, EVE)
    await seen_through(talk)
    await talk.app.groups.switch(talk.channel_id, group.id, True)
    return group
