"""The Discord adapter: one bot, with everything that Discord can do for a conversation.

Decides what is done about a refusal that has a remedy. What calls look like is `render`'s, what came in `parse`'s, how
it is received `listening`'s, in which channel a chat is `rooms`'.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from channels.base import (
    Capabilities,
    ChatRef,
    FileTooLarge,
    Form,
    Identity,
    Inbound,
    InboundAttachment,
    MessageRef,
    OutboundFile,
    OutboundMessage,
    Press,
    Sink,
    Update,
)
from channels.discord import limits, menu, render, replies
from channels.discord.answers import ChannelGone, IntentRefused, MessageGone, TooLateToAnswer
from channels.discord.client import DiscordClient
from channels.discord.fields import id_at
from channels.discord.gateway import Gateway
from channels.discord.interactions import Interactions
from channels.discord.listening import Listener
from channels.discord.parse import Parser
from channels.discord.places import Places
from channels.discord.render import ApiCall
from channels.discord.rooms import Rooms
from commands.menus import NativeMenu, native_menu
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind

_READS_CONTENT = (1 << 18) | (1 << 19)
"""Flags of an application whose bot may read what does not name it; the second for bots in few servers
[discord.com/developers/docs/resources/application, application flags]."""


class DiscordChannel:
    """One connected Discord bot.

    Also `Edits`, `Streams`, `Typing`, `Presses`, `Forms`, `Threads`, `Files`, `NativeMenus`, `PrivateChats` and
    `History`.
    """

    def __init__(
        self, channel_id: str, identity: Identity, client: DiscordClient, clock: Clock, gateway_url: str | None = None
    ) -> None:
        self._identity = identity
        self._client = client
        self._parser = Parser(channel_id, identity.bot_id)
        self._application_id = identity.bot_id
        self._reads_on = False
        self._refused_content = False
        places = Places()
        self._rooms = Rooms(client, places)
        # Where the menu was sent by an earlier life of the program, nobody says it again.
        self._interactions = Interactions(client, self._parser, native_menu(limits.CAPABILITIES.kind))
        gateway = Gateway(client, clock, gateway_url)
        self._listener = Listener(client, gateway, self._parser, places, self._rooms, self._interactions, clock)

    @property
    def id(self) -> str:
        """Our id of this connected bot."""
        return self._parser.channel_id

    @property
    def capabilities(self) -> Capabilities:
        """Discord's limits."""
        return limits.CAPABILITIES

    @property
    def reads_on(self) -> bool:
        """Whether the owner has turned the Message Content intent on, where the bot's application is kept."""
        return self._reads_on

    async def start(self) -> None:
        """Make ready to send, and ask whose key this is and what it may read."""
        me = await self._client.open()
        if not isinstance(me, dict) or me.get("id") != self._identity.bot_id:
            raise Refused(f"This key belongs to another bot than {self._identity.name}.", RefusedReason.FORBIDDEN)
        application = await self._client.call(render.get_application())
        if isinstance(application, dict):
            flags = application.get("flags")
            may_read = isinstance(flags, int) and bool(flags & _READS_CONTENT)
            self._reads_on = may_read and not self._refused_content
            self._application_id = str(application.get("id") or self._identity.bot_id)

    async def listen(self, sink: Sink) -> None:
        """Receive over the gateway.

        Reading on in threads is not needed: where Discord does not let the bot, although it said so, the next one
        to listen goes without.
        """
        try:
            await self._listener.run(sink, message_content=self._reads_on)
        except IntentRefused as refusal:
            if not self._reads_on:
                raise
            self._refused_content = True
            raise TryLater("Discord does not let this bot read on in threads; it goes on without that.") from refusal

    async def stop(self) -> None:
        """Close every connection."""
        await self._listener.close()
        await self._client.close()

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What a stored event means."""
        return self._parser.parse(payload)

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Say it: as the end of what was begun (`into`) where that is still there, else as a new message."""
        if message.into is not None and message.file is None:
            begun = MessageRef(chat, message.into)
            try:
                await self.edit(begun, message)
            except Refused as refusal:
                if refusal.reason is not RefusedReason.GONE:
                    raise
            else:
                return begun
        if message.file is not None:
            await _check_size(message.file)
        return await self._post(chat, message)

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Make it say something else; a message with a file keeps the file."""
        await self._at(message, lambda room: render.edit(room, message.message_id, new.text, new.buttons))

    async def delete(self, message: MessageRef) -> None:
        """Take it away."""
        try:
            await self._at(message, lambda room: render.delete(room, message.message_id))
        except (MessageGone, ChannelGone):
            return

    async def _post(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        room, instead = await self._rooms.opened(chat)
        try:
            answer = await self._client.call(render.send(room, _in_reply(message, instead)))
        except ChannelGone:
            if chat.thread is None or room != chat.thread:
                raise
            # Somebody deleted the thread; the answer must come all the same.
            self._rooms.do_without(chat.thread)
            answer = await self._client.call(render.send(chat.id, _in_reply(message, chat.thread)))
        message_id = answer.get("id") if isinstance(answer, dict) else None
        if not isinstance(message_id, str):
            raise MaybeDone("Discord's answer does not name the message.")
        return MessageRef(chat, message_id)

    async def _at(self, message: MessageRef, call: Callable[[str], ApiCall]) -> None:
        """Call about a message: in its thread, or in the channel where there was none to be made."""
        room = await self._rooms.of(message.chat)
        try:
            await self._client.call(call(room))
        except ChannelGone:
            if room == message.chat.id or message.chat.kind is ChatKind.PRIVATE:
                raise
            await self._client.call(call(message.chat.id))

    # ---- signs of life ---------------------------------------------------------------------------------------------

    async def typing(self, chat: ChatRef) -> None:
        """Shown for 10 seconds or until a message comes; before there is a thread, in the channel."""
        room = self._rooms.known(chat)
        if room is None:
            room = chat.id if chat.kind is ChatKind.GROUP else await self._rooms.of(chat)
        await self._client.call(render.typing(room))

    def streams_in(self, chat: ChatRef) -> bool:
        """Everywhere: any message of the bot can be edited."""
        return chat.channel_id == self.id

    async def open_stream(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Post what there is of it."""
        return await self._post(chat, message)

    async def stream(self, message: MessageRef, text: str, fallback: str) -> None:
        """Show what is written so far."""
        await self._at(message, lambda room: render.edit(room, message.message_id, text or fallback))

    def private_chat(self, person_id: str) -> ChatRef:
        """A private chat is named by its person; its channel is asked for when something is said there."""
        return ChatRef(self.id, person_id)

    # ---- buttons, forms, menus -------------------------------------------------------------------------------------

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Discord heard of the press when it came in; a note is a line that only the person sees."""
        token = press.id.partition(":")[2]
        if not note or not token:
            return
        try:
            await self._client.call(replies.told_later(self._application_id, token, note))
        except TooLateToAnswer:
            return

    async def open_form(self, press: Press, form: Form) -> None:
        """Answer the press with a form; only where nothing has answered it yet."""
        await self._interactions.open_form(press, form)

    async def set_menu(self, menu_: NativeMenu) -> None:
        """The application's commands everywhere; sent only when Discord has others."""
        wanted = menu.commands_of(menu_)
        if menu.differs(await self._client.call(render.get_commands(self._application_id)), wanted):
            await self._client.call(render.put_commands(self._application_id, wanted))

    # ---- files, and what was missed --------------------------------------------------------------------------------

    async def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """The file's bytes, from Discord's own hosts; 25 MB at most, counted while they come."""
        received = attachment.size or 0
        if received > limits.MAX_DOWNLOAD:
            raise FileTooLarge(_too_large(attachment.name, received, limits.MAX_DOWNLOAD, "fetches"))
        received = 0
        async for chunk in self._client.stream(attachment.handle):
            received += len(chunk)
            if received > limits.MAX_DOWNLOAD:
                raise FileTooLarge(_too_large(attachment.name, received, limits.MAX_DOWNLOAD, "fetches"))
            yield chunk

    async def missed(self, chat: ChatRef, since: datetime) -> AsyncIterator[Update]:
        """What people wrote in a private chat, oldest first."""
        room, after = await self._rooms.of(chat), id_at(since)
        while True:
            page = await self._client.call(render.messages_after(room, after))
            found = [message for message in page if _has_id(message)] if isinstance(page, list) else []
            for message in sorted(found, key=lambda message: int(message["id"])):
                after = int(message["id"])
                payload = {"t": "MESSAGE_CREATE", "d": message, "place": {}}
                if self._parser.parse(payload):
                    yield Update(message["id"], payload)
            if len(found) < limits.HISTORY_PAGE:
                return


def _in_reply(message: OutboundMessage, to: str | None) -> OutboundMessage:
    """The message as a reply to what would have a thread."""
    return message if to is None or message.reply_to is not None else replace(message, reply_to=to)


def _has_id(message: object) -> bool:
    return isinstance(message, dict) and str(message.get("id", "")).isdigit()


async def _check_size(file: OutboundFile) -> None:
    """Refused where Discord would take the whole file and refuse it then."""
    try:
        size = (await asyncio.to_thread(file.path.stat)).st_size
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
    if size > limits.MAX_UPLOAD:
        words = _too_large(file.name, size, limits.MAX_UPLOAD, "lets a bot send")
        raise Refused(words, RefusedReason.BAD_PAYLOAD)


def _too_large(name: str, size: int, limit: int, does: str) -> str:
    who = "Conch" if does == "fetches" else "Discord"
    return f"{name} is {_megabytes(size)} MB; {who} {does} {_megabytes(limit)} MB at most."


def _megabytes(size: int) -> str:
    return f"{size / (1024 * 1024):.1f}".removesuffix(".0")
