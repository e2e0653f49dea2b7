"""Which of Discord's channels a chat is: a private one is asked for once, a thread made when something is said there.

What is said where is `channel`'s.
"""

from typing import TypeVar

from channels.base import ChatRef
from channels.discord import content, render
from channels.discord.answers import ThreadExists
from channels.discord.client import DiscordClient
from channels.discord.places import Places
from core.errors import ConchError, Refused, RefusedReason, TryLater
from core.events import ChatKind

V = TypeVar("V")

_REMEMBERED = 10_000
"""Bound of what is only remembered to spare a call."""

_TITLE_WORDS = 60
"""Characters of a message of which its thread's title is made."""


class Rooms:
    """Finds the channel of a chat."""

    def __init__(self, client: DiscordClient, places: Places) -> None:
        self._client = client
        self._places = places
        self._private: dict[str, str] = {}
        self._threads: dict[str, None] = {}
        """Threads that were made or found here."""
        self._without: dict[str, None] = {}
        """Messages of which no thread could be made: what answers them stands in the channel itself."""
        self._titles: dict[str, str] = {}

    def learn_private(self, person_id: str, room_id: str) -> None:
        """The channel of a private chat was seen."""
        _remember(self._private, person_id, room_id)

    def learn_words(self, message_id: str, words: str) -> None:
        """What a message says that may open a thread."""
        _remember(self._titles, message_id, words[: 4 * _TITLE_WORDS])

    def do_without(self, thread: str) -> None:
        """There is no such thread, and none is made any more."""
        self._threads.pop(thread, None)
        _remember(self._without, thread, None)

    def known(self, chat: ChatRef) -> str | None:
        """The channel in which the chat's messages stand, where no call is needed to know it."""
        if chat.kind is ChatKind.PRIVATE:
            return self._private.get(chat.id)
        if chat.thread is None or chat.thread in self._without:
            return chat.id
        return chat.thread if chat.thread in self._threads or self._places.is_thread(chat.thread) else None

    async def of(self, chat: ChatRef) -> str:
        """The same; a private chat's is asked for, a thread's is its own."""
        if (found := self.known(chat)) is not None:
            return found
        return await self._private_room(chat.id) if chat.kind is ChatKind.PRIVATE else chat.thread or chat.id

    async def opened(self, chat: ChatRef) -> tuple[str, str | None]:
        """The same, with the thread made where there is none yet; and the message to reply to where none can be.

        Raises:
            TryLater, Refused: as for a call.
        """
        if chat.kind is ChatKind.GROUP and chat.thread is not None and self.known(chat) is None:
            await self._open_thread(chat.id, chat.thread)
        room = await self.of(chat)
        return room, chat.thread if chat.thread in self._without else None

    async def _private_room(self, person_id: str) -> str:
        found = await self._client.call(render.private_room(person_id))
        room_id = found.get("id") if isinstance(found, dict) else None
        if not isinstance(room_id, str):
            raise TryLater("Discord does not say where the private chat is.")
        self.learn_private(person_id, room_id)
        return room_id

    async def _open_thread(self, room: str, message_id: str) -> None:
        """Where the bot may not, the answer must come all the same.

        A thread may be there without the message, which was deleted or never was: people open threads by themselves.
        """
        try:
            await self._client.call(render.open_thread(room, message_id, await self._title(room, message_id)))
        except ThreadExists:
            _remember(self._threads, message_id, None)
        except Refused as refusal:
            if refusal.reason is RefusedReason.AUTH:
                raise
            if await self._is_there(message_id):
                _remember(self._threads, message_id, None)
            else:
                self.do_without(message_id)
        else:
            _remember(self._threads, message_id, None)

    async def _is_there(self, thread: str) -> bool:
        try:
            return isinstance(await self._client.call(render.get_room(thread)), dict)
        except Refused:
            return False

    async def _title(self, room: str, message_id: str) -> str:
        words = self._titles.get(message_id)
        if words is None:
            words = await self._words_of(room, message_id)
        line = " ".join(words.split())
        if len(line) <= _TITLE_WORDS:
            return line or "Conversation"
        return (line[: _TITLE_WORDS - 1].rpartition(" ")[0] or line[: _TITLE_WORDS - 1]).rstrip(" ,;:") + "…"

    async def _words_of(self, room: str, message_id: str) -> str:
        try:
            message = await self._client.call(render.get_message(room, message_id))
            return content.read_words(message, "")[0] if isinstance(message, dict) else ""
        except (ValueError, ConchError):
            return ""


def _remember(known: dict[str, V], name: str, value: V) -> None:
    """Keep something, and of all only the newest."""
    known[name] = value
    if len(known) > _REMEMBERED:
        del known[next(iter(known))]
