"""Connected bots. The credentials are ciphertext: sealed before they come here, opened by whoever connects the bot."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, delete, select, update

from core.errors import NotFound
from core.store import reference_tables, tables
from core.store.database import Database
from core.store.references import References
from core.store.statements import insert_into

_CHANNEL = tables.channel
_MENU = tables.native_menu

_OF_A_CHANNEL = (
    tables.native_menu,
    tables.person,
    tables.access_request,
    tables.hello_code,
    tables.told,
    tables.chat_group,
    tables.guest_answer,
    tables.seat,
    tables.inbox,
    tables.outbox,
    tables.action_set,
    reference_tables.reference,
)
"""What goes with a channel that is removed."""


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """A connected bot; `bot_id` is the app's own id of it."""

    id: str
    kind: str
    bot_id: str
    name: str
    username: str | None
    credentials: str
    enabled: bool
    created_at: datetime


class Channels:
    """Reads and writes the connected bots."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> tuple[ChannelRecord, ...]:
        """Every connected bot, the oldest first."""
        query = select(_CHANNEL).order_by(_CHANNEL.c.created_at, _CHANNEL.c.id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_record(row) for row in rows)

    async def get(self, channel_id: str) -> ChannelRecord | None:
        """One connected bot."""
        query = select(_CHANNEL).where(_CHANNEL.c.id == channel_id)
        row = await self._database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else _record(row)

    def notebook(self, channel_id: str) -> References:
        """What the adapter of a bot notes down."""
        return References(self._database, channel_id)

    async def add(
        self, new_id: str, kind: str, bot_id: str, name: str, username: str | None, credentials: str
    ) -> tuple[ChannelRecord, bool]:
        """Connect a bot, and say whether it is a new one.

        A bot that is known keeps its id, its people and its history, gets the new key and is on again. What its menu
        says is not believed any more: it may have been used elsewhere meanwhile.
        """
        at = self._database.now()

        def work(connection: Connection) -> tuple[ChannelRecord, bool]:
            same = (_CHANNEL.c.kind == kind, _CHANNEL.c.bot_id == bot_id)
            news = {"name": name, "username": username, "credentials": credentials, "enabled": True}
            known = connection.execute(update(_CHANNEL).where(*same).values(news)).rowcount
            if not known:
                fixed = {"id": new_id, "kind": kind, "bot_id": bot_id, "created_at": at}
                connection.execute(_CHANNEL.insert().values({**fixed, **news}))
            record = _record(connection.execute(select(_CHANNEL).where(*same)).one())
            connection.execute(delete(_MENU).where(_MENU.c.channel_id == record.id))
            return record, not known

        return await self._database.write(work)

    async def set_enabled(self, channel_id: str, enabled: bool) -> None:
        """Turn a bot on or off.

        Raises:
            NotFound: there is no such bot.
        """

        def work(connection: Connection) -> None:
            statement = update(_CHANNEL).where(_CHANNEL.c.id == channel_id).values(enabled=enabled)
            if connection.execute(statement).rowcount == 0:
                raise NotFound(f"There is no connected bot {channel_id!r}.")

        await self._database.write(work)

    async def menu_digest(self, channel_id: str) -> str | None:
        """The digest of the menu that the app has, as far as is known."""
        query = select(_MENU.c.digest).where(_MENU.c.channel_id == channel_id)
        return await self._database.peek(lambda connection: connection.execute(query).scalar())

    async def keep_menu_digest(self, channel_id: str, digest: str) -> None:
        """The app has a menu with this digest."""
        row = {"channel_id": channel_id, "digest": digest}

        def work(connection: Connection) -> None:
            insert = insert_into(connection, _MENU).values(row)
            connection.execute(insert.on_conflict_do_update(index_elements=["channel_id"], set_={"digest": digest}))

        await self._database.write(work)

    async def remove(self, channel_id: str) -> bool:
        """Forget a bot with its people, seats and messages on their way; conversations stay. False: there was none."""

        def work(connection: Connection) -> bool:
            for table in _OF_A_CHANNEL:
                connection.execute(delete(table).where(table.c.channel_id == channel_id))
            return connection.execute(delete(_CHANNEL).where(_CHANNEL.c.id == channel_id)).rowcount == 1

        return await self._database.write(work)


def _record(row: Row[*tuple[object, ...]]) -> ChannelRecord:
    return ChannelRecord(**{name: row._mapping[name] for name in ChannelRecord.__slots__})
