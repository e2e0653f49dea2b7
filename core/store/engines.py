"""Engines that the owner connected. The key is ciphertext: sealed before it comes here, opened by whoever connects."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, Row, delete, select

from core.store import tables
from core.store.database import Database
from core.store.statements import insert_into

_ENGINE = tables.engine


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """A connected engine; None as `base_url` is the kind's own address, as `credentials` a server that takes no key."""

    id: str
    kind: str
    title: str
    base_url: str | None
    credentials: str | None = field(repr=False)
    model: str | None
    created_at: datetime


class EngineRows:
    """Reads and writes the connected engines."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> tuple[EngineRecord, ...]:
        """Every connected engine, the oldest first."""
        query = select(_ENGINE).order_by(_ENGINE.c.created_at, _ENGINE.c.id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_record(row) for row in rows)

    async def put(
        self, engine_id: str, *, kind: str, title: str, base_url: str | None, credentials: str | None, model: str | None
    ) -> None:
        """Keep an engine; one with the same id is replaced and keeps its place."""
        news = {"kind": kind, "title": title, "base_url": base_url, "credentials": credentials, "model": model}
        created = {"id": engine_id, "created_at": self._database.now()}

        def work(connection: Connection) -> None:
            insert = insert_into(connection, _ENGINE).values({**created, **news})
            connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_=news))

        await self._database.write(work)

    async def remove(self, engine_id: str) -> bool:
        """Forget an engine and its key; what it said stays in the conversations. False: there was none."""
        query = delete(_ENGINE).where(_ENGINE.c.id == engine_id)
        return await self._database.write(lambda connection: connection.execute(query).rowcount == 1)


def _record(row: Row[*tuple[object, ...]]) -> EngineRecord:
    return EngineRecord(**{name: row._mapping[name] for name in EngineRecord.__slots__})
