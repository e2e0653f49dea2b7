"""PostgreSQL: how its connections are opened, and who may use a database.

A server that runs holds a lock on the database for as long as the connection lives that it writes with: whoever cannot
get it must not write. (Several servers on one database need more than that: leases, and a way to wake each other. Until
then a second one refuses to start.)
"""

import os
import platform
import uuid
from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, NullPool

from core.errors import UsageError

CONNECT_SECONDS = 10.0

OLDEST = 140_000
"""The oldest server that is known to do, as it numbers its versions."""

STATEMENT_SECONDS = 60.0
"""After which a statement counts as lost: nothing that the store does takes that long, except migrations."""

READERS = 4
"""Connections that read; they are opened when they are needed."""

_SERVING = 0x636F6E6368  # "conch"
_MIGRATING = _SERVING + 1

_ALIVE = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
"""A connection whose other side vanished without a word is ended within half a minute, and its lock is free."""

_LOCK_NOT_AVAILABLE = "55P03"


class DatabaseInUse(UsageError):
    """Another program serves from this database."""

    def __init__(self, holder: str | None) -> None:
        who = f"Another program ({holder})" if holder else "Another program"
        super().__init__(f"{who} is using this database. End it first, or set CONCH_DATABASE_URL to another database.")


# ---- connections ---------------------------------------------------------------------------------------------------


def own_name() -> str:
    """What others see of this program in the list of connections; no other opening has the same."""
    host = platform.node().encode("ascii", "replace").decode()
    return f"conch {os.getpid()} on {host[:32]}, {uuid.uuid4().hex[:8]}"  # the server keeps 63 characters


def writer_engine(address: URL, name: str, lock_timeout: float) -> AsyncEngine:
    """For the one connection that writes; it waits `lock_timeout` seconds for what another program holds."""
    settings = {"application_name": name, "lock_timeout": str(max(1, round(lock_timeout * 1_000)))}  # 0 is for ever
    return _engine(address, settings, poolclass=NullPool)


def reader_engine(address: URL) -> AsyncEngine:
    """For connections that only read; each of their statements is a transaction, so that it sees the newest commit."""
    settings = {"application_name": "conch, reading", "default_transaction_read_only": "on"}
    return _engine(
        address,
        settings,
        isolation_level="AUTOCOMMIT",
        poolclass=AsyncAdaptedQueuePool,
        pool_size=READERS,
        max_overflow=0,
    )


def migrating_engine(address: URL) -> AsyncEngine:
    """For a connection whose statements take as long as they need."""
    return _engine(address, {"application_name": "conch, migrating"}, poolclass=NullPool, statements_take=None)


def _engine(
    address: URL, settings: Mapping[str, str], *, statements_take: float | None = STATEMENT_SECONDS, **options: object
) -> AsyncEngine:
    query = {"ssl" if key == "sslmode" else key: value for key, value in address.query.items()}  # hosts write libpq's
    return create_async_engine(
        address.set(drivername="postgresql+asyncpg", query=query),
        connect_args={
            "server_settings": {**_ALIVE, **settings},
            "timeout": CONNECT_SECONDS,
            "command_timeout": statements_take,
        },
        **options,
    )


async def connected(engine: AsyncEngine) -> AsyncConnection:
    """A new connection.

    Raises:
        UsageError: there is an option in the address that the driver does not know.
    """
    try:
        return await engine.connect()
    except TypeError as error:
        raise UsageError("The database address has an option that there is not: leave it away.") from error


async def make_durable(connection: AsyncConnection) -> None:
    """Have each commit of this connection wait for the disk, whatever is usual on its server.

    Raises:
        UsageError: the server is older than what this needs.
    """
    version = (await connection.execute(text("SHOW server_version_num"))).scalar_one()
    if int(version) < OLDEST:
        raise UsageError(f"Conch needs PostgreSQL {OLDEST // 10_000} or newer; this is {int(version) // 10_000}.")
    if (await connection.execute(text("SHOW synchronous_commit"))).scalar_one() == "off":
        await connection.execute(text("SET synchronous_commit = on"))
    await connection.commit()


async def end_earlier_connections(connection: AsyncConnection, name: str) -> None:
    """Wait until what the server still keeps of lost connections of this name is gone, with what they had begun."""
    query = text(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = :name AND pid <> pg_backend_pid() AND datname = current_database()"
    )
    await connection.execute(query, {"name": name})
    await connection.commit()


# ---- a commit whose answer may get lost ----------------------------------------------------------------------------


async def transaction_number(connection: AsyncConnection) -> str:
    """The number under which the server remembers what becomes of the running transaction."""
    number: str = (await connection.execute(text("SELECT pg_current_xact_id()::text"))).scalar_one()
    return number


async def outcome_of(connection: AsyncConnection, number: str) -> bool | None:
    """Whether a transaction was committed; None while it is still being done."""
    query = text("SELECT pg_xact_status(CAST(CAST(:number AS text) AS xid8))")
    status = (await connection.execute(query, {"number": number})).scalar()
    await connection.commit()
    return None if status == "in progress" else status == "committed"


# ---- locks ---------------------------------------------------------------------------------------------------------


async def serve_alone(connection: AsyncConnection) -> None:
    """Take the database for as long as this connection lives.

    Raises:
        DatabaseInUse: another program has it, and did not let go within the connection's lock timeout.
    """
    try:
        await connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _SERVING})
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        await connection.rollback()
        raise DatabaseInUse(await _holder(connection)) from error
    await connection.commit()


async def migrate_alone(connection: AsyncConnection) -> None:
    """Wait until nobody else migrates the database; until the end of the transaction nobody else will."""
    await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})


async def _holder(connection: AsyncConnection) -> str | None:
    """The name of whoever has the database; None when they are gone by now."""
    query = text(
        "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN pg_database ON database = oid"
        " WHERE locktype = 'advisory' AND granted AND pg_database.datname = current_database()"
        " AND (classid::bigint << 32) | objid::bigint = :key"
    )
    return (await connection.execute(query, {"key": _SERVING})).scalar()
