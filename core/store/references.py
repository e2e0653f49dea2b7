"""What is noted of a bot to be known again after a restart: where a chat is reached, say. It goes with its bot.

What a note means only whoever made it knows, by its name.
"""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select

from core.store import reference_tables
from core.store.database import Database
from core.store.statements import PutRows

_REFERENCE = reference_tables.reference
_PUT = PutRows(_REFERENCE, ("channel_id", "name"), ["words"])


class References:
    """The notes of one bot."""

    def __init__(self, database: Database, channel_id: str) -> None:
        self._database = database
        self._channel_id = channel_id

    async def recall(self) -> Mapping[str, str]:
        """All notes, by their names.

        Raises:
            StoreUnavailable: they cannot be read now.
        """
        query = select(_REFERENCE.c.name, _REFERENCE.c.words).where(_REFERENCE.c.channel_id == self._channel_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return {row.name: row.words for row in rows}

    async def note(self, name: str, words: str) -> None:
        """Note this down, in place of what stood there under this name.

        Raises:
            StoreUnavailable: it is not noted.
        """
        await self._database.write(lambda connection: _PUT.run(connection, [(self._channel_id, name, words)]))

    async def forget(self, name: str) -> None:
        """Take a note away; one that is not there already counts as success.

        Raises:
            StoreUnavailable: it is still there.
        """
        mine = (_REFERENCE.c.channel_id == self._channel_id, _REFERENCE.c.name == name)

        def work(connection: Connection) -> None:
            connection.execute(delete(_REFERENCE).where(*mine))

        await self._database.write(work)
