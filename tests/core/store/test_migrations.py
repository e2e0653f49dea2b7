"""Migrations: a new database and an old one end up in the shape of the tables."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.engine import make_url

from core.clock import ManualClock
from core.errors import StoreUnavailable, UsageError
from core.store import (  # noqa: F401 - some only add their tables
    app_tables,
    console_tables,
    preview_tables,
    reference_tables,
    schema,
    sqlite,
    tables,
)
from core.store.database import Database
from core.store.log import EventLog
from tests.core.store.databases import PostgresServer

OLD_DATABASES = Path(__file__).parents[2] / "store" / "databases"
"""Databases that earlier releases wrote."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = sqlite.writer_engine(make_url(f"sqlite:///{tmp_path / 'conch.sqlite'}"))
    yield engine
    engine.dispose()


def differences(connection: Connection) -> list[object]:
    """What Alembic would put into the next revision."""
    context = MigrationContext.configure(connection, opts={"target_metadata": tables.METADATA, "compare_type": True})
    found: list[object] = compare_metadata(context, tables.METADATA)
    return found


def shape(connection: Connection) -> set[str]:
    """Every table and index in SQLite's own words, lines in no order and without white space."""
    words = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'alembic_version'"
    )
    return {
        "\n".join(sorted("".join(line.split()).rstrip(",").replace('"', "") for line in sql.splitlines()))
        for sql in words.scalars()
    } - {"CREATETABLEsqlite_sequence(name,seq)"}


def test_a_new_database_has_the_shape_of_the_tables(engine: Engine) -> None:
    with engine.begin() as connection:
        schema.migrate(connection)

    with engine.begin() as connection:
        assert differences(connection) == []


def test_a_migrated_database_is_what_the_tables_would_make(engine: Engine, tmp_path: Path) -> None:
    other = sqlite.writer_engine(make_url(f"sqlite:///{tmp_path / 'made.sqlite'}"))
    with other.begin() as connection:
        tables.METADATA.create_all(connection)
        made = shape(connection)

    with engine.begin() as connection:
        schema.migrate(connection)
        migrated = shape(connection) - {s for s in shape(connection) if "alembic_version" in s}

    assert migrated == made


def test_the_newest_revision_is_the_one_that_the_program_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    config.set_main_option("path_separator", "os")

    assert ScriptDirectory.from_config(config).get_heads() == [schema.HEAD]


def test_migrating_again_changes_nothing(engine: Engine) -> None:
    with engine.begin() as connection:
        schema.migrate(connection)
        before = shape(connection)

    with engine.begin() as connection:
        schema.migrate(connection)

        assert shape(connection) == before
        assert schema.revision_of(connection) == schema.HEAD


def test_a_migration_that_is_cut_off_leaves_the_database_as_it_was(engine: Engine) -> None:
    with engine.connect() as connection:
        begun = connection.begin()
        schema.migrate(connection)
        begun.rollback()

    with engine.begin() as connection:
        assert inspect(connection).get_table_names() == []
        schema.migrate(connection)
        assert differences(connection) == []


async def test_a_database_of_a_newer_release_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "conch.sqlite"
    await (await Database.open(f"sqlite:///{path}", ManualClock())).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()

    with pytest.raises(UsageError, match="newer release"):
        await Database.open(f"sqlite:///{path}", ManualClock())


@pytest.mark.postgres
async def test_a_new_postgresql_database_has_the_shape_of_the_tables(postgres_url: str) -> None:
    database = await Database.open(postgres_url, ManualClock())

    assert await database.write(differences) == []
    await database.close()


@pytest.mark.postgres
async def test_an_empty_database_that_several_open_at_once_is_migrated_by_one(postgres_server: PostgresServer) -> None:
    with postgres_server.database() as url:
        opened = await asyncio.gather(*(Database.open(url, ManualClock(), shared=True) for _ in range(3)))

        assert [await one.write(schema.revision_of) for one in opened] == [schema.HEAD] * 3
        await asyncio.gather(*(one.close() for one in opened))


@pytest.mark.postgres
async def test_a_postgresql_database_of_a_newer_release_is_left_alone(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    postgres_server.run("UPDATE alembic_version SET version_num = '9999'", postgres_url)

    with pytest.raises(UsageError, match="newer release"):
        await Database.open(postgres_url, ManualClock())


@pytest.mark.parametrize("url", ["mysql://host/db", "no address", "sqlite://", "sqlite:///:memory:"])
async def test_an_address_that_is_none_of_ours_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        await Database.open(url, ManualClock())


async def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "conch.sqlite"
    words = "Dear diary, " * 200
    path.write_text(words)

    with pytest.raises(StoreUnavailable, match="not a database"):
        await Database.open(f"sqlite:///{path}", ManualClock())

    assert path.read_text() == words


@pytest.mark.report("R155")
async def test_every_database_of_an_earlier_release_opens_whole(tmp_path: Path) -> None:
    for old in sorted(OLD_DATABASES.glob("*.sqlite")):
        copy = tmp_path / old.name
        shutil.copyfile(old, copy)

        database = await Database.open(f"sqlite:///{copy}", ManualClock())

        log = EventLog(database)
        for conversation in await log.page(1_000):
            events = await log.read(conversation.id)
            assert [event.seq for event in events] == list(range(conversation.last_seq + 1)), old.name
            assert await log.state(conversation.id) == await log.rebuild(conversation.id), old.name
        assert await database.write(differences) == [], old.name
        await database.close()
