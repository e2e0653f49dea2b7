"""A database for each test of the store: what is promised of one kind is promised of every kind."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from core.clock import ManualClock
from core.store import schema, sqlite
from core.store.database import Database


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="session")
def fresh_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("store") / "fresh.sqlite"
    engine = sqlite.writer_engine(make_url(f"sqlite:///{path}"))
    with engine.begin() as connection:
        schema.migrate(connection)
    return path


@pytest.fixture(params=["sqlite"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, fresh_file: Path) -> str:
    """The address of an empty database of each kind."""
    path = tmp_path / "conch.sqlite"
    shutil.copyfile(fresh_file, path)
    return f"{request.param}:///{path}"


Open = Callable[[], Awaitable[Database]]


@pytest.fixture
async def reopen(database_url: str, clock: ManualClock) -> AsyncIterator[Open]:
    """Opens the same database again, as the next life of the program would; all are closed at the end."""
    opened: list[Database] = []

    async def open_again() -> Database:
        opened.append(await Database.open(database_url, clock, busy_timeout=0))
        return opened[-1]

    yield open_again
    for database in opened:
        await database.close()


@pytest.fixture
async def database(database_url: str, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(database_url, clock, busy_timeout=0)
    yield database
    await database.close()
