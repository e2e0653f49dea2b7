"""The Teams adapter: one bot, with everything that Teams can do for a conversation.

Decides what is done about a refusal that has a remedy. What calls look like is `render`'s, what came in `parse`'s, how
it is received `receiving`'s, where a chat is reached `places`'.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from channels.base import (
    Capabilities,
    ChatRef,
    Form,
    Identity,
    Inbound,
    InboundAttachment,
    MessageRef,
    OutboundMessage,
    Press,
    Sink,
)
from channels.reach import Notebook, Pushed
from channels.teams import files, limits, render
from channels.teams.answers import MessageGone
from channels.teams.client import TeamsClient
from channels.teams.fields import text
from channels.teams.parse import Parser
from channels.teams.places import Places
from channels.teams.receiving import Receiver
from channels.teams.streams import Streams
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason
from core.events import ChatKind


class TeamsChannel:
    """One connected Teams bot.

    Also `Edits`, `Streams`, `Typing`, `Presses`, `FormMessages`, `Files`, `Pushes` and `Remembers`.
    """

    def __init__(self, channel_id: str, identity: Identity, client: TeamsClient, clock: Clock) -> None:
        self._identity = identity
        self._client = client
        self._parser = Parser(channel_id, identity.bot_id)
        self._places = Places(client.addresses.service)
        self._files = files.Files(client)
        self._streams = Streams(client, clock)
        self._receiver = Receiver(self._parser, client, self._places, self._files, clock)

    @property
    def id(self) -> str:
        """Our id of this connected bot."""
        return self._parser.channel_id

    @property
    def capabilities(self) -> Capabilities:
        """Teams' limits."""
        return limits.CAPABILITIES

    def remember_in(self, notebook: Notebook) -> None:
        """Where chats are reached, and which files were offered, is noted there."""
        self._places.remember_in(notebook)
        self._files.remember_in(notebook)

    async def start(self) -> None:
        """Make ready to call, sign in, and know again where the chats are."""
        await self._client.open()
        await self._client.sign_in()
        await self._places.load()

    async def listen(self, sink: Sink) -> None:
        """Take what Teams brings."""
        await self._receiver.run(sink)

    async def pushed(self, request: Pushed) -> Mapping[str, Any] | None:
        """Store what Teams brought to our address."""
        return await self._receiver.take(request)

    async def stop(self) -> None:
        """Close every connection."""
        await self._receiver.close()
        await self._client.close()

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What was stored means."""
        return self._parser.parse(payload)

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Say it: as the end of what was begun (`into`) where that is still there, else as a new message."""
        if len(message.text.encode("utf-16-le", "surrogatepass")) // 2 > limits.MAX_TEXT:
            raise Refused("These are more words than Teams takes in a message.", RefusedReason.BAD_PAYLOAD)
        if message.file is not None:
            if message.into is not None:
                await self.delete(MessageRef(chat, message.into))
            sent = await self._files.send(self._service(chat), chat.id, message, message.file)
        elif message.into is not None and await self._finish(chat, message.into, message):
            sent = message.into
        else:
            sent = await self._post(chat, message)
        self._receiver.shows(chat.id, sent, message)
        return MessageRef(chat, sent)

    async def _post(self, chat: ChatRef, message: OutboundMessage) -> str:
        message_id = text(await self._client.call(self._service(chat), render.post(chat.id, message)), "id")
        if message_id is None:
            raise MaybeDone("Teams' answer does not name the message.")
        return message_id

    async def _finish(self, chat: ChatRef, begun: str, message: OutboundMessage) -> bool:
        """End the message that was begun; False where somebody took that away."""
        service = self._service(chat)
        try:
            if not await self._streams.finish(service, chat.id, begun, message):
                await self._client.call(service, render.update(chat.id, begun, message))
        except MessageGone:
            return False
        return True

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Make it say something else."""
        call = render.update(message.chat.id, message.message_id, new)
        await self._client.call(self._service(message.chat), call)
        self._receiver.shows(message.chat.id, message.message_id, new)

    async def delete(self, message: MessageRef) -> None:
        """Take it away."""
        with suppress(MessageGone):
            call = render.delete(message.chat.id, message.message_id)
            await self._client.call(self._service(message.chat), call)

    def _service(self, chat: ChatRef) -> str:
        return self._places.service_of(chat.id)

    # ---- while it is written ---------------------------------------------------------------------------------------

    def streams_in(self, chat: ChatRef) -> bool:
        """In private chats: Teams streams nothing anywhere else."""
        return chat.kind is ChatKind.PRIVATE

    async def open_stream(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Begin the message."""
        return MessageRef(chat, await self._streams.open(self._service(chat), chat.id, message))

    async def stream(self, message: MessageRef, text: str, fallback: str) -> None:
        """Write on."""
        await self._streams.add(self._service(message.chat), message.chat.id, message.message_id, text or fallback)

    async def typing(self, chat: ChatRef) -> None:
        """Shown for some seconds, or until a message comes."""
        await self._client.call(self._service(chat), render.typing(chat.id))

    # ---- buttons, forms, files -------------------------------------------------------------------------------------

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Teams knows already that the press arrived; a note is a message, as there is no line for one person."""
        if not note:
            return
        chat = press.message.chat
        with suppress(Refused):  # nobody is there any more to see it
            await self._client.call(self._service(chat), render.plain(chat.id, note))

    def holds(self, form: Form) -> bool:
        """Every question fits on a card."""
        return bool(form.fields)

    def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """The file's bytes, from Microsoft's own hosts."""
        return files.fetch(self._client, attachment)
