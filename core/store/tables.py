"""Every table, as SQLModel classes: columns, keys and indexes. What the rows mean is in the module of each concern.

A change here needs a revision in `core/store/migrations/versions`; a test compares the two. Statements are built on the
`Table` objects at the end, never on the classes: nothing in the store goes through an ORM session.
"""

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, Integer, MetaData, Table, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from core.store.moments import Moment

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

RowId: Final = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column that is exactly INTEGER."""


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the few rows that `where` holds for; only a query that repeats `where` word for word can use it."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


class Stored(SQLModel):
    """The base of every table."""

    metadata = MetaData(naming_convention=_NAMES)


# ---- conversations -------------------------------------------------------------------------------------------------

RUNNING: Final = "turn_seq IS NOT NULL"


class ConversationRow(Stored, table=True):
    """One row per conversation: what lists and the start need, and `state`, the cached fold without its `last_seq`.

    Every append changes the row, so there is no index of what was not relayed yet: only the start asks for it.
    """

    __tablename__ = "conversation"
    __table_args__ = (
        Index("ix_conversation_updated_at", "updated_at", "id"),
        _partial("ix_conversation_running", "id", where=RUNNING),
    )

    id: str = Field(primary_key=True)
    last_seq: int
    relayed_seq: int
    turn_seq: int | None
    status: str
    title: str | None
    created_at: datetime = Field(sa_type=Moment)
    updated_at: datetime = Field(sa_type=Moment)
    state: str = Field(sa_type=Text)


class EventRow(Stored, table=True):
    """One row per event. With row ids on SQLite: rows are then written one after the other on few pages."""

    __tablename__ = "event"
    __table_args__ = (
        # checked at the commit: a check in the middle would make SQLite keep a journal of every insert
        ForeignKeyConstraint(["conversation_id"], ["conversation.id"], deferrable=True, initially="DEFERRED"),
    )

    conversation_id: str = Field(primary_key=True)
    seq: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Moment)
    type: str
    data: str = Field(sa_type=Text)


class ClientIdRow(Stored, table=True):
    """The client ids that a conversation has accepted, in the log or in the queue."""

    __tablename__ = "client_id"

    conversation_id: str = Field(primary_key=True)
    client_id: str = Field(primary_key=True)
    at: datetime = Field(sa_type=Moment, index=True)


class QueuedRow(Stored, table=True):
    """A message that waits for the running turn to end."""

    __tablename__ = "queued"
    __table_args__ = (Index("ix_queued_conversation_id", "conversation_id", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    conversation_id: str
    at: datetime = Field(sa_type=Moment)
    message: str = Field(sa_type=Text)


class SessionRow(Stored, table=True):
    """An engine's own memory of a conversation."""

    __tablename__ = "engine_session"

    conversation_id: str = Field(primary_key=True)
    engine: str = Field(primary_key=True)
    seq: int
    state: str = Field(sa_type=Text)


class SeatRow(Stored, table=True):
    """Whose conversation a chat message belongs to. `thread` is empty outside threads."""

    __tablename__ = "seat"

    channel_id: str = Field(primary_key=True)
    chat_id: str = Field(primary_key=True)
    thread: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    chat_kind: str
    conversation_id: str | None = Field(index=True)
    pending_goal: str | None
    pending_plan: bool
    pending_options: str | None = Field(sa_type=Text)


# ---- in and out ----------------------------------------------------------------------------------------------------

NOT_DONE: Final = "done_at IS NULL"
POISONED: Final = "error IS NOT NULL"


class InboxRow(Stored, table=True):
    """An update as the app sent it; `arrival` is the order."""

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("channel_id", "update_id"),
        _partial("ix_inbox_not_done", "channel_id", "arrival", where=NOT_DONE),
        _partial("ix_inbox_poisoned", "channel_id", "arrival", where=POISONED),
    )

    arrival: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    channel_id: str
    update_id: str
    payload: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Moment)
    done_at: datetime | None = Field(sa_type=Moment)
    error: str | None = Field(sa_type=Text)


IN_GROUPS: Final = "chat_kind = 'group'"
ON_THE_WAY: Final = "state IN ('pending', 'sending')"
IN_TROUBLE: Final = "state IN ('unknown', 'failed', 'expired')"


class OutboxRow(Stored, table=True):
    """One part of what is said in a chat app. `thread` is empty outside threads."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("key", "part"),
        _partial("ix_outbox_on_the_way", "channel_id", "id", where=ON_THE_WAY),
        _partial("ix_outbox_in_trouble", "state", "id", where=IN_TROUBLE),
        _partial("ix_outbox_said_in_groups", "channel_id", "chat_id", "message_id", where=IN_GROUPS),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    key: str
    part: int
    of: int
    channel_id: str
    chat_id: str
    chat_kind: str
    thread: str
    kind: str
    body: str = Field(sa_type=Text)
    state: str
    attempts: int
    resends: int
    posted_at: datetime = Field(sa_type=Moment)
    changed_at: datetime = Field(sa_type=Moment)
    not_before: datetime | None = Field(sa_type=Moment)
    owner: str | None
    lease_until: datetime | None = Field(sa_type=Moment)
    message_id: str | None
    error_class: str | None
    error: str | None = Field(sa_type=Text)


ON_OFFER: Final = "state = 'open'"
FADING: Final = "fade_at IS NOT NULL"


class ActionSetRow(Stored, table=True):
    """The one-tap actions under one message. `thread` is empty outside threads; `press` is the update that used it up.

    `key` is the message's in the outbox; `message_id` is the app's own, once it was seen in a press.
    """

    __tablename__ = "action_set"
    __table_args__ = (
        _partial("ix_action_set_of_seat", "channel_id", "chat_id", "thread", "person_id", "id", where=ON_OFFER),
        _partial("ix_action_set_of_channel", "channel_id", "id", where=ON_OFFER),
        _partial("ix_action_set_fading", "fade_at", where=FADING),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    token_hash: str = Field(unique=True)
    key: str = Field(unique=True)
    channel_id: str
    chat_id: str
    thread: str
    person_id: str
    actions: str = Field(sa_type=Text)
    state: str
    press: str | None
    message_id: str | None
    expires_at: datetime = Field(sa_type=Moment, index=True)
    fade_at: datetime | None = Field(sa_type=Moment)


TO_REDRAW: Final = "redraw_at IS NOT NULL"


class CardRow(Stored, table=True):
    """A card where it stands in a chat: a question, a permission, a plan. `thread` is empty outside threads.

    `seq` is the event that it draws, `key` its message's in the outbox; `message_id` is the app's own, once a press
    named it. `draft` is what was filled in so far, `press` the update that did it last. `version` grows with every
    change of what is to be seen.
    """

    __tablename__ = "card"
    __table_args__ = (
        Index("ix_card_of_chat", "channel_id", "chat_id", "thread", "person_id", "id"),
        Index("ix_card_of_turn", "conversation_id", "turn_seq"),
        _partial("ix_card_to_redraw", "redraw_at", where=TO_REDRAW),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    handle: str = Field(unique=True)
    token_hash: str
    key: str = Field(unique=True)
    conversation_id: str
    turn_seq: int
    seq: int
    kind: str
    ref: str
    channel_id: str
    chat_id: str
    chat_kind: str
    thread: str
    person_id: str
    behalf: str | None = Field(sa_type=Text)
    draft: str = Field(sa_type=Text)
    press: str | None
    version: int
    state: str
    note: str | None = Field(sa_type=Text)
    message_id: str | None
    created_at: datetime = Field(sa_type=Moment, index=True)
    redraw_at: datetime | None = Field(sa_type=Moment)


class MenuRow(Stored, table=True):
    """A menu under one message. `thread` is empty outside threads; a person has one open in a chat.

    `key` is the message's in the outbox; `message_id` is the app's own, once it was seen in a press. `words` are what
    it says now, and `revision` is another one whenever a button means something else.
    """

    __tablename__ = "menu"
    __table_args__ = (
        _partial("ix_menu_of_seat", "channel_id", "chat_id", "thread", "person_id", where=ON_OFFER, unique=True),
        _partial("ix_menu_fading", "fade_at", where=FADING),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    token_hash: str = Field(unique=True)
    key: str = Field(unique=True)
    channel_id: str
    chat_id: str
    thread: str
    person_id: str
    view: str = Field(sa_type=Text)
    words: str = Field(sa_type=Text)
    revision: str
    waits_for: str | None
    state: str
    message_id: str | None
    expires_at: datetime = Field(sa_type=Moment, index=True)
    fade_at: datetime | None = Field(sa_type=Moment)


# ---- channels and people -------------------------------------------------------------------------------------------

OWNER: Final = "role = 'owner'"


class ChannelRow(Stored, table=True):
    """A connected bot. `credentials` is ciphertext."""

    __tablename__ = "channel"
    __table_args__ = (UniqueConstraint("kind", "bot_id"),)

    id: str = Field(primary_key=True)
    kind: str
    bot_id: str
    name: str
    username: str | None
    credentials: str = Field(sa_type=Text)
    enabled: bool
    created_at: datetime = Field(sa_type=Moment)


class NativeMenuRow(Stored, table=True):
    """What an app was told last that a bot's menu of commands says; `digest` is the menu's."""

    __tablename__ = "native_menu"

    channel_id: str = Field(primary_key=True)
    digest: str


class PersonRow(Stored, table=True):
    """Somebody who was let in or blocked, by the app's own id. A channel has at most one owner."""

    __tablename__ = "person"
    __table_args__ = (_partial("ix_person_owner", "channel_id", where=OWNER, unique=True),)

    channel_id: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    name: str
    username: str | None
    role: str
    since: datetime = Field(sa_type=Moment)
    last_seen: datetime | None = Field(sa_type=Moment)
    let_in_by: str | None


class AccessRequestRow(Stored, table=True):
    """A stranger who wrote to the bot."""

    __tablename__ = "access_request"

    channel_id: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    name: str
    username: str | None
    chat_id: str
    preview: str
    at: datetime = Field(sa_type=Moment)


class HelloCodeRow(Stored, table=True):
    """A code that lets its sender in, once. Only its SHA-256 is here."""

    __tablename__ = "hello_code"

    code_hash: str = Field(primary_key=True)
    channel_id: str = Field(index=True)
    expires_at: datetime = Field(sa_type=Moment)


class GroupRow(Stored, table=True):
    """A group that the bot was brought into. `moved_to` is the id that it has now, where its app gave it a new one."""

    __tablename__ = "chat_group"

    channel_id: str = Field(primary_key=True)
    chat_id: str = Field(primary_key=True)
    title: str
    enabled: bool
    heard_at: datetime = Field(sa_type=Moment)
    gone: bool
    moved_to: str | None


class GuestAnswerRow(Stored, table=True):
    """Something that somebody who is not let in was answered in a group."""

    __tablename__ = "guest_answer"

    channel_id: str = Field(primary_key=True)
    chat_id: str = Field(primary_key=True)
    update_id: str = Field(primary_key=True)
    at: datetime = Field(sa_type=Moment, index=True)


class ToldRow(Stored, table=True):
    """When a chat was last told something that is said only now and then."""

    __tablename__ = "told"

    channel_id: str = Field(primary_key=True)
    chat_id: str = Field(primary_key=True)
    what: str = Field(primary_key=True)
    at: datetime = Field(sa_type=Moment)


# ---- engines and settings -------------------------------------------------------------------------------------------


class EngineRow(Stored, table=True):
    """A connected engine. `credentials` are sealed; `model` is the one that answers where a chat names none."""

    __tablename__ = "engine"

    id: str = Field(primary_key=True)
    kind: str
    title: str
    base_url: str | None
    credentials: str | None
    model: str | None
    created_at: datetime = Field(sa_type=Moment)


class SettingRow(Stored, table=True):
    """A setting that the owner changed, by its name; `value` is JSON."""

    __tablename__ = "setting"

    name: str = Field(primary_key=True)
    value: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Moment)


class UsageRow(Stored, table=True):
    """What was used of a model (empty: the engine has none) on a day (UTC, `2026-11-30`), in tokens and US dollars.

    `unpriced` counts the turns whose cost is not known.
    """

    __tablename__ = "usage"

    day: str = Field(primary_key=True)
    engine: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    turns: int
    unpriced: int
    input: int = Field(sa_type=BigInteger)
    output: int = Field(sa_type=BigInteger)
    cached: int = Field(sa_type=BigInteger)
    cost: float


class ApiTokenRow(Stored, table=True):
    """A token of the API, by its name. Only its SHA-256 is here."""

    __tablename__ = "api_token"

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    token_hash: str = Field(unique=True)
    scope: str
    created_at: datetime = Field(sa_type=Moment)
    last_used: datetime | None = Field(sa_type=Moment)


# ---- for statements ------------------------------------------------------------------------------------------------

METADATA: Final = Stored.metadata

conversation: Final[Table] = METADATA.tables["conversation"]
event: Final[Table] = METADATA.tables["event"]
client_id: Final[Table] = METADATA.tables["client_id"]
queued: Final[Table] = METADATA.tables["queued"]
engine_session: Final[Table] = METADATA.tables["engine_session"]
seat: Final[Table] = METADATA.tables["seat"]
inbox: Final[Table] = METADATA.tables["inbox"]
outbox: Final[Table] = METADATA.tables["outbox"]
channel: Final[Table] = METADATA.tables["channel"]
native_menu: Final[Table] = METADATA.tables["native_menu"]
person: Final[Table] = METADATA.tables["person"]
access_request: Final[Table] = METADATA.tables["access_request"]
hello_code: Final[Table] = METADATA.tables["hello_code"]
told: Final[Table] = METADATA.tables["told"]
chat_group: Final[Table] = METADATA.tables["chat_group"]
guest_answer: Final[Table] = METADATA.tables["guest_answer"]
action_set: Final[Table] = METADATA.tables["action_set"]
menu: Final[Table] = METADATA.tables["menu"]
card: Final[Table] = METADATA.tables["card"]
engine: Final[Table] = METADATA.tables["engine"]
setting: Final[Table] = METADATA.tables["setting"]
usage: Final[Table] = METADATA.tables["usage"]
api_token: Final[Table] = METADATA.tables["api_token"]
