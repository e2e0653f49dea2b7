"""Ada's private chat with a Conch whose engine echoes."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.arrivals import Arrivals
from channels.commands.chat import ChatCommands
from channels.memory.app import MemoryApp
from channels.menus.assembly import Choosing, assembled
from channels.seating import Seating
from conch.home import Home
from core.clock import ManualClock
from core.engines.catalogue import Catalogue
from core.own_commands import OwnCommands
from core.preferences import Preferences
from core.settings import Settings
from core.skills.skills import Skills
from core.store.database import Database
from core.store.seats import Seats
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


@pytest.fixture
def commands(talk: Talk, home: Home, clock: ManualClock) -> ChatCommands:
    """The commands of this Conch by themselves, as the service runs them."""

    async def never(*_: object) -> None:
        raise AssertionError("nothing arrives here")

    database, conversations = talk.app.database, talk.app.conversations
    seating, arrivals = Seating(database), Arrivals(never, lambda *_: None, Preferences(Settings()), clock)
    choosing = Choosing(Catalogue(talk.app.engines), Preferences(Settings()), talk.app.menu_edits)
    answers, _ = assembled(
        choosing,
        database=database,
        conversations=conversations,
        seating=seating,
        arrivals=arrivals,
        offers=talk.app.offers,
        clock=clock,
    )
    return ChatCommands(
        conversations=conversations,
        seats=Seats(database),
        seating=seating,
        arrivals=arrivals,
        own=OwnCommands(home.commands),
        skills=Skills(home.skills, Preferences(Settings())),
        preferences=Preferences(Settings()),
        answers=answers,
        console="https://conch.example",
    )
