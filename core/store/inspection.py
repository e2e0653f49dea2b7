"""A look at a SQLite file from outside, whoever uses it meanwhile: whether it is sound, and of which release.

Nothing is changed, no migration is run: that is done by opening it as a `Database`.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Connection, func, inspect, select
from sqlalchemy.engine import URL

from core.store import schema, sqlite, tables
from core.store.faults import translated

MOST_FAULTS = 5
"""That are named; one is enough to need a backup."""


class Shape(StrEnum):
    """The tables in a file, seen from this release."""

    EMPTY = "empty"
    OLDER = "older"
    """Opening it brings it to this release's shape."""
    CURRENT = "current"
    NEWER = "newer"
    """Only a newer release can use it."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was found. `size` is in bytes, with the write-ahead log; `bots` counts the connected ones."""

    size: int
    shape: Shape
    faults: tuple[str, ...] = ()
    bots: int = 0


def inspected(path: Path) -> Inspected:
    """Read the whole file, which takes a second for some hundred megabytes. Not for the event loop.

    Raises:
        StoreUnavailable: it cannot be read at all.
    """
    engine = sqlite.reader_engine(URL.create("sqlite+pysqlite", database=str(path)))
    with translated(), engine.connect() as connection:
        said = connection.exec_driver_sql(f"PRAGMA quick_check({MOST_FAULTS})").scalars().all()
        faults = tuple(str(line) for line in said if line != "ok")
        shape = _shape(connection)
        bots = 0 if faults or not inspect(connection).has_table(tables.channel.name) else _bots(connection)
        # The side file is there while a connection is open, and moves into the other when the last one closes.
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        return Inspected(size, shape, faults, bots)


def _bots(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(tables.channel)).scalar_one()


def _shape(connection: Connection) -> Shape:
    revision = schema.revision_of(connection)
    if revision is None:
        return Shape.EMPTY
    if revision == schema.HEAD:
        return Shape.CURRENT
    return Shape.OLDER if revision in schema.revisions() else Shape.NEWER
