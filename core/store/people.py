"""People of a channel: who was let in, who asked, who is blocked, and the codes that let someone in.

    stranger ──request──▶ asked ──let_in──▶ owner, if the channel has none; else person
       │ ▲                  ├────dismiss──▶ stranger            │
       │ └───remove, unblock┼───────────────────────────────────┤
       └──claim_hello───────┴──▶ as let_in         block ──▶ blocked

People are known by the app's own id. Removing or blocking the owner promotes nobody: the next one who is let in owns
the channel. Whether somebody may do something is decided by whoever asks; here stands only what they are.
"""

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, bindparam, delete, select, text, update

from core.errors import NotFound
from core.store import tables
from core.store.audit import Deed, note_in
from core.store.database import Database
from core.store.statements import insert_into

MAX_REQUESTS: Final = 20
"""Strangers' requests kept for one channel; the oldest goes first."""

MAX_PREVIEW: Final = 200
"""Characters kept of what a stranger wrote."""

MAX_NAME: Final = 128
"""Characters kept of a name; whoever writes to a bot chooses their own."""

SEEN_EVERY: Final = timedelta(minutes=1)
"""How exact `last_seen` is: one write a minute and person, not one a message."""

_PERSON = tables.person
_CHANNEL = tables.channel
_REQUEST = tables.access_request
_CODE = tables.hello_code
_TOLD = tables.told

_ONE = select(_PERSON).where(
    _PERSON.c.channel_id == bindparam("channel_id"), _PERSON.c.person_id == bindparam("person_id")
)


class Role(StrEnum):
    """What somebody is to a channel."""

    OWNER = "owner"
    PERSON = "person"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was let in or blocked. `let_in_by` says how: a person's id, `hello`, `console` or the like."""

    channel_id: str
    person_id: str
    name: str
    username: str | None
    role: Role
    since: datetime
    last_seen: datetime | None
    let_in_by: str | None


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """A stranger who wrote, and how their words began."""

    channel_id: str
    person_id: str
    name: str
    username: str | None
    chat_id: str
    preview: str
    at: datetime


class People:
    """Reads and writes the people. Nothing is remembered here: who was removed is a stranger from that moment on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ---- who is who ------------------------------------------------------------------------------------------------

    async def get(self, channel_id: str, person_id: str) -> Person | None:
        """What somebody is to a channel; None for a stranger."""
        return await self._database.peek(lambda connection: _person(connection, channel_id, person_id))

    async def is_known_to(self, channel_id: str, person_id: str) -> bool:
        """Whether somebody was let in or blocked there, or asked to be let in."""
        asked = select(_REQUEST.c.at).where(_is(_REQUEST, channel_id, person_id))

        def look(connection: Connection) -> bool:
            known = _person(connection, channel_id, person_id) is not None
            return known or connection.execute(asked).one_or_none() is not None

        return await self._database.read(look)

    async def list(self, channel_id: str) -> tuple[Person, ...]:
        """Everybody who was let in or blocked, the first one first."""
        query = select(_PERSON).where(_PERSON.c.channel_id == channel_id).order_by(_PERSON.c.since, _PERSON.c.person_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(_as_person(row) for row in rows)

    async def let_in(
        self, channel_id: str, person_id: str, *, by: str, name: str | None = None, username: str | None = None
    ) -> Role:
        """Let somebody in, also one who is blocked; an owner stays one. Without a name, the one of their request.

        Raises:
            NotFound: nobody of that id asked, and no name was given.
        """
        at = self._database.now()

        def work(connection: Connection) -> Role:
            asked = connection.execute(select(_REQUEST).where(_is(_REQUEST, channel_id, person_id))).one_or_none()
            if name is None and asked is None:
                raise NotFound("Nobody of that id has asked to be let in.")
            called = (asked.name, asked.username) if name is None and asked is not None else (name or "", username)
            return _let_in(connection, channel_id, person_id, called, by, at)

        return await self._database.write(work)

    async def block(self, channel_id: str, person_id: str) -> None:
        """Hear nothing more of somebody who was let in or asked.

        Raises:
            NotFound: nobody of that id is known.
        """
        at = self._database.now()

        def work(connection: Connection) -> None:
            known = _person(connection, channel_id, person_id)
            asked = connection.execute(select(_REQUEST).where(_is(_REQUEST, channel_id, person_id))).one_or_none()
            found = known or asked
            if found is None:
                raise NotFound("Nobody of that id is known here.")
            _put(connection, channel_id, person_id, (found.name, found.username), Role.BLOCKED, None, at)
            connection.execute(delete(_REQUEST).where(_is(_REQUEST, channel_id, person_id)))

        await self._database.write(work)

    async def unblock(self, channel_id: str, person_id: str) -> bool:
        """Make a blocked one a stranger again; False when they were not blocked."""
        blocked = and_(_is(_PERSON, channel_id, person_id), _PERSON.c.role == Role.BLOCKED.value)
        return await self._database.write(
            lambda connection: connection.execute(delete(_PERSON).where(blocked)).rowcount == 1
        )

    async def remove(self, channel_id: str, person_id: str) -> bool:
        """Make somebody a stranger again, whatever they were; False when they were one. Nobody else moves up."""
        theirs = delete(_PERSON).where(_is(_PERSON, channel_id, person_id))
        return await self._database.write(lambda connection: connection.execute(theirs).rowcount == 1)

    async def touch(self, channel_id: str, person_id: str, name: str, username: str | None) -> None:
        """Note that somebody who is known wrote, and what they are called now; at most once a minute."""
        person, at = await self.get(channel_id, person_id), self._database.now()
        if person is None:
            return
        called = (name[:MAX_NAME], username)
        fresh = person.last_seen is not None and at - person.last_seen < SEEN_EVERY
        if fresh and called == (person.name, person.username):
            return
        statement = update(_PERSON).where(_is(_PERSON, channel_id, person_id))
        statement = statement.values(name=called[0], username=called[1], last_seen=at)
        await self._database.write(lambda connection: connection.execute(statement))

    # ---- strangers -------------------------------------------------------------------------------------------------

    async def request(
        self,
        channel_id: str,
        person_id: str,
        name: str,
        username: str | None,
        *,
        chat_id: str,
        preview: str,
        answered_before: datetime,
    ) -> bool:
        """Keep what a stranger wants; whether to answer: this chat was not answered since `answered_before`.

        Somebody who is known by now is not a stranger: nothing is kept, and the answer is False.
        """
        at = self._database.now()
        news = {
            "name": name[:MAX_NAME],
            "username": username,
            "chat_id": chat_id,
            "preview": preview[:MAX_PREVIEW],
            "at": at,
        }

        def work(connection: Connection) -> bool:
            if _person(connection, channel_id, person_id) is not None:
                return False
            key = {"channel_id": channel_id, "person_id": person_id}
            insert = insert_into(connection, _REQUEST).values({**key, **news})
            connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=news))
            _drop_oldest_requests(connection, channel_id)
            return _tell(connection, (channel_id, chat_id, "stranger"), answered_before, at)

        return await self._database.write(work)

    async def requests(self, channel_id: str) -> tuple[AccessRequest, ...]:
        """Who waits to be let in, the newest first."""
        query = select(_REQUEST).where(_REQUEST.c.channel_id == channel_id)
        query = query.order_by(_REQUEST.c.at.desc(), _REQUEST.c.person_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(AccessRequest(**row._mapping) for row in rows)

    async def dismiss(self, channel_id: str, person_id: str) -> bool:
        """Forget a request; False when there was none."""
        theirs = delete(_REQUEST).where(_is(_REQUEST, channel_id, person_id))
        return await self._database.write(lambda connection: connection.execute(theirs).rowcount == 1)

    async def tell(self, channel_id: str, chat_id: str, what: str, before: datetime) -> bool:
        """Whether to say something now that is said only now and then: it was not said here since `before`."""
        at = self._database.now()
        return await self._database.write(lambda connection: _tell(connection, (channel_id, chat_id, what), before, at))

    async def told(self, channel_id: str, chat_id: str, what: str) -> datetime | None:
        """When something was said there that is said only now and then; None: never."""
        key = (_TOLD.c.channel_id == channel_id, _TOLD.c.chat_id == chat_id, _TOLD.c.what == what)
        return await self._database.read(lambda connection: connection.execute(select(_TOLD.c.at).where(*key)).scalar())

    # ---- hello codes -----------------------------------------------------------------------------------------------

    async def keep_hello(self, channel_id: str, code_hash: str, expires_at: datetime) -> None:
        """Accept a code, once, until a time. Only its SHA-256 in hexadecimal comes here."""
        row = {"channel_id": channel_id, "code_hash": code_hash, "expires_at": expires_at}
        await self._database.write(lambda connection: connection.execute(_CODE.insert().values(row)))

    async def claim_hello(
        self, channel_id: str, code_hash: str, person_id: str, name: str, username: str | None
    ) -> Role | None:
        """Use up a code and let its sender in; None when the code is not good, or its sender is blocked."""
        at = self._database.now()

        def work(connection: Connection) -> Role | None:
            known = _person(connection, channel_id, person_id)
            if known is not None and known.role is Role.BLOCKED:
                return None
            if not _use_code(connection, channel_id, code_hash, at):
                return None
            role = _let_in(connection, channel_id, person_id, (name, username), "hello", at)
            if known is None:
                bot = _bot(connection, channel_id)
                note_in(connection, at, Deed.CAME_IN, name, f"{bot}, as its owner" if role is Role.OWNER else bot)
            return role

        return await self._database.write(work)


def _bot(connection: Connection, channel_id: str) -> str:
    """What people call the bot, as far as is known."""
    row = connection.execute(select(_CHANNEL.c.name, _CHANNEL.c.username).where(_CHANNEL.c.id == channel_id)).first()
    if row is None:
        return "a bot"
    return f"@{row.username}" if row.username else str(row.name)


def _is(table: Table, channel_id: str, person_id: str) -> ColumnElement[bool]:
    return and_(table.c.channel_id == channel_id, table.c.person_id == person_id)


def _person(connection: Connection, channel_id: str, person_id: str) -> Person | None:
    row = connection.execute(_ONE, {"channel_id": channel_id, "person_id": person_id}).one_or_none()
    return None if row is None else _as_person(row)


def _as_person(row: Row[Any]) -> Person:
    return Person(**{**row._mapping, "role": Role(row.role)})


def _let_in(
    connection: Connection, channel_id: str, person_id: str, called: tuple[str, str | None], by: str, at: datetime
) -> Role:
    """The index on owners makes a second owner impossible, whoever else is let in at this moment."""
    owned_by = select(_PERSON.c.person_id).where(_PERSON.c.channel_id == channel_id, text(tables.OWNER))
    owner = connection.execute(owned_by).scalar()
    role = Role.OWNER if owner in (None, person_id) else Role.PERSON
    _put(connection, channel_id, person_id, called, role, by, at)
    connection.execute(delete(_REQUEST).where(_is(_REQUEST, channel_id, person_id)))
    return role


def _put(
    connection: Connection,
    channel_id: str,
    person_id: str,
    called: tuple[str, str | None],
    role: Role,
    by: str | None,
    at: datetime,
) -> None:
    """Write a person; `since` and `by` tell of the last change of the role."""
    values: dict[str, object] = {"name": called[0][:MAX_NAME], "username": called[1], "role": role.value}
    known = _person(connection, channel_id, person_id)
    if known is None:
        key = {"channel_id": channel_id, "person_id": person_id}
        connection.execute(_PERSON.insert().values({**key, **values, "since": at, "let_in_by": by}))
        return
    if known.role is not role:
        values |= {"since": at, "let_in_by": by}
    connection.execute(update(_PERSON).where(_is(_PERSON, channel_id, person_id)).values(values))


def _drop_oldest_requests(connection: Connection, channel_id: str) -> None:
    kept = select(_REQUEST.c.person_id).where(_REQUEST.c.channel_id == channel_id)
    kept = kept.order_by(_REQUEST.c.at.desc(), _REQUEST.c.person_id).limit(MAX_REQUESTS)
    mine = _REQUEST.c.channel_id == channel_id
    connection.execute(delete(_REQUEST).where(mine, _REQUEST.c.person_id.not_in(kept)))


def _tell(connection: Connection, key: tuple[str, str, str], before: datetime, at: datetime) -> bool:
    """One statement: of many who ask at once, one is told yes."""
    row = {"channel_id": key[0], "chat_id": key[1], "what": key[2], "at": at}
    insert = (
        insert_into(connection, _TOLD)
        .values(row)
        .on_conflict_do_update(
            index_elements=["channel_id", "chat_id", "what"], set_={"at": at}, where=_TOLD.c.at <= before
        )
    )
    return connection.execute(insert.returning(_TOLD.c.at)).one_or_none() is not None


def _use_code(connection: Connection, channel_id: str, code_hash: str, at: datetime) -> bool:
    """Compared in constant time, though nothing could be learned from the time that a digest takes to be found."""
    live = select(_CODE.c.code_hash).where(_CODE.c.channel_id == channel_id, _CODE.c.expires_at > at)
    good = [kept for kept in connection.execute(live).scalars() if hmac.compare_digest(kept, code_hash)]
    if not good:
        return False
    used = delete(_CODE).where(_CODE.c.code_hash == good[0], _CODE.c.expires_at > at)
    return connection.execute(used).rowcount == 1
