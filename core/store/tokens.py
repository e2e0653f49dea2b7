"""Tokens of the API: which program may ask, under which name, and how much it may do.

A token is told once, when it is made. Only its hash is here: it has 256 random bits, so a plain digest cannot be
guessed back. One that is revoked is forgotten.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from core.errors import NotFound, UsageError
from core.store import tables
from core.store.database import Database

PREFIX: Final = "conch_"
"""How every token begins, so that people and filters of secrets know one when they see it."""

MAX_NAME: Final = 40
"""Characters; people read it on a card that the token's program answered."""

MAX_TOKENS: Final = 100

USED_EVERY: Final = timedelta(minutes=1)
"""How exact `last_used` is: one write a minute and token, not one a request."""

_TOKEN = tables.api_token


class TokenScope(StrEnum):
    """What a token is good for."""

    READ = "read"
    """Looking."""
    FULL = "full"
    """Everything that the owner may do through the API."""


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token that counts. `last_used` is exact to a minute."""

    id: str
    name: str
    scope: TokenScope
    created_at: datetime
    last_used: datetime | None


class ApiTokens:
    """Makes tokens, knows them again and forgets them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, name: str, scope: TokenScope) -> tuple[str, TokenRecord]:
        """A new token, told this once, and what is kept of it.

        Raises:
            UsageError: the name is none or taken, or there are as many tokens as there may be.
            StoreUnavailable: there is no new token.
        """
        record = TokenRecord(secrets.token_hex(8), _checked(name), scope, self._database.now(), None)
        token = PREFIX + secrets.token_urlsafe(32)

        def work(connection: Connection) -> None:
            names = [known.casefold() for known in connection.execute(select(_TOKEN.c.name)).scalars()]
            if record.name.casefold() in names:
                raise UsageError(f"There is a token “{record.name}” already. Revoke it first, or choose another name.")
            if len(names) >= MAX_TOKENS:
                raise UsageError(f"There are {MAX_TOKENS} tokens, and no more are kept. Revoke one first.")
            connection.execute(insert(_TOKEN).values(_row(record, token)))

        await self._database.write(work)
        return token, record

    async def list(self) -> tuple[TokenRecord, ...]:
        """Every token, the oldest first."""
        query = select(_TOKEN).order_by(_TOKEN.c.created_at, _TOKEN.c.id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(map(_record, rows))

    async def revoke(self, name: str) -> TokenRecord:
        """Forget a token by its name; whoever uses it is turned away from now on.

        Raises:
            NotFound: there is no such token.
        """

        def work(connection: Connection) -> TokenRecord:
            rows = connection.execute(select(_TOKEN)).all()
            row = next((row for row in rows if row.name.casefold() == name.strip().casefold()), None)
            if row is None:
                raise NotFound(f"There is no token “{name}”. `conch tokens list` shows which there are.")
            connection.execute(delete(_TOKEN).where(_TOKEN.c.id == row.id))
            return _record(row)

        return await self._database.write(work)

    async def known(self, token: str) -> TokenRecord | None:
        """Whose token it is; None for one that nobody was given, or that was revoked.

        Looked up by the hash, so that the time it takes says nothing about the token.
        """
        given = _hash(token)
        query = select(_TOKEN).where(_TOKEN.c.token_hash == given)
        row = await self._database.peek(lambda connection: connection.execute(query).one_or_none())
        if row is None or not hmac.compare_digest(row.token_hash, given):
            return None
        return _record(row)

    async def stands(self, token_id: str) -> bool:
        """Whether a token that was known before was not revoked since."""
        query = select(_TOKEN.c.id).where(_TOKEN.c.id == token_id)
        return await self._database.peek(lambda connection: connection.execute(query).first() is not None)

    async def note_use(self, record: TokenRecord) -> None:
        """Remember that it was used now."""
        now = self._database.now()
        if record.last_used is not None and now - record.last_used < USED_EVERY:
            return
        statement = update(_TOKEN).where(_TOKEN.c.id == record.id).values(last_used=now)
        await self._database.write(lambda connection: connection.execute(statement))


def _checked(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise UsageError(f"Give the token a name of up to {MAX_NAME} characters, in one line: what it is for.")
    return name


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _row(record: TokenRecord, token: str) -> dict[str, Any]:
    kept = {name: getattr(record, name) for name in TokenRecord.__slots__}
    return {**kept, "scope": record.scope.value, "token_hash": _hash(token)}


def _record(row: Row[Any]) -> TokenRecord:
    kept = {name: row._mapping[name] for name in TokenRecord.__slots__}
    return TokenRecord(**{**kept, "scope": TokenScope(row.scope)})
