"""What a look from outside finds in a database file, and that it changes nothing."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from core.clock import ManualClock
from core.errors import StoreUnavailable
from core.store import schema
from core.store.channels import Channels
from core.store.database import Database
from core.store.engines import EngineRows
from core.store.inspection import Shape, inspected_file, inspected_server
from tests.core.store.databases import PostgresServer

FIRST_RELEASE = Path(__file__).parents[2] / "store" / "databases" / "1-spine.sqlite"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conch.sqlite"


async def made(path: Path, bots: int = 0) -> None:
    """A database of this release, closed."""
    database = await Database.open(f"sqlite:///{path}", ManualClock())
    for number in range(bots):
        await Channels(database).add(f"c{number}", "telegram", str(number), "Shell", None, "sealed")
    await database.close()


def size_of(path: Path) -> int:
    return path.stat().st_size


def revision(path: Path, is_now: str | None = None) -> str:
    with closing(sqlite3.connect(path)) as connection:
        if is_now is not None:
            connection.execute("UPDATE alembic_version SET version_num = ?", (is_now,))
            connection.commit()
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


async def test_a_database_of_this_release_is_sound_and_current(path: Path) -> None:
    await made(path, bots=2)

    found = inspected_file(path)

    assert (found.shape, found.faults, found.bots) == (Shape.CURRENT, (), 2)
    assert found.size >= size_of(path) > 0


async def test_keys_of_bots_and_engines_that_are_sealed_are_counted(path: Path) -> None:
    await made(path, bots=2)
    database = await Database.open(f"sqlite:///{path}", ManualClock())
    for name, credentials in (("openai", "sealed"), ("ollama", None)):
        await EngineRows(database).put(name, kind=name, title=name, base_url=None, credentials=credentials, model=None)
    await database.close()

    found = inspected_file(path)

    assert (found.bots, found.sealed) == (2, 3)


async def test_it_is_looked_at_beside_the_program_that_uses_it(path: Path) -> None:
    database = await Database.open(f"sqlite:///{path}", ManualClock())
    await Channels(database).add("c1", "telegram", "1", "Shell", None, "sealed")

    found = inspected_file(path)
    await Channels(database).set_enabled("c1", False)
    await database.close()

    assert (found.shape, found.bots) == (Shape.CURRENT, 1)


def test_one_of_an_earlier_release_is_told_and_not_brought_up(path: Path) -> None:
    shutil.copy(FIRST_RELEASE, path)
    before = revision(path)

    found = inspected_file(path)

    assert (found.shape, found.faults) == (Shape.OLDER, ())
    assert revision(path) == before


async def test_one_of_a_newer_release_is_told(path: Path) -> None:
    await made(path)
    revision(path, is_now="9999")

    assert inspected_file(path).shape is Shape.NEWER


def test_a_file_without_tables_is_empty(path: Path) -> None:
    path.touch()

    found = inspected_file(path)

    assert (found.shape, found.size, found.bots) == (Shape.EMPTY, 0, 0)


async def test_a_damaged_file_is_told_with_what_is_damaged(path: Path) -> None:
    await made(path, bots=40)
    with path.open("r+b") as file:
        file.seek(0, 2)
        file.truncate(file.tell() // 2)

    try:
        faults = inspected_file(path).faults
    except StoreUnavailable as fault:
        faults = (str(fault),)

    assert faults


def test_what_is_no_database_cannot_be_read(path: Path) -> None:
    path.write_bytes(b"not a database, though as long as one" * 100)

    with pytest.raises(StoreUnavailable, match="damaged"):
        inspected_file(path)


# ---- a server's ------------------------------------------------------------------------------------------------------


@pytest.mark.postgres
async def test_a_servers_database_is_looked_at_beside_the_program_that_uses_it(postgres_url: str) -> None:
    database = await Database.open(postgres_url, ManualClock())
    await Channels(database).add("c1", "telegram", "1", "Shell", None, "sealed")

    found = await inspected_server(postgres_url)
    await database.close()

    assert (found.shape, found.faults, found.bots) == (Shape.CURRENT, (), 1)
    assert found.size > 0


@pytest.mark.postgres
async def test_a_servers_empty_database_stays_empty(postgres_server: PostgresServer) -> None:
    with postgres_server.database() as url:
        first, again = await inspected_server(url), await inspected_server(url)

    assert first.shape is again.shape is Shape.EMPTY


async def test_a_server_that_is_not_there_is_a_matter_of_time() -> None:
    with pytest.raises(StoreUnavailable):
        await inspected_server("postgresql+asyncpg://conch@127.0.0.1:9/conch")


def test_every_revision_is_known_by_its_file() -> None:
    scripts = ScriptDirectory(str(schema.MIGRATIONS)).walk_revisions()

    assert schema.revisions() == {script.revision for script in scripts}
