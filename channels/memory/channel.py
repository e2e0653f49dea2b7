"""The adapter of the in-memory app: the smallest one that keeps every promise of `channels.base`."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from channels.base import (
    Capabilities,
    ChatRef,
    Inbound,
    InboundAttachment,
    MessageRef,
    OutboundFile,
    OutboundMessage,
    Pace,
    Press,
    Sink,
    Update,
)
from channels.formatting.parts import Dialect
from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat, SeenFile, SeenMessage
from channels.memory.faults import Call
from channels.memory.parse import parse
from core.clock import Clock
from core.errors import Refused, RefusedReason, TryLater
from core.events import ChatKind

CAPABILITIES = Capabilities(
    kind="memory",
    title="the terminal",
    dialect=Dialect.text,
    pace=Pace(per_chat=0, per_group=0, overall=0),
    max_text=None,
    max_download=20 * 1024 * 1024,
    max_upload=50 * 1024 * 1024,
    preview_every=0.1,
)
"""No pace, so that a bench measures Conch. Files as Telegram has them, so that both limits can be met in a test."""

STORE_RETRY = 1.0
"""Seconds until updates are offered again that could not be stored."""

_CHUNK = 65_536
"""Bytes of one piece of a download."""


class MemoryChannel:
    """The bot's end of a `MemoryApp`. With a `button_limit` of 0 the app has no buttons and refuses them."""

    def __init__(
        self,
        channel_id: str,
        app: MemoryApp,
        clock: Clock,
        *,
        key: str,
        button_limit: int = 0,
        capabilities: Capabilities = CAPABILITIES,
    ) -> None:
        self._id = channel_id
        self._app = app
        self._clock = clock
        self._key = key
        self._capabilities = replace(capabilities, button_limit=button_limit)

    @property
    def id(self) -> str:
        """As it was given."""
        return self._id

    @property
    def capabilities(self) -> Capabilities:
        """What it was given, with the buttons it was given."""
        return self._capabilities

    async def start(self) -> None:
        """Make sure that the key works."""
        with self._app.faults.around(Call.START):
            self._app.check_key(self._key)

    async def listen(self, sink: Sink) -> None:
        """Store what the app tells, and only then say that it is taken. Runs until cancelled or broken off."""
        self._app.check_key(self._key)
        listener = self._app.feed.connect()
        sink.online()
        while True:
            updates = await self._app.feed.next(listener)
            try:
                await self.take(sink, updates)
            except TryLater as reason:
                await self._clock.sleep(reason.retry_after or STORE_RETRY)
            else:
                self._app.feed.took(updates)

    async def take(self, sink: Sink, updates: Sequence[Update]) -> None:
        """Store what was told."""
        await sink.store(updates)

    async def stop(self) -> None:
        """Nothing is held."""

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """See `channels.memory.parse`."""
        return parse(self._id, payload)

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Show it. Refused with `BAD_PAYLOAD`: nothing to show, buttons where there are none, a file over the limit."""
        with self._app.faults.around(Call.SEND, chat.id):
            room = self._room(chat)
            shown = await self._shown(self._app.new_id(), message)
            room.show(shown)
        return MessageRef(chat, shown.id)

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Change it in place; a message that says the same already stays as it is."""
        with self._app.faults.around(Call.EDIT, message.chat.id):
            room = self._room(message.chat)
            before = room.find(message.message_id)
            if before is None:
                raise Refused("This message is not there (any more).", RefusedReason.GONE)
            after = await self._shown(message.message_id, new)
            if replace(after, key=before.key, edits=before.edits) != before:
                room.change(replace(after, edits=before.edits + 1))

    async def delete(self, message: MessageRef) -> None:
        """Take it away."""
        with self._app.faults.around(Call.DELETE, message.chat.id):
            self._room(message.chat).take_away(message.message_id)

    def drafts_in(self, chat: ChatRef) -> bool:
        """In private chats."""
        return chat.kind is ChatKind.PRIVATE

    async def draft(self, chat: ChatRef, draft_id: int, text: str, fallback: str) -> None:
        """Show what is being written. A room shows one draft, whatever its number."""
        with self._app.faults.around(Call.DRAFT, chat.id):
            self._room(chat).show_draft(text)

    async def typing(self, chat: ChatRef) -> None:
        """Show that the bot is writing."""
        with self._app.faults.around(Call.TYPING, chat.id):
            self._room(chat).show_typing()

    def private_chat(self, person_id: str) -> ChatRef:
        """The room that has the person's id."""
        return ChatRef(self._id, person_id)

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Show the note, if there is one."""
        with self._app.faults.around(Call.ANSWER_PRESS, press.message.chat.id):
            if note:
                self._room(press.message.chat).show_note(note)

    async def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """What the person sent, in pieces of 64 KiB."""
        with self._app.faults.around(Call.DOWNLOAD):
            self._app.check_key(self._key)
            content = self._app.file(attachment.handle)
            for start in range(0, len(content), _CHUNK):
                yield content[start : start + _CHUNK]

    def _room(self, chat: ChatRef) -> MemoryChat:
        self._app.check_key(self._key)
        return self._app.find_chat(chat.id, chat.thread)

    async def _shown(self, message_id: str, message: OutboundMessage) -> SeenMessage:
        if not message.text.strip() and message.file is None:
            raise Refused("A message says something or carries a file.", RefusedReason.BAD_PAYLOAD)
        if message.buttons and not self._capabilities.button_limit:
            raise Refused("There are no buttons here.", RefusedReason.BAD_PAYLOAD)
        return SeenMessage(
            id=message_id,
            author=self._app.bot,
            text=message.text,
            buttons=message.buttons,
            file=await self._taken(message.file) if message.file else None,
            reply_to=message.reply_to,
            silent=message.silent,
            key=message.key,
            form=message.form,
        )

    async def _taken(self, file: OutboundFile) -> SeenFile:
        try:
            content = await asyncio.to_thread(file.path.read_bytes)
        except OSError as fault:
            raise Refused("The file that was to be sent cannot be read.", RefusedReason.BAD_PAYLOAD) from fault
        if len(content) > self._capabilities.max_upload:
            raise Refused("The file is larger than the app takes.", RefusedReason.BAD_PAYLOAD)
        return SeenFile(file.name, file.mime, content, file.path)
