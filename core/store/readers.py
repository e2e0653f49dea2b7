"""Reading: a few threads with a connection each, and one connection for what is quicker than waking a thread.

In WAL mode a reader waits for no lock, and each statement sees everything that was committed before it began.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine

from core.errors import StoreUnavailable
from core.store.faults import translated

THREADS = 2
"""More would only wait for each other on a small machine."""

T = TypeVar("T")


class _Reader:
    """A connection that is opened again after a fault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None

    def run(self, query: Callable[[Connection], T]) -> T:
        try:
            with translated():
                if self._connection is None:
                    self._connection = self._engine.connect()
                return query(self._connection)
        except StoreUnavailable:
            self.close()
            raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()


class Readers:
    """Runs queries; called in the loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._here = _Reader(engine)
        self._theirs = threading.local()
        self._opened: list[_Reader] = []
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="store-reader", initializer=self._equip)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """In a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, query)

    def peek(self, query: Callable[[Connection], T]) -> T:
        """At once, in the loop."""
        return self._here.run(query)

    async def close(self) -> None:
        """Finish what was begun, and let go of the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        for reader in (self._here, *self._opened):
            reader.close()

    def _equip(self) -> None:
        self._theirs.reader = _Reader(self._engine)
        self._opened.append(self._theirs.reader)

    def _run(self, query: Callable[[Connection], T]) -> T:
        reader: _Reader = self._theirs.reader
        return reader.run(query)
