"""A SQLite file: one connection that writes, a few that read.

The statements of a transaction run in the event loop, and only what may wait for the disk runs in a thread: the commit,
rare works, and what another program holds up. With all of it in the thread, Python's interpreter lock changes hands at
every row, and a busy loop gives it back only now and then: there the slowest hundredth of appends waited twice as long
(50 ms instead of 25), and half of them 5.6 ms instead of 3.9. (A loop with nothing else to do makes no difference.)
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from core.errors import StoreUnavailable, UsageError
from core.store import schema, sqlite
from core.store.changes import RecentStates
from core.store.faults import translated
from core.store.readers import Readers
from core.store.transactions import Commit, Job, Written, write

STATES = 1_000
"""Conversations whose fold is kept in memory; nobody else writes here who could change one."""

T = TypeVar("T")


class SqliteBackend:
    """An open file; made by `open`."""

    def __init__(self, writing: Engine, reading: Engine, busy_timeout: float) -> None:
        self._engine = writing
        self._busy_timeout = busy_timeout
        self._states = RecentStates(STATES)
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = Readers(reading)

    @classmethod
    async def open(cls, address: URL, busy_timeout: float) -> Self:
        """Open the file and migrate it; it is made when it is not there.

        Raises:
            UsageError: the address names no file, or a newer release wrote it.
            StoreUnavailable: it cannot be opened now.
        """
        if not address.database or address.database == ":memory:":
            raise UsageError("The database address must name a file: sqlite:///path/to/conch.db.")
        address = address.set(drivername="sqlite+pysqlite")
        writing = sqlite.writer_engine(address)
        await asyncio.to_thread(_prepare, Path(str(address.database)), writing, busy_timeout)
        return cls(writing, sqlite.reader_engine(address), busy_timeout)

    async def transact(self, jobs: Sequence[Job], at: datetime) -> Written:
        """Do all jobs in one transaction."""
        written = self._begin(jobs, at)
        if written is None:
            return await self._in_thread(lambda: self._carefully(jobs, at))
        await self._in_thread(self._commit)
        return written

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query, in a thread."""
        return await self._readers.read(query)

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """Run a query, at once: SQLite answers from memory in a third of the time that it takes to wake a thread."""
        return self._readers.peek(query)

    async def close(self) -> None:
        """Let go of the file."""
        await self._readers.close()
        await asyncio.to_thread(self._disconnect)
        self._thread.shutdown()

    def _begin(self, jobs: Sequence[Job], at: datetime) -> Written | None:
        """Run all statements; None when that is nothing for the loop, and nothing was written."""
        if self._connection is None or not isinstance(jobs[0], Commit):
            return None
        try:
            with translated():
                self._connection.begin()
            return write(self._connection, jobs, at, self._states)
        except StoreUnavailable:  # perhaps another program holds the database: the thread may wait for it
            self._roll_back()
            return None
        except Exception:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        self._states.clear()
        try:
            with translated():
                if self._connection is not None:
                    self._connection.rollback()
        except Exception:  # noqa: BLE001 - a connection that cannot even do that is given up
            self._disconnect()

    # ---- in the thread ---------------------------------------------------------------------------------------------

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def _commit(self) -> None:
        """End the transaction that the loop began."""
        with self._given_up_after_a_fault():
            if self._connection is not None:
                self._connection.commit()

    def _carefully(self, jobs: Sequence[Job], at: datetime) -> Written:
        """Connect if need be, and wait for others who hold the database."""
        with self._given_up_after_a_fault():
            if self._connection is None:
                self._connection = self._engine.connect()
            with sqlite.wait_for_lock(self._connection, self._busy_timeout), self._connection.begin():
                return write(self._connection, jobs, at, self._states)

    @contextmanager
    def _given_up_after_a_fault(self) -> Iterator[None]:
        """A connection with a fault is not used again: the next transaction opens another."""
        try:
            with translated():
                yield
        except BaseException:
            self._states.clear()
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()


def _prepare(path: Path, engine: Engine, busy_timeout: float) -> None:
    """Runs in a thread: files and migrations wait for the disk."""
    with translated():
        sqlite.create_private(path)
        with engine.connect() as connection, sqlite.wait_for_lock(connection, busy_timeout), connection.begin():
            schema.migrate(connection)
