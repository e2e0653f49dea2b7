import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.probe import can_write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conch.sqlite"


@pytest.fixture
async def opened(file: Path) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{file}", ManualClock(), busy_timeout=0.01)
    yield database
    await database.close()


async def test_a_database_that_takes_writes_is_found_to(database: Database) -> None:
    assert await can_write(database)
    assert await can_write(database)


async def test_a_database_that_another_program_holds_is_found_not_to_until_it_is_let_go(
    opened: Database, file: Path
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        held = await can_write(opened)

    assert not held
    assert await can_write(opened)
