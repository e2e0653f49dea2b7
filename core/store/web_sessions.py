"""Browsers that are signed in to the console, kept so that a restart signs nobody out.

Only the hash of what a browser keeps is here. Which sessions stand is the web side's to decide; it loads them once.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, select

from core.store import console_tables
from core.store.database import Database
from core.store.statements import insert_into

_SESSION = console_tables.web_session

LONGEST: Final = 300
"""Characters that are kept of an address and of what a browser calls itself."""


@dataclass(frozen=True, slots=True)
class WebSession:
    """A browser that is signed in. `id` names it for people's forms, `session_hash` is what it is known by.

    `signed_in_at` is when the owner last proved who they are there; `last_seen` is exact to some minutes.
    """

    id: str
    session_hash: str
    created_at: datetime
    signed_in_at: datetime
    last_seen: datetime
    ends_at: datetime
    address: str = ""
    user_agent: str = ""


class WebSessionRows:
    """Keeps them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standing(self) -> Sequence[WebSession]:
        """Those that have not ended, the oldest first.

        Raises:
            StoreUnavailable: they cannot be read now.
        """
        query = select(_SESSION).where(_SESSION.c.ends_at > self._database.now()).order_by(_SESSION.c.created_at)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [WebSession(**row._mapping) for row in rows]

    async def keep(self, changed: Collection[WebSession], gone: Collection[str]) -> None:
        """Write down those that are new or changed, and forget those that are `gone`, by their ids.

        Raises:
            StoreUnavailable: nothing was written.
        """

        def work(connection: Connection) -> None:
            if gone:
                connection.execute(delete(_SESSION).where(_SESSION.c.id.in_(gone)))
            for session in changed:
                row = asdict(session)
                cut = {name: row[name].replace("\0", "")[:LONGEST] for name in ("address", "user_agent")}
                insert = insert_into(connection, _SESSION).values({**row, **cut})
                connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_={**row, **cut}))

        await self._database.write(work)
