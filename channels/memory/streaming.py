"""The in-memory app with what Slack and Discord have besides: answers that are written into their message, signs on
messages, threads, and a history that can be read later."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime

from channels.base import ChatRef, MessageRef, OutboundMessage, Update
from channels.memory.channel import MemoryChannel
from channels.memory.faults import Call
from core.errors import Refused, RefusedReason


class StreamingChannel(MemoryChannel):
    """With streams in every chat. In threads it reads on without a mention."""

    reads_on = True

    def streams_in(self, chat: ChatRef) -> bool:
        """Everywhere."""
        return True

    def drafts_in(self, chat: ChatRef) -> bool:
        """Nowhere."""
        return False

    async def open_stream(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Begin a message that is seen by everybody."""
        with self._app.faults.around(Call.OPEN_STREAM, chat.id):
            shown = await self._shown(self._app.new_id(), message)
            self._room(chat).show(shown)
        return MessageRef(chat, shown.id)

    async def stream(self, message: MessageRef, text: str, fallback: str) -> None:
        """Show what there is of it."""
        with self._app.faults.around(Call.STREAM, message.chat.id):
            room = self._room(message.chat)
            before = room.find(message.message_id)
            if before is None:
                raise Refused("This message is not there (any more).", RefusedReason.GONE)
            room.change(replace(before, text=text, edits=before.edits + 1))

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """As any other; what goes into a message that is still there changes it."""
        if message.into is None or self._room(chat).find(message.into) is None:
            return await super().send(chat, message)
        with self._app.faults.around(Call.SEND, chat.id):
            self._room(chat).change(await self._shown(message.into, message))
        return MessageRef(chat, message.into)

    async def mark(self, message: MessageRef) -> None:
        """Put the sign on."""
        with self._app.faults.around(Call.MARK, message.chat.id):
            self._room(message.chat).show_mark(message.message_id, True)

    async def unmark(self, message: MessageRef) -> None:
        """Take it away."""
        with self._app.faults.around(Call.UNMARK, message.chat.id):
            self._room(message.chat).show_mark(message.message_id, False)

    async def missed(self, chat: ChatRef, since: datetime) -> AsyncIterator[Update]:
        """What people wrote there."""
        with self._app.faults.around(Call.MISSED, chat.id):
            self._app.check_key(self._key)
            for update in self._app.written(chat.id, since):
                yield update


class MentionedChannel(StreamingChannel):
    """The same, where only what mentions the bot comes in."""

    reads_on = False
