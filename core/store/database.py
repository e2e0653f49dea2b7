"""The database: one door for everything that is read or written.

Whoever wants to write hands in changes (`core.store.changes`) or, for rare things, a function over the connection;
whoever wants to read, a function over a connection that can only read. What the rows mean is in the module of each
concern.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Self, TypeVar, overload

import structlog
from sqlalchemy import Connection
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from core.clock import Clock
from core.errors import StoreUnavailable, UsageError
from core.events import Event
from core.meter import NO_METER, Meter
from core.store.backend import Backend
from core.store.changes import Change
from core.store.sqlite_backend import SqliteBackend
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

    def __init__(self, backend: Backend, clock: Clock, meter: Meter) -> None:
        self._clock = clock
        self._backend = backend
        self._listeners: list[Listener] = []
        self._closed = False
        self._writer = Writer(backend, clock, self._publish, meter)

    @classmethod
    async def open(
        cls, url: str, clock: Clock, *, busy_timeout: float = 1.0, shared: bool = False, meter: Meter = NO_METER
    ) -> Self:
        """Open `sqlite:///path` or `postgresql+asyncpg://…` and bring it to this release's shape.

        A SQLite file is made when it is not there. A PostgreSQL database is for one program at a time, unless it is
        `shared` by all of them. `busy_timeout` is how many seconds to wait while another program holds the database,
        or something in it.

        Raises:
            UsageError: the address is none of ours, another program serves from it, or a newer release wrote it.
            StoreUnavailable: it cannot be opened now.
        """
        return cls(await _opened(url, clock, busy_timeout, shared), clock, meter)

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
            MaybeDone: the connection to the server was lost at the last moment, and did not come back for long.
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
            StoreUnavailable, Refused, MaybeDone: as for `commit`.
        """
        result: T = await self._writer.submit(Work(work))
        return result

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query; each of its statements sees everything that was committed before.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        self._check_open()
        return await self._backend.read(query)

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """As `read`, for a few rows that are found by their key: it is quicker, and nothing else runs meanwhile."""
        self._check_open()
        return await self._backend.peek(query)

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
        self._closed = True
        await self._writer.close()
        await self._backend.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("The database is closed.")

    def _publish(self, events: Sequence[Event]) -> None:
        for listener in self._listeners:
            try:
                listener(events)
            except Exception:  # noqa: BLE001 - whoever wrote must not suffer for whoever watches
                _log.exception("a listener of the log failed")


async def _opened(url: str, clock: Clock, busy_timeout: float, shared: bool) -> Backend:
    try:
        address = make_url(url)
    except ArgumentError:  # it repeats the address, which may hold a password
        raise UsageError("The database address cannot be read: it looks like sqlite:///path/to/conch.db.") from None
    kind = address.get_backend_name()
    if kind == "postgresql":
        # Imported only when it is asked for: it and asyncpg take 0.1 s and 10 MiB, and most run on SQLite.
        from core.store.postgres_backend import PostgresBackend  # noqa: PLC0415

        return await PostgresBackend.open(address, clock, busy_timeout, shared=shared)
    if kind != "sqlite":
        raise UsageError(f"The database address must start with sqlite:/// or postgresql+asyncpg://, not {kind}://.")
    if shared:
        raise UsageError("A SQLite file belongs to one program: only a PostgreSQL database can be shared.")
    return await SqliteBackend.open(address, busy_timeout)
