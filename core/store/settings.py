"""Settings that the owner changed, by name; the value is JSON. What they mean is in `core.settings`."""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select

from core.store import tables
from core.store.database import Database
from core.store.statements import insert_into

_SETTING = tables.setting


class StoredSettings:
    """Reads and writes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Mapping[str, str]:
        """Every changed setting, as JSON."""
        query = select(_SETTING.c.name, _SETTING.c.value)
        return await self._database.read(lambda connection: {row.name: row.value for row in connection.execute(query)})

    async def put(self, values: Mapping[str, str | None]) -> None:
        """Keep these values, all or none; None forgets that a setting was changed."""
        at = self._database.now()

        def work(connection: Connection) -> None:
            for name, value in values.items():
                if value is None:
                    connection.execute(delete(_SETTING).where(_SETTING.c.name == name))
                    continue
                insert = insert_into(connection, _SETTING).values({"name": name, "value": value, "at": at})
                news = {"value": value, "at": at}
                connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=news))

        await self._database.write(work)
