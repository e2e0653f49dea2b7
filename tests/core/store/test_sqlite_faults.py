"""A SQLite file that is locked, full, broken or not there: a plain error, nothing half stored, and on it goes."""

import asyncio
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from core.clock import ManualClock
from core.errors import StoreUnavailable
from core.events import Notice
from core.store.database import Database
from core.store.log import Append, EventLog
from tests.core.event_logs import said


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def path(sqlite_url: str) -> Path:
    return Path(sqlite_url.removeprefix("sqlite:///"))


def pragma(name: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(text(f"PRAGMA {name}")).scalar()


async def test_what_is_committed_is_flushed_to_the_disk(database: Database) -> None:
    await database.commit(Append("c", (said(),)))

    settings = {name: await database.write(pragma(name)) for name in ("synchronous", "journal_mode", "foreign_keys")}

    assert settings == {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1}  # 2 is FULL


NEW_FILES = ("new.sqlite", "new.sqlite-shm", "new.sqlite-wal")


async def test_a_new_database_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    database = await Database.open(f"sqlite:///{path}", ManualClock())
    await database.commit(Append("c", (said(),)))

    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in NEW_FILES}
    await database.close()

    assert modes == dict.fromkeys(NEW_FILES, 0o600)


@pytest.mark.parametrize("before", [0, 1], ids=["first transaction", "later transaction"])
async def test_a_locked_database_takes_nothing_and_works_again_afterwards(
    database: Database, path: Path, before: int
) -> None:
    for _ in range(before):
        await database.commit(Append("c", (said(),)))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    results = await asyncio.gather(*(database.commit(Append("c", (said(),))) for _ in range(3)), return_exceptions=True)
    readable = len(await EventLog(database).read("c"))
    other.execute("COMMIT")
    other.close()
    (events,) = await database.commit(Append("c", (said(),)))

    assert all(isinstance(result, StoreUnavailable) and "locked" in str(result) for result in results)
    assert readable == before
    assert isinstance(events, tuple)
    assert [event.seq for event in events] == [before]


async def test_a_lock_that_is_let_go_in_time_is_waited_for(sqlite_url: str, path: Path) -> None:
    database = await Database.open(sqlite_url, ManualClock(), busy_timeout=30)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    commit = asyncio.ensure_future(database.commit(Append("c", (said(),))))
    await asyncio.sleep(0)

    other.execute("COMMIT")
    other.close()

    assert len(await commit) == 1
    await database.close()


async def test_a_full_disk_takes_nothing_and_works_again_afterwards(database: Database) -> None:
    await database.commit(Append("c", (said(),)))
    pages = await database.read(pragma("page_count"))
    await database.write(pragma(f"max_page_count = {pages}"))

    with pytest.raises(StoreUnavailable, match="disk is full"):
        await database.commit(Append("c", (Notice(code="x", message="long " * 10_000),)))

    log = EventLog(database)
    assert len(await log.read("c")) == 1
    assert await log.state("c") == await log.rebuild("c")
    (events,) = await database.commit(Append("c", (Notice(code="x", message="long " * 10_000),)))
    assert isinstance(events, tuple)
    assert [event.seq for event in events] == [1]


async def test_a_damaged_database_is_named_as_such(database: Database, path: Path) -> None:
    await database.commit(Append("c", tuple(Notice(code="x", message="y" * 2_000) for _ in range(50))))
    await database.close()
    with path.open("r+b") as file:
        file.seek(8_192)
        file.write(b"\xff" * 200_000)

    with pytest.raises(StoreUnavailable, match="damaged"):
        await append_to(path)


async def append_to(path: Path) -> None:
    """Damage is noticed when the database is opened, or when the damaged part is read."""
    database = await Database.open(f"sqlite:///{path}", ManualClock())
    try:
        await database.commit(Append("c", (said(),)))
    finally:
        await database.close()


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        await Database.open(f"sqlite:///{tmp_path / 'nowhere' / 'conch.sqlite'}", ManualClock())
