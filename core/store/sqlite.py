"""SQLite: how its connections are opened. Everything else in the store is the same for every database.

WAL, so that readers never wait for the writer; `synchronous=FULL`, so that what was committed survives a power cut.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from core.errors import StoreUnavailable

CHECKPOINT_PAGES = 1_000
"""Pages in the write-ahead log before they are moved into the database (16 MiB): a longer pause, but rarer."""

CACHE_KIB = 8_192
"""Of pages, for each connection."""


def create_private(path: Path) -> None:
    """Make an empty database file that only its owner may read; SQLite gives its side files the same rights.

    Raises:
        StoreUnavailable: it cannot be made.
    """
    try:
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as fault:
        raise StoreUnavailable(f"The database file {path} cannot be made: {fault.strerror}.") from fault


def writer_engine(url: URL) -> Engine:
    """For the one connection that writes; it waits for no lock except inside `wait_for_lock`."""
    engine = _engine(url)
    event.listen(engine, "connect", _prepare_writer)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def reader_engine(url: URL) -> Engine:
    """For connections that only read; they never begin a transaction, so each statement sees the newest commit."""
    engine = _engine(url)
    event.listen(engine, "connect", _prepare_reader)
    return engine


@contextmanager
def wait_for_lock(connection: Connection, seconds: float) -> Iterator[None]:
    """Inside, a transaction waits so long for another program that holds the database. Not for the event loop."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - tells the type checker what this module opened
    driver.execute(f"PRAGMA busy_timeout={round(seconds * 1_000)}")
    try:
        yield
    finally:
        driver.execute("PRAGMA busy_timeout=0")


def _engine(url: URL) -> Engine:
    return create_engine(
        url,
        poolclass=NullPool,  # whoever opens a connection keeps it
        connect_args={"timeout": 0, "check_same_thread": False, "cached_statements": 512},
    )


def _prepare_writer(connection: sqlite3.Connection, _: object) -> None:
    _leave_transactions_to_us(connection)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")


def _prepare_reader(connection: sqlite3.Connection, _: object) -> None:
    _leave_transactions_to_us(connection)
    connection.execute("PRAGMA query_only=ON")
    connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")


def _leave_transactions_to_us(connection: sqlite3.Connection) -> None:
    """Python's module would begin a transaction late, and end it before a change of the schema."""
    connection.isolation_level = None


def _begin_immediate(connection: Connection) -> None:
    """Take the write lock at once: a lock taken later could fail half-way through."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
