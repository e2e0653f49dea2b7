"""The database: one door for everything that is read or written.

Whoever wants to write hands in changes (`core.store.changes`) or, for rare things, a function over the connection;
whoever wants to read, a function over a connection that can only read. What the rows mean is in the module of each
concern.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar, overload

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL, make_url

from core.clock import Clock
from core.errors import UsageError
from core.events import Event
from core.meter import NO_METER, Meter
from core.store import schema, sqlite
from core.store.changes import Change
from core.store.faults import translated
from core.store.readers import Readers
from core.store.transactions import Commit, Work
from core.store.writer import Writer

_log = structlog.get_logger(__name__)

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

Listener = Callable[[Sequence[Event]], None]


class Database:
    """An open database; made by `open`."""

    def __init__(self, writing: Engine, reading: Engine, clock: Clock, busy_timeout: float, meter: Meter) -> None:
        self._clock = clock
        self._readers = Readers(reading)
        self._listeners: list[Listener] = []
        self._writer = Writer(writing, clock, self._publish, busy_timeout, meter)

    @classmethod
    async def open(cls, url: str, clock: Clock, *, busy_timeout: float = 1.0, meter: Meter = NO_METER) -> Self:
        """Open `sqlite:///path` and bring it to this release's shape; the file is made when it is not there.

        `busy_timeout` is how many seconds a write waits while another program holds the database.

        Raises:
            UsageError: the address is none of ours, or a newer release wrote the database.
            StoreUnavailable: it cannot be opened now.
        """
        address = _sqlite_address(url)
        writing = sqlite.writer_engine(address)
        await asyncio.to_thread(_prepare, Path(str(address.database)), writing, busy_timeout)
        return cls(writing, sqlite.reader_engine(address), clock, busy_timeout, meter)

    @overload
    async def commit(self, first: Change[A], /) -> tuple[A]: ...

    @overload
    async def commit(self, first: Change[A], second: Change[B], /) -> tuple[A, B]: ...

    @overload
    async def commit(self, first: Change[A], second: Change[B], third: Change[C], /) -> tuple[A, B, C]: ...

    @overload
    async def commit(self, /, *changes: Change[Any]) -> tuple[Any, ...]: ...

    async def commit(self, *changes: Change[Any]) -> tuple[Any, ...]:
        """Write all of them or none; the results are in the order of the changes. Durable when it returns.

        A caller that is cancelled does not know whether the changes were stored.

        Raises:
            StoreUnavailable: nothing was stored; the same may work later.
            Refused: nothing was stored, and never will be.
        """
        results: tuple[Any, ...] = await self._writer.submit(Commit(changes))
        return results

    async def commit_one(self, change: Change[T]) -> T:
        """As `commit`, for one change."""
        results: tuple[T] = await self._writer.submit(Commit((change,)))
        return results[0]

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in the writer's transaction: for what is rare, and no change of the log.

        What it raises undoes what it did and nothing else.

        Raises:
            StoreUnavailable, Refused: as for `commit`.
        """
        result: T = await self._writer.submit(Work(work))
        return result

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query that sees everything committed before; it runs in a thread of its own.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        return await self._readers.read(query)

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """As `read`, for a few rows that are found by their key.

        SQLite answers that from memory in less time than it takes to wake a thread, so it is asked in the loop.
        """
        return self._readers.peek(query)

    def now(self) -> datetime:
        """The store's time, for what is written by functions."""
        return self._clock.now()

    def on_commit(self, listener: Listener) -> None:
        """Tell a listener of what the log gained, in the loop, before the commit returns to whoever made it.

        Events of one conversation come in the order of their seqs, each once, and are durable.
        """
        self._listeners.append(listener)

    async def close(self) -> None:
        """Finish what was begun and let go of the database; harmless a second time."""
        await self._writer.close()
        await self._readers.close()

    def _publish(self, events: Sequence[Event]) -> None:
        for listener in self._listeners:
            try:
                listener(events)
            except Exception:  # noqa: BLE001 - whoever wrote must not suffer for whoever watches
                _log.exception("a listener of the log failed")


def _sqlite_address(url: str) -> URL:
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        raise UsageError(f"The database address must start with sqlite:///, not {address.drivername}://.")
    if not address.database or address.database == ":memory:":
        raise UsageError("The database address must name a file: sqlite:///path/to/conch.db.")
    return address.set(drivername="sqlite+pysqlite")


def _prepare(path: Path, engine: Engine, busy_timeout: float) -> None:
    """Runs in a thread: files and migrations wait for the disk."""
    with translated():
        sqlite.create_private(path)
        with engine.connect() as connection, sqlite.wait_for_lock(connection, busy_timeout), connection.begin():
            schema.migrate(connection)
