"""The in-memory app: a chat app inside the process, where a test or the terminal plays the people.

It knows rooms, people, one bot and its key; what a person sees and does is in `chat`. The bot's side of it is the
adapter in `channel`.
"""

import itertools
from collections import deque
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from channels.base import AttachmentKind, Identity, Sender, Update
from channels.memory.chat import MemoryChat, SentFile, Surroundings
from channels.memory.faults import Faults
from channels.memory.feed import Feed
from core.clock import Clock
from core.errors import Refused, RefusedReason
from core.events import ChatKind

IDENTITY = Identity(bot_id="memory", name="Conch", username="conch")

KEEP = 1_000
"""How many of the newest messages a room keeps, and files the app."""


class MemoryApp:
    """An app with one bot. `faults` break its calls on demand, `feed` is what it tells the bot.

    Ids begin with the time at which the app was made, so that those of a later life of the process are others.
    """

    def __init__(self, clock: Clock, identity: Identity = IDENTITY, *, keep: int = KEEP) -> None:
        self.identity = identity
        self.faults = Faults()
        self.feed = Feed()
        self._clock = clock
        self._keep = keep
        self._life = int(clock.now().timestamp() * 1000)
        self._numbers = itertools.count(1)
        self._rooms = Surroundings(
            bot=Sender(identity.bot_id, identity.name, identity.username, is_bot=True),
            clock=clock,
            keep=keep,
            new_id=self.new_id,
            tell=self._tell,
            keep_file=self._keep_file,
        )
        self._chats: dict[tuple[str, str | None], MemoryChat] = {}
        self._files: dict[str, bytes] = {}
        self._written: deque[tuple[str, datetime, Update]] = deque(maxlen=keep)
        self._key = self._make_key()

    # ---- the people's side -----------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """What the bot connects with."""
        return self._key

    def renew_key(self) -> str:
        """A new key for the same bot; the old one ends, and so does the connection that uses it."""
        self._key = self._make_key()
        self.feed.break_off(self._wrong_key())
        return self._key

    def private_chat(self, name: str, *, person_id: str | None = None, username: str | None = None) -> MemoryChat:
        """A person's chat with the bot; the same person has the same one."""
        person = Sender(person_id or name.lower(), name, username)
        known = self._chats.get((person.id, None))
        return known or self._opened(MemoryChat(self._rooms, person.id, [person]))

    def group(self, title: str, *people: Sender) -> MemoryChat:
        """A group that the bot was brought into by its first member."""
        chat = self._opened(MemoryChat(self._rooms, self.new_id(), people, kind=ChatKind.GROUP, title=title))
        self._tell(chat, "joined", people[0], {})
        return chat

    def thread(self, chat: MemoryChat, name: str) -> MemoryChat:
        """A thread of a room: a chat of its own, with the same people."""
        return self._opened(
            MemoryChat(self._rooms, chat.id, chat.people, kind=chat.kind, title=chat.title, thread=name)
        )

    # ---- the bot's side --------------------------------------------------------------------------------------------

    @property
    def bot(self) -> Sender:
        """The bot as a person sees it."""
        return self._rooms.bot

    def check_key(self, key: str) -> None:
        """Raises `Refused` (`AUTH`) unless the key is the bot's."""
        if key != self._key:
            raise self._wrong_key()

    def find_chat(self, chat_id: str, thread: str | None) -> MemoryChat:
        """The room.

        Raises:
            Refused: there is none, or the bot was blocked there (`GONE`).
        """
        chat = self._chats.get((chat_id, thread))
        if chat is None or chat.blocked:
            raise Refused("This chat is not there, or the bot was blocked.", RefusedReason.GONE)
        return chat

    def file(self, handle: str) -> bytes:
        """What a person sent.

        Raises:
            Refused: the app does not have it (any more) (`GONE`).
        """
        content = self._files.get(handle)
        if content is None:
            raise Refused("The app does not have this file any more.", RefusedReason.GONE)
        return content

    def written(self, chat_id: str, since: datetime) -> tuple[Update, ...]:
        """What people wrote in a room after a moment, oldest first, as it was told then."""
        return tuple(update for where, at, update in self._written if where == chat_id and at > since)

    def new_id(self) -> str:
        """An id that nothing else has."""
        return f"{self._life}-{next(self._numbers)}"

    def _make_key(self) -> str:
        return f"memory:{self.identity.bot_id}-{self.new_id()}"

    def _wrong_key(self) -> Refused:
        return Refused("The in-memory app does not know this key.", RefusedReason.AUTH)

    def _opened(self, chat: MemoryChat) -> MemoryChat:
        self._chats[chat.id, chat.thread] = chat
        return chat

    def _tell(self, chat: MemoryChat, kind: str, by: Sender, more: Mapping[str, Any]) -> None:
        update_id = self.new_id()
        place = {"id": chat.id, "kind": chat.kind.value, "thread": chat.thread, "title": chat.title}
        who = {"id": by.id, "name": by.name, "username": by.username, "is_bot": by.is_bot}
        at = self._clock.now()
        payload = {"update_id": update_id, "kind": kind, "at": at.isoformat(), "chat": place, "by": who, **more}
        update = Update(update_id, payload)
        if kind == "message":
            self._written.append((chat.id, at, update))
        self.feed.put(update)

    def _keep_file(self, file: SentFile) -> Mapping[str, Any]:
        handle = self.new_id()
        self._files[handle] = file.content
        while len(self._files) > self._keep:
            del self._files[next(iter(self._files))]
        kind = _kind_of(file.mime).value
        return {"handle": handle, "name": file.name, "kind": kind, "mime": file.mime, "size": len(file.content)}


def _kind_of(mime: str | None) -> AttachmentKind:
    family = (mime or "").partition("/")[0]
    return AttachmentKind(family) if family in ("image", "audio", "video") else AttachmentKind.FILE
