"""A PostgreSQL database: one connection that writes, a few that read, all of them in the event loop.

Other programs may write at the same time, so nothing is remembered from one transaction to the next, and rows that a
transaction decides by are locked until its end.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncTransaction

from core.clock import Clock
from core.errors import ConchError, MaybeDone, StoreUnavailable
from core.store import postgres, schema
from core.store.changes import RecentStates
from core.store.faults import collided, is_lost, translated
from core.store.transactions import Job, Written, write

TRIES = 3
"""Of a transaction, before it is given up."""

DOUBT_SECONDS = 30.0
"""How long the database is asked what became of a commit, every `ASK_AGAIN` seconds."""

ASK_AGAIN = 0.5

T = TypeVar("T")


class PostgresBackend:
    """An open database; made by `open`."""

    def __init__(self, address: URL, clock: Clock, busy_timeout: float, *, shared: bool) -> None:
        self._clock = clock
        self._shared = shared
        self._name = postgres.own_name()
        self._writing = postgres.writer_engine(address, self._name, busy_timeout)
        self._reading = postgres.reader_engine(address)
        self._free_readers = asyncio.Semaphore(postgres.READERS)
        self._connection: AsyncConnection | None = None
        self._closed = False

    @classmethod
    async def open(cls, address: URL, clock: Clock, busy_timeout: float, *, shared: bool) -> Self:
        """Connect, take the database unless it is shared, and migrate it.

        Raises:
            UsageError: another program serves from it, its server is too old, or a newer release wrote it.
            StoreUnavailable: it cannot be reached now, or does not let us in.
        """
        backend = cls(address, clock, busy_timeout, shared=shared)
        try:
            with translated():
                await backend._connect()  # before migrating: a second server must not change the first one's tables
                await _migrate(address)
        except BaseException:
            await backend.close()
            raise
        return backend

    async def transact(self, jobs: Sequence[Job], at: datetime) -> Written:
        """Do all jobs in one transaction.

        Again where another program wrote the same rows, now that it is through, and where the connection turns out to
        be cut off: the server may have been started anew since it was used last.
        """
        for _ in range(TRIES - 1):
            was_connected = self._connection is not None
            try:
                return await self._transact(jobs, at)
            except ConchError as error:
                if not (collided(error) or (was_connected and is_lost(error.__cause__))):
                    raise
        return await self._transact(jobs, at)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query; a second time where its connection turns out to be cut off."""
        with suppress(StoreUnavailable):
            return await self._read(query)
        return await self._read(query)

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """As `read`."""
        return await self.read(query)

    async def close(self) -> None:
        """Let queries end, then let go of the database and of the lock on it."""
        if self._closed:
            return
        self._closed = True
        for _ in range(postgres.READERS):
            await self._free_readers.acquire()
        await self._reading.dispose()
        await self._disconnect()
        await self._writing.dispose()

    async def _read(self, query: Callable[[Connection], T]) -> T:
        with translated():
            async with self._free_readers, self._reading.connect() as connection:
                return await connection.run_sync(query)

    # ---- one transaction -------------------------------------------------------------------------------------------

    async def _transact(self, jobs: Sequence[Job], at: datetime) -> Written:
        try:
            with translated():
                connection = await self._connected()
                transaction = await connection.begin()
                written = await connection.run_sync(write, jobs, at, RecentStates(0))
                await self._commit(connection, transaction)
        except BaseException:
            await self._roll_back()
            raise
        return written

    async def _commit(self, connection: AsyncConnection, transaction: AsyncTransaction) -> None:
        """Make it durable. Where the answer is lost with the connection, ask the database what became of it.

        Without that, whoever tries again could store the same twice.
        """
        number = await postgres.transaction_number(connection)
        try:
            await transaction.commit()
        except (SQLAlchemyError, OSError) as error:
            if not is_lost(error):
                raise
            await self._disconnect()
            if not await self._was_committed(number):
                raise

    async def _was_committed(self, number: str) -> bool:
        until = self._clock.monotonic() + DOUBT_SECONDS
        while True:
            with suppress(StoreUnavailable), translated():
                outcome = await postgres.outcome_of(await self._connected(), number)
                if outcome is not None:
                    return outcome
            if self._clock.monotonic() >= until:
                raise MaybeDone("The connection to the database was lost while something was stored.")
            await self._clock.sleep(ASK_AGAIN)

    async def _roll_back(self) -> None:
        try:
            if self._connection is not None:
                await self._connection.rollback()
        except (SQLAlchemyError, OSError):  # a connection that cannot even do that is given up
            await self._disconnect()

    # ---- the connection that writes --------------------------------------------------------------------------------

    async def _connected(self) -> AsyncConnection:
        """The connection, opened anew after it was lost. Whoever has it may write."""
        if self._connection is not None and self._connection.invalidated:
            await self._disconnect()  # or SQLAlchemy puts another in its place, without the lock on the database
        try:
            return self._connection or await self._connect()
        except postgres.DatabaseInUse as error:  # while we were cut off, another server took over
            raise StoreUnavailable(str(error)) from error

    async def _connect(self) -> AsyncConnection:
        connection = await postgres.connected(self._writing)
        try:
            await postgres.end_earlier_connections(connection, self._name)
            await postgres.make_durable(connection)
            if not self._shared:
                await postgres.serve_alone(connection)
        except BaseException:
            await _give_up(connection)
            raise
        self._connection = connection
        return connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await _give_up(connection)


async def _give_up(connection: AsyncConnection) -> None:
    with suppress(SQLAlchemyError, OSError):
        await connection.invalidate()
    await connection.close()


async def _migrate(address: URL) -> None:
    engine = postgres.migrating_engine(address)
    try:
        async with engine.begin() as connection:
            await postgres.migrate_alone(connection)
            await connection.run_sync(schema.migrate)
    finally:
        await engine.dispose()
