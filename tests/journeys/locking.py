"""A database that cannot be written while something else goes on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from conch.home import Home


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Another program holds the database for the length of the block, so that nothing can be written."""
    with closing(sqlite3.connect(Home(folder).database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
