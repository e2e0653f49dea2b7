"""A database for each test of the store: what is promised of one kind is promised of every kind."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from core.clock import ManualClock
from core.store.database import Database
from tests.core.store.databases import PostgresServer


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def migrate(url: str) -> None:
    """Bring an empty database to its shape; in a thread, for there may be an event loop in this one."""

    async def migrate() -> None:
        await (await Database.open(url, ManualClock())).close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, migrate()).result()


@pytest.fixture(scope="session")
def fresh_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("store") / "fresh.sqlite"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path, fresh_file: Path) -> str:
    path = tmp_path / "conch.sqlite"
    shutil.copyfile(fresh_file, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def postgres_server() -> PostgresServer:
    return PostgresServer()


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> Iterator[str]:
    """As `fresh_file`: the name of a database."""
    with postgres_server.database() as url:
        migrate(url)
        yield str(make_url(url).database)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    with postgres_server.database(postgres_template) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database of each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


Open = Callable[[], Awaitable[Database]]


@pytest.fixture
async def reopen(database_url: str, clock: ManualClock) -> AsyncIterator[Open]:
    """Opens the same database again, as the next life of the program would; all are closed at the end."""
    opened: list[Database] = []

    async def open_again() -> Database:
        opened.append(await Database.open(database_url, clock))
        return opened[-1]

    yield open_again
    for database in opened:
        await database.close()


@pytest.fixture
async def database(database_url: str, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(database_url, clock, busy_timeout=0)
    yield database
    await database.close()
