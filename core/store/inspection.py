"""A look at a database from outside, whoever uses it meanwhile: whether it is sound, and of which release.

Nothing is changed, no migration is run: that is done by opening it as a `Database`.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.engine import URL, make_url

from core.store import schema, sqlite, tables
from core.store.faults import translated

MOST_FAULTS = 5
"""That are named; one is enough to need a backup."""


class Shape(StrEnum):
    """The tables in a database, seen from this release."""

    EMPTY = "empty"
    OLDER = "older"
    """Opening it brings it to this release's shape."""
    CURRENT = "current"
    NEWER = "newer"
    """Only a newer release can use it."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was found. `size` is in bytes, of a file with its write-ahead log.

    `bots` counts the connected ones, `sealed` the keys of bots and engines that only the secret key opens.
    """

    size: int
    shape: Shape
    faults: tuple[str, ...] = ()
    bots: int = 0
    sealed: int = 0


def inspected_file(path: Path) -> Inspected:
    """Read a whole SQLite file, which takes a second for some hundred megabytes. Not for the event loop.

    Raises:
        StoreUnavailable: it cannot be read at all.
    """
    engine = sqlite.reader_engine(URL.create("sqlite+pysqlite", database=str(path)))
    with translated(), engine.connect() as connection:
        said = connection.exec_driver_sql(f"PRAGMA quick_check({MOST_FAULTS})").scalars().all()
        faults = tuple(str(line) for line in said if line != "ok")
        shape, (bots, sealed) = _shape(connection), (0, 0) if faults else _counts(connection)
        # The side file is there while a connection is open, and moves into the other when the last one closes.
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        return Inspected(size, shape, faults, bots, sealed)


async def inspected_server(url: str) -> Inspected:
    """Look at a database of a PostgreSQL server. Whether its pages are sound is the server's to know.

    Raises:
        StoreUnavailable: it cannot be reached, or does not let us in.
        UsageError: the address is none.
    """
    # Imported only when it is asked for: it and asyncpg take 0.1 s and 10 MiB, and most run on SQLite.
    from core.store import postgres  # noqa: PLC0415

    engine = postgres.reader_engine(make_url(url))
    try:
        with translated():
            connection = await postgres.connected(engine)
            try:
                return await connection.run_sync(_inspect_server)
            finally:
                await connection.close()
    finally:
        await engine.dispose()


def _inspect_server(connection: Connection) -> Inspected:
    size: int = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    return Inspected(size, _shape(connection), (), *_counts(connection))


def _counts(connection: Connection) -> tuple[int, int]:
    """Bots, and keys of bots and engines; an earlier release's database may lack either table."""
    has_table = inspect(connection).has_table
    bots, engines = select(func.count()).select_from(tables.channel), select(func.count(tables.engine.c.credentials))
    connected = connection.execute(bots).scalar_one() if has_table(tables.channel.name) else 0
    keyed = connection.execute(engines).scalar_one() if has_table(tables.engine.name) else 0
    return connected, connected + keyed


def _shape(connection: Connection) -> Shape:
    revision = schema.revision_of(connection)
    if revision is None:
        return Shape.EMPTY
    if revision == schema.HEAD:
        return Shape.CURRENT
    return Shape.OLDER if revision in schema.revisions() else Shape.NEWER
