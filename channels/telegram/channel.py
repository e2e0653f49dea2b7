"""The Telegram adapter: one bot, with everything that Telegram can do for a conversation.

Decides what is done about a refusal that has a remedy. What calls look like is `render`'s, what came in `parse`'s, how
it is received `polling`'s.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import structlog

from channels.base import (
    Capabilities,
    ChatRef,
    FileTooLarge,
    Identity,
    Inbound,
    InboundAttachment,
    MessageRef,
    OutboundFile,
    OutboundMessage,
    Press,
    Sink,
)
from channels.reach import Pushed
from channels.telegram import limits, render
from channels.telegram.answers import (
    AlreadySo,
    ChatMoved,
    MarkupRefused,
    MenuTooLarge,
    NoText,
    PictureRefused,
    UnknownMethod,
    WordsRefused,
)
from channels.telegram.client import TelegramClient
from channels.telegram.parse import Parser
from channels.telegram.polling import Poller
from channels.telegram.render import ApiCall, Manner
from channels.telegram.webhook import Webhook, WebhookAddress
from commands.menus import MenuEntry, MenuLimits, NativeMenu, fit
from core.clock import Clock
from core.errors import MaybeDone, NotAllowed, Refused, RefusedReason, TryLater
from core.events import ChatKind

_REMEMBERED = 1_000
"""Bound of what is only remembered to spare a call or a double."""

_log = structlog.get_logger(__name__)


class TelegramChannel:
    """One connected Telegram bot; also `Edits`, `Drafts`, `Typing`, `Presses`, `Pushes`, `Files` and `NativeMenus`.

    With an address, Telegram brings what comes in to it; without, it is asked for.
    """

    def __init__(
        self,
        channel_id: str,
        identity: Identity,
        client: TelegramClient,
        clock: Clock,
        webhook: WebhookAddress | None = None,
    ) -> None:
        self._identity = identity
        self._client = client
        self._webhook = Webhook(webhook, client, clock) if webhook else None
        self._poller = Poller(client, clock)
        self._parser = Parser(channel_id, int(identity.bot_id), identity.username)
        self._drafts_work = True
        self._without_drafts: dict[str, None] = {}
        self._words_sent: dict[str, None] = {}

    @property
    def id(self) -> str:
        """Our id of this connected bot."""
        return self._parser.channel_id

    @property
    def capabilities(self) -> Capabilities:
        """Telegram's limits."""
        return limits.CAPABILITIES

    async def start(self) -> None:
        """Open the connection pool and ask whose key this is. What is being sent meanwhile goes on."""
        await self._client.open()
        me = await self._client.call(render.get_me())
        if not isinstance(me, dict) or str(me.get("id")) != self._identity.bot_id:
            raise Refused(f"This key belongs to another bot than {self._identity.name}.", RefusedReason.FORBIDDEN)
        username = me.get("username")
        if isinstance(username, str):  # BotFather can rename a bot
            self._parser = replace(self._parser, username=username)

    async def listen(self, sink: Sink) -> None:
        """Receive by webhook where there is an address for it; else by polling, which removes a webhook left behind."""
        await (self._webhook or self._poller).run(sink)

    async def pushed(self, request: Pushed) -> None:
        """Store what Telegram brought to our address."""
        if self._webhook is None:
            raise NotAllowed("Telegram is not to bring this bot's messages.")
        await self._webhook.take(request)

    async def stop(self) -> None:
        """Close every connection."""
        await self._client.close()

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What a raw update means."""
        return self._parser.parse(payload)

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Say it; without its markup where Telegram cannot read that, a picture as a file where it cannot show it."""
        manner = render.USUAL
        if message.file is not None:
            manner = Manner(as_document=await _upload_size(message.file) > limits.MAX_PHOTO)
        while True:
            try:
                return await self._say(chat, render.send(chat, message, manner), message.key)
            except (MarkupRefused, PictureRefused) as refusal:
                manner = _remedy(manner, refusal)

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Make it say something else; a message with a file keeps the file."""
        manner = Manner(caption=new.file is not None)
        while True:
            try:
                await self._repeat(render.edit(message, new, manner))
            except (MarkupRefused, NoText) as refusal:
                manner = _remedy(manner, refusal)
            else:
                return

    async def delete(self, message: MessageRef) -> None:
        """Take it away; Telegram allows that for 48 hours."""
        await self._repeat(render.delete(message))

    async def _say(self, chat: ChatRef, calls: Sequence[ApiCall], key: str) -> MessageRef:
        """Make the calls of one message; words that went out before their file are not said again for the same key."""
        *before, last = calls
        for call in before:
            if key not in self._words_sent:
                chat = (await self._deliver(chat, call)).chat
                _remember(self._words_sent, key)
        sent = await self._deliver(chat, last)
        self._words_sent.pop(key, None)
        return sent

    async def _deliver(self, chat: ChatRef, call: ApiCall) -> MessageRef:
        try:
            answer = await self._client.call(call)
        except ChatMoved as to:
            chat = replace(chat, id=str(to.chat_id))
            answer = await self._client.call(render.moved(call, to.chat_id))
        message_id = answer.get("message_id") if isinstance(answer, dict) else None
        if type(message_id) is not int:
            raise MaybeDone("Telegram's answer does not name the message.")
        return MessageRef(chat, str(message_id))

    async def _repeat(self, call: ApiCall) -> None:
        """Make a call that names no new message; that it is so already is success."""
        try:
            await self._client.call(call)
        except AlreadySo:
            return
        except ChatMoved as to:
            await self._client.call(render.moved(call, to.chat_id))

    # ---- signs of life ---------------------------------------------------------------------------------------------

    async def typing(self, chat: ChatRef) -> None:
        """Shown for 5 seconds or until a message comes."""
        await self._repeat(render.typing(chat))

    def drafts_in(self, chat: ChatRef) -> bool:
        """In private chats, as long as Telegram takes drafts there."""
        return chat.kind is ChatKind.PRIVATE and self._drafts_work and chat.id not in self._without_drafts

    async def draft(self, chat: ChatRef, draft_id: int, text: str, fallback: str) -> None:
        """Show what is being written; where Telegram takes no drafts, typing now and from then on."""
        manner = render.USUAL
        while True:
            try:
                await self._client.call(render.draft(chat, draft_id, text, fallback, manner))
            except MarkupRefused as refusal:
                manner = _remedy(manner, refusal)
            except Refused as refusal:
                self._give_up_drafts(chat, refusal)
                return await self.typing(chat)
            else:
                return None

    def _give_up_drafts(self, chat: ChatRef, refusal: Refused) -> None:
        """In every chat, where Telegram does not know drafts; here, where it does not want one; or not at all."""
        if isinstance(refusal, UnknownMethod):
            self._drafts_work = False
        elif refusal.reason is RefusedReason.BAD_PAYLOAD and not isinstance(refusal, WordsRefused):
            _remember(self._without_drafts, chat.id)
        else:
            raise refusal
        _log.info("Telegram takes no drafts", channel=self.id, reason=str(refusal))

    def private_chat(self, person_id: str) -> ChatRef:
        """Telegram's private chat with a person has their own id [core.telegram.org/bots/api#chat]."""
        return ChatRef(self.id, person_id)

    # ---- buttons, menus --------------------------------------------------------------------------------------------

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Stop the button's spinner; a note is shown for a moment, its first 200 characters."""
        await self._repeat(render.answer_press(press, note))

    async def set_menu(self, menu: NativeMenu) -> None:
        """Everybody's menu, and the one of all groups."""
        await self._set_menu(menu.default, "default")
        await self._set_menu(menu.groups or (), "all_group_chats")

    async def _set_menu(self, entries: Sequence[MenuEntry], scope: str) -> None:
        """Where a menu is too much as a whole, it gets shorter: its descriptions first."""
        for total_bytes in limits.SMALLER_MENUS:
            try:
                return await self._repeat(render.set_menu(entries, scope))
            except MenuTooLarge as refusal:
                _log.warning("a menu is too large", channel=self.id, scope=scope, reason=str(refusal))
                entries = fit(entries, MenuLimits(total_bytes=total_bytes))
        return await self._repeat(render.set_menu(entries, scope))

    # ---- files -----------------------------------------------------------------------------------------------------

    async def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """The file's bytes, from Telegram's file host; 20 MB at most, counted while they come."""
        if attachment.size is not None and attachment.size > limits.MAX_DOWNLOAD:
            raise _too_large_to_fetch(attachment.name, attachment.size)
        path = await self._path_of(attachment)
        received = 0
        async for chunk in self._client.stream(path):
            received += len(chunk)
            if received > limits.MAX_DOWNLOAD:
                raise _too_large_to_fetch(attachment.name, received)
            yield chunk

    async def _path_of(self, attachment: InboundAttachment) -> str:
        try:
            found = await self._client.call(render.get_file(attachment.handle))
        except Refused as refusal:
            if "too big" not in str(refusal):
                raise
            raise _too_large_to_fetch(attachment.name, attachment.size) from refusal
        path = found.get("file_path") if isinstance(found, dict) else None
        if not isinstance(path, str) or not path:
            raise TryLater(f"Telegram does not say where {attachment.name} lies.")
        if path.startswith("/") or "://" in path or ".." in PurePosixPath(path).parts:
            raise Refused(f"Telegram names a place for {attachment.name} that is not its own.", RefusedReason.FORBIDDEN)
        return path


def _remedy(manner: Manner, refusal: Refused) -> Manner:
    """The manner in which the same may be tried again; the refusal itself where that was tried already."""
    if isinstance(refusal, MarkupRefused) and not manner.plain:
        _log.warning("Telegram cannot read a message's markup; it goes without", reason=str(refusal))
        return replace(manner, plain=True)
    if isinstance(refusal, PictureRefused) and not manner.as_document:
        return replace(manner, as_document=True)
    if isinstance(refusal, NoText) and not manner.caption:
        return replace(manner, caption=True)
    raise refusal


def _remember(known: dict[str, None], name: str) -> None:
    """Keep a name, and of all names only the newest."""
    known[name] = None
    if len(known) > _REMEMBERED:
        del known[next(iter(known))]


async def _upload_size(file: OutboundFile) -> int:
    """In bytes; refused where Telegram would take the whole file and refuse it then."""
    try:
        size = (await asyncio.to_thread(file.path.stat)).st_size
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
    if size > limits.MAX_UPLOAD:
        words = _too_large(file.name, size, limits.MAX_UPLOAD, "send")
        raise Refused(words, RefusedReason.BAD_PAYLOAD)
    return size


def _too_large_to_fetch(name: str, size: int | None) -> FileTooLarge:
    return FileTooLarge(_too_large(name, size, limits.MAX_DOWNLOAD, "fetch"))


def _too_large(name: str, size: int | None, limit: int, doing: str) -> str:
    is_size = f" is {_megabytes(size)} MB" if size is not None else " is too large"
    return f"{name}{is_size}; Telegram lets a bot {doing} {_megabytes(limit)} MB at most."


def _megabytes(size: int) -> str:
    return f"{size / (1024 * 1024):.1f}".removesuffix(".0")
