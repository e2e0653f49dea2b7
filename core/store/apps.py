"""Connected apps, and the tickets of signing in with one.

What a connection needs is ciphertext: sealed before it comes here, opened by whoever uses it.

    (made) ──claim, in time──▶ used
       └──its time is over──▶ (thrown away later)

A ticket has 256 random bits, so a plain digest cannot be guessed back.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from core.store import app_tables
from core.store.database import Database
from core.store.statements import insert_into

TICKET_LIFE: Final = timedelta(minutes=10)

_CONNECTION = app_tables.app_connection
_TICKET = app_tables.app_ticket


@dataclass(frozen=True, slots=True)
class AppConnection:
    """A connected app; `account` is who signed in, in the app's words."""

    app_id: str
    account: str
    credentials: str = field(repr=False)
    connected_at: datetime


class Step(StrEnum):
    """What a ticket lets one do."""

    LINK = "link"
    """Open the sign-in of one app."""
    STATE = "state"
    """Come back from the app's own page."""
    CODE = "code"
    """Get keys of the demo calendar (RFC 6749, 4.1)."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket is for. Without a conversation the sign-in was begun from the command line."""

    step: Step
    app_id: str
    conversation_id: str | None = None
    offer_id: str | None = None
    browser: str | None = field(default=None, repr=False)
    sealed: str | None = field(default=None, repr=False)


class TicketFault(StrEnum):
    """Why a ticket is good for nothing."""

    UNKNOWN = "unknown"
    """Nobody was given it, or it was thrown away."""
    USED = "used"
    EXPIRED = "expired"


class AppConnections:
    """Reads and writes the connected apps."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> tuple[AppConnection, ...]:
        """Every connected app, the oldest first."""
        query = select(_CONNECTION).order_by(_CONNECTION.c.connected_at, _CONNECTION.c.app_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(map(_connection, rows))

    async def find(self, app_id: str) -> AppConnection | None:
        """One of them."""
        query = select(_CONNECTION).where(_CONNECTION.c.app_id == app_id)
        row = await self._database.peek(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else _connection(row)

    async def put(self, app_id: str, account: str, credentials: str) -> None:
        """Keep a connection; one of the same app is replaced."""
        news = {"account": account, "credentials": credentials, "connected_at": self._database.now()}

        def work(connection: Connection) -> None:
            kept = insert_into(connection, _CONNECTION).values({"app_id": app_id, **news})
            connection.execute(kept.on_conflict_do_update(index_elements=["app_id"], set_=news))

        await self._database.write(work)

    async def renew(self, before: AppConnection, credentials: str) -> bool:
        """New keys for a connection; False where it was taken away or renewed meanwhile, and nothing is stored."""
        statement = (
            update(_CONNECTION)
            .where(_CONNECTION.c.app_id == before.app_id, _CONNECTION.c.credentials == before.credentials)
            .values(credentials=credentials)
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount == 1)

    async def remove(self, app_id: str) -> bool:
        """Forget a connection and its keys. False: there was none."""
        query = delete(_CONNECTION).where(_CONNECTION.c.app_id == app_id)
        return await self._database.write(lambda connection: connection.execute(query).rowcount == 1)


class Tickets:
    """Makes tickets and takes them, each once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make(self, ticket: Ticket, secret: str | None = None) -> str:
        """A new one, good for ten minutes, told this once. `secret`: its text, where more than chance is in it.

        Raises:
            StoreUnavailable: there is none.
        """
        secret = secret or secrets.token_urlsafe(32)
        row = {
            **{name: getattr(ticket, name) for name in Ticket.__slots__},
            "step": ticket.step.value,
            "ticket_hash": digest(secret),
            "expires_at": self._database.now() + TICKET_LIFE,
        }
        await self._database.write(lambda connection: connection.execute(insert(_TICKET).values(row)))
        return secret

    async def look(self, step: Step, secret: str) -> Ticket | TicketFault:
        """What it is for, without using it up."""
        now = self._database.now()
        return await self._database.read(lambda connection: _look(connection, step, secret, now))

    async def claim(self, step: Step, secret: str) -> Ticket | TicketFault:
        """Use it up: of several at once the first gets it."""
        now = self._database.now()

        def work(connection: Connection) -> Ticket | TicketFault:
            found = _look(connection, step, secret, now)
            if isinstance(found, TicketFault):
                return found
            mine = _TICKET.c.ticket_hash == digest(secret)
            used = update(_TICKET).where(mine, _TICKET.c.used_at.is_(None)).values(used_at=now)
            return found if connection.execute(used).rowcount == 1 else TicketFault.USED

        return await self._database.write(work)


def digest(secret: str) -> str:
    """What is kept of a secret that has enough random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _look(connection: Connection, step: Step, secret: str, now: datetime) -> Ticket | TicketFault:
    query = select(_TICKET).where(_TICKET.c.ticket_hash == digest(secret), _TICKET.c.step == step.value)
    row = connection.execute(query).one_or_none()
    if row is None:
        return TicketFault.UNKNOWN
    if row.used_at is not None:
        return TicketFault.USED
    if row.expires_at <= now:
        return TicketFault.EXPIRED
    kept = {name: row._mapping[name] for name in Ticket.__slots__}
    return Ticket(**{**kept, "step": Step(row.step)})


def _connection(row: Row[Any]) -> AppConnection:
    return AppConnection(**{name: row._mapping[name] for name in AppConnection.__slots__})
