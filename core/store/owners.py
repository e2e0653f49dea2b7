"""Where the owner can be told something that no chat asked for: their newest private conversation with a bot."""

from sqlalchemy import select, text

from core.events import Address, ChatKind
from core.store import tables
from core.store.database import Database

_SEAT, _PERSON, _CONVERSATION = tables.seat, tables.person, tables.conversation

_NEWEST = (
    select(_SEAT.c.conversation_id, _SEAT.c.channel_id, _SEAT.c.chat_id, _SEAT.c.thread)
    .join(_PERSON, (_PERSON.c.channel_id == _SEAT.c.channel_id) & (_PERSON.c.person_id == _SEAT.c.person_id))
    .join(_CONVERSATION, _CONVERSATION.c.id == _SEAT.c.conversation_id)
    .where(text(tables.OWNER), _SEAT.c.chat_kind == ChatKind.PRIVATE.value)
    .order_by(_CONVERSATION.c.updated_at.desc(), _CONVERSATION.c.id)
    .limit(1)
)


async def owner_chat(database: Database) -> tuple[str, Address] | None:
    """The conversation's id and the chat that it is reached in; None where an owner never talked to a bot alone.

    A bot has an owner of its own; of several, the one counts who was answered last.
    """
    row = await database.read(lambda connection: connection.execute(_NEWEST).one_or_none())
    if row is None:
        return None
    return row.conversation_id, Address(channel_id=row.channel_id, chat_id=row.chat_id, thread=row.thread or None)
