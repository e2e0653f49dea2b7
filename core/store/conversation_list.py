"""The list of conversations: which there are, where each began and with which words, and which of them say something.

A list reads the conversations' own rows and the beginning of each log; only a search reads what was said.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Text, and_, exists, func, literal_column, or_, select, tuple_

from core.events import Origin, UserMessage, decode
from core.store import tables
from core.store.database import Database
from core.store.log import ConversationSummary, summarised, summary_columns

_EVENT = tables.event
_CONVERSATION = tables.conversation

BEGINNING: Final = 16
"""Events among which a conversation's first message is looked for: only what was set before stands there."""

MOST_WORDS: Final = 8
"""Words of a search that are looked for."""

_SAID: Final = ("user.message", "assistant.message")


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list. `first` are the words that it began with, `origin` whose these were, where known."""

    summary: ConversationSummary
    first: str = ""
    origin: Origin | None = None

    @property
    def channel_id(self) -> str | None:
        """The bot that it began with; None for the console and the API."""
        return self.origin.address.channel_id if self.origin and self.origin.address else None


class ConversationList:
    """Reads it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, limit: int, after: ConversationSummary | None = None, words: str = "") -> tuple[Listed, ...]:
        """The one changed last first; the next page begins after the last one of this.

        With `words` only those in whose title or messages each of them stands, in any case as far as ASCII goes.
        """
        wanted = words.split()[:MOST_WORDS]

        def read(connection: Connection) -> tuple[Listed, ...]:
            query = select(*summary_columns()).limit(limit)
            query = query.order_by(_CONVERSATION.c.updated_at.desc(), _CONVERSATION.c.id.desc())
            if after is not None:
                place = (after.updated_at, after.id)
                query = query.where(tuple_(_CONVERSATION.c.updated_at, _CONVERSATION.c.id) < place)
            query = query.where(*(_says(connection, word) for word in wanted))
            summaries = [summarised(row) for row in connection.execute(query)]
            began = _beginnings(connection, [summary.id for summary in summaries])
            return tuple(_listed(summary, began.get(summary.id)) for summary in summaries)

        return await self._database.read(read)

    async def of(self, conversation_id: str) -> Listed | None:
        """One of them; None where it is not there."""

        def read(connection: Connection) -> Listed | None:
            query = select(*summary_columns()).where(_CONVERSATION.c.id == conversation_id)
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            return _listed(summarised(row), _beginnings(connection, [conversation_id]).get(conversation_id))

        return await self._database.read(read)


def _listed(summary: ConversationSummary, first: UserMessage | None) -> Listed:
    return Listed(summary, first.text, first.origin) if first else Listed(summary)


def _beginnings(connection: Connection, ids: Sequence[str]) -> Mapping[str, UserMessage]:
    """The first message of each."""
    if not ids:
        return {}
    query = select(_EVENT.c.conversation_id, _EVENT.c.type, _EVENT.c.data).where(
        _EVENT.c.conversation_id.in_(ids), _EVENT.c.seq < BEGINNING, _EVENT.c.type == "user.message"
    )
    found: dict[str, UserMessage] = {}
    for row in connection.execute(query.order_by(_EVENT.c.conversation_id, _EVENT.c.seq)):
        data = decode(row.type, json.loads(row.data))
        if isinstance(data, UserMessage):
            found.setdefault(row.conversation_id, data)
    return found


def _says(connection: Connection, word: str) -> ColumnElement[bool]:
    """Whether it stands in the title, or in what was said."""
    said = exists().where(
        and_(
            _EVENT.c.conversation_id == _CONVERSATION.c.id,
            _EVENT.c.type.in_(_SAID),
            _text_of(connection).icontains(word, autoescape=True),
        )
    )
    return or_(_CONVERSATION.c.title.icontains(word, autoescape=True), said)


def _text_of(connection: Connection) -> ColumnElement[Any]:
    """The words of a message, taken out of the JSON that it is stored as."""
    if connection.dialect.name == "postgresql":
        return literal_column("event.data::json ->> 'text'", Text)
    return func.json_extract(_EVENT.c.data, "$.text", type_=Text)
