"""Whether the database takes anything at this moment, found out by writing something that means nothing."""

from core.errors import StoreUnavailable
from core.store import tables
from core.store.database import Database
from core.store.statements import insert_into

_KEY = {"channel_id": "", "chat_id": "", "what": "probe"}


async def can_write(database: Database) -> bool:
    """True when a row was durably written. The row is one for all probes, and goes when nobody probes for a while."""
    row = {**_KEY, "at": database.now()}
    try:
        await database.write(
            lambda connection: connection.execute(
                insert_into(connection, tables.told)
                .values(row)
                .on_conflict_do_update(index_elements=list(_KEY), set_={"at": row["at"]})
            )
        )
    except StoreUnavailable:
        return False
    return True
