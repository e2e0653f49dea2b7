"""The Slack adapter: one bot, with everything that Slack can do for a conversation.

Decides what is done about a refusal that has a remedy, and which road an answer takes. What calls look like is
`render`'s, what came in `parse`'s, how it is received `socket`'s and `events`'.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog

from channels.base import (
    Capabilities,
    ChatRef,
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
from channels.formatting.parts import Dialect, Part, fallback
from channels.reach import Pushed
from channels.slack import away, files, history, limits, render
from channels.slack.answers import AlreadySo, MarkupRefused, MessageGone, TooLong
from channels.slack.client import SlackClient
from channels.slack.dispatch import Dispatch
from channels.slack.events import HttpReceiver
from channels.slack.fields import text
from channels.slack.intake import Intake
from channels.slack.known import Workspace
from channels.slack.parse import SLASH_AWAY, SLASH_HERE, Parser
from channels.slack.render import Place
from channels.slack.responding import Responses
from channels.slack.socket import SocketReceiver
from channels.slack.streams import Streams
from core.clock import Clock
from core.errors import MaybeDone, NotAllowed, Refused, RefusedReason
from core.events import ChatKind

THINKING = "is thinking…"
_REMEMBERED = 1_000

_log = structlog.get_logger(__name__)


class SlackChannel:
    """One connected Slack bot.

    Also `Completes`, `Edits`, `Streams`, `Marks`, `Typing`, `Presses`, `Forms`, `Threads`, `Files`, `PrivateChats`,
    `History` and, with a signing secret, `Pushes`: then Slack brings what comes in; without one, a connection is held
    open for it.
    """

    def __init__(
        self,
        channel_id: str,
        identity: Identity,
        client: SlackClient,
        clock: Clock,
        *,
        signing_secret: str | None = None,
        console: str | None = None,
    ) -> None:
        self._identity = identity
        self._client = client
        self._parser = Parser(channel_id, identity.bot_id)
        self._workspace = Workspace(client, clock)
        self._responses = Responses(clock)
        self._intake = Intake(self._parser, client, self._workspace, self._responses, console)
        dispatch = Dispatch(self._intake, identity.bot_id)
        self._http = HttpReceiver(signing_secret, client, dispatch, clock) if signing_secret else None
        self._socket = SocketReceiver(client, dispatch, clock)
        self._streams = Streams(client)
        self._away = away.Answers(client, self._responses)
        self._shown_files: dict[str, str] = {}

    @property
    def id(self) -> str:
        """Our id of this connected bot."""
        return self._parser.channel_id

    @property
    def capabilities(self) -> Capabilities:
        """Slack's limits."""
        return limits.CAPABILITIES

    async def start(self) -> None:
        """Open the connection pool and ask whose key this is. What is being sent meanwhile goes on."""
        await self._client.open()
        me = await self._client.call(render.who_am_i())
        if me.get("user_id") != self._identity.bot_id:
            raise Refused(f"This key belongs to another bot than {self._identity.name}.", RefusedReason.FORBIDDEN)
        self._intake.is_in(text(me, "team_id"))

    async def listen(self, sink: Sink) -> None:
        """Receive over a connection of our own, or what Slack brings where a signing secret says that it does."""
        await self._workspace.load()
        await (self._http or self._socket).run(sink)

    async def pushed(self, request: Pushed) -> Mapping[str, Any] | None:
        """Store what Slack brought to our address."""
        if self._http is None:
            raise NotAllowed("Slack is not to bring this bot's messages.")
        return await self._http.take(request)

    async def stop(self) -> None:
        """Close every connection."""
        await self._intake.close()
        await self._client.close()

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What was stored means."""
        return self._parser.parse(payload)

    async def complete(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was stored, with the names that belong to it."""
        return await self._intake.complete(payload)

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Say it: where the answer was begun, where the command was given, or as a message of its own."""
        if len(message.text.encode("utf-16-le", "surrogatepass")) // 2 > limits.MAX_TEXT:
            raise Refused("These are more words than Slack takes in a message.", RefusedReason.BAD_PAYLOAD)
        place, above = await self._place(chat, message.answers or message.reply_to), None
        if (message.answers or "").startswith(SLASH_AWAY) and chat.kind is ChatKind.PRIVATE:
            said = await self._away.say(message)
            if said.message_id is not None:
                return MessageRef(chat, said.message_id)
            above = said.above
        if message.file is not None:
            return await self._send_file(chat, place, message, message.file)
        if message.into is not None:
            return await self._finish(chat, place, message)
        return await self._post(chat, place, message, above)

    async def _post(
        self, chat: ChatRef, place: Place, message: OutboundMessage, above: str | None = None
    ) -> MessageRef:
        try:
            answer = await self._client.call(render.post(place, message, above=above))
        except MarkupRefused as refusal:
            _log.warning("Slack does not take a message's blocks; it goes out plainer", reason=str(refusal))
            answer = await self._client.call(render.post(place, message, plainer=True, above=above))
        ts = text(answer, "ts")
        if ts is None:
            raise MaybeDone("Slack's answer does not name the message.")
        return MessageRef(chat, ts)

    async def _finish(self, chat: ChatRef, place: Place, message: OutboundMessage) -> MessageRef:
        """End the message that was begun; a new one where somebody took that away, or Slack takes no more in it."""
        begun = MessageRef(chat, message.into or "")
        try:
            if not await self._streams.finish(place.room, render.ts_of(begun.message_id), message):
                await self._change(place.room, begun.message_id, message)
        except MessageGone:
            return await self._post(chat, place, message)
        except TooLong:
            said = await self._post(chat, place, message)
            await self.delete(begun)
            return said
        return begun

    async def _send_file(self, chat: ChatRef, place: Place, message: OutboundMessage, file: OutboundFile) -> MessageRef:
        """The file with its words; apart from them where they are many, or have buttons. One that is there is kept."""
        if message.into is not None:
            await self.delete(MessageRef(chat, message.into))
        words = "\n".join(part.text for part in fallback(Part(message.text, message.fallback), Dialect.slack))
        apart = bool(message.buttons) or len(words) > limits.MAX_SECTION
        shown = self._shown_files.get(message.key)
        if shown is None:
            shown = await files.bring(self._client, place, file, "" if apart else words)
        if not apart:
            return MessageRef(chat, shown)
        self._shown_files[message.key] = shown
        if len(self._shown_files) > _REMEMBERED:
            del self._shown_files[next(iter(self._shown_files))]
        return await self._post(chat, place, replace(message, file=None))

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Make it say something else."""
        if message.message_id.startswith(SLASH_AWAY):
            return await self._away.change(message.message_id, new)
        if not _is_lasting(message.message_id):
            raise Refused("A file says nothing that could be changed.", RefusedReason.BAD_PAYLOAD)
        return await self._change((await self._place(message.chat)).room, message.message_id, new)

    async def _change(self, room: str, message_id: str, new: OutboundMessage) -> None:
        try:
            await self._client.call(render.update(room, message_id, new))
        except MarkupRefused:
            await self._client.call(render.update(room, message_id, new, plainer=True))

    async def delete(self, message: MessageRef) -> None:
        """Take it away."""
        if message.message_id.startswith("F"):
            call = render.delete_file(message.message_id)
        elif _is_lasting(message.message_id):
            call = render.delete((await self._place(message.chat)).room, message.message_id)
        else:
            return
        try:
            await self._client.call(call)
        except Refused as refusal:
            if refusal.reason is not RefusedReason.GONE:
                raise

    async def _place(self, chat: ChatRef, answered: str | None = None) -> Place:
        private = chat.kind is ChatKind.PRIVATE
        room = await self._workspace.room_of(chat.id) if private else chat.id
        return Place(room, render.thread_of(chat, answered))

    def private_chat(self, person_id: str) -> ChatRef:
        """The chat has the person's id here; Slack's own id of the room is found out when something is sent."""
        return ChatRef(self.id, person_id)

    # ---- while it is written ---------------------------------------------------------------------------------------

    @property
    def reads_on(self) -> bool:
        """Slack tells of every message in the channels that the bot is in."""
        return True

    def streams_in(self, chat: ChatRef) -> bool:
        """In threads: Slack streams nothing anywhere else."""
        return chat.thread is not None or (chat.kind is ChatKind.PRIVATE and self._responses.writes_in_thread(chat.id))

    async def open_stream(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Begin the message, for the person who asked."""
        place = await self._place(chat, message.answers or message.reply_to)
        if place.thread is None:
            raise Refused("Slack streams only in threads.", RefusedReason.BAD_PAYLOAD)
        asked = self._responses.asked(render.ts_of(message.answers or message.reply_to or ""))
        if asked is None and chat.kind is ChatKind.GROUP:
            raise Refused("It is not known any more for whom this is.", RefusedReason.BAD_PAYLOAD)
        return MessageRef(chat, await self._streams.open(place, message, asked))

    async def stream(self, message: MessageRef, text: str, fallback: str) -> None:
        """Write on."""
        place = await self._place(message.chat)
        await self._streams.add(place.room, render.ts_of(message.message_id), text)

    async def mark(self, message: MessageRef) -> None:
        """Two eyes on the message; a command has none to put them on."""
        await self._react(message, render.mark)

    async def unmark(self, message: MessageRef) -> None:
        """The eyes go."""
        await self._react(message, render.unmark)

    async def _react(self, message: MessageRef, reaction: Any) -> None:  # noqa: ANN401 - one of two functions
        if not _is_lasting(message.message_id) or message.message_id.startswith(SLASH_HERE):
            return
        place = await self._place(message.chat)
        with suppress(AlreadySo, MessageGone):
            await self._client.call(reaction(place.room, message.message_id))

    async def typing(self, chat: ChatRef) -> None:
        """A line below the thread, until the bot writes there; nowhere else does Slack show one."""
        if chat.thread is not None:
            await self._client.call(render.status(chat.id, chat.thread, THINKING))

    # ---- buttons, forms --------------------------------------------------------------------------------------------

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Slack knows already that the press arrived; a note is shown to the person alone."""
        if not note:
            return
        with suppress(Refused):  # too late, or nobody is there to see it
            if not await self._away.note(press.id, note):
                place = await self._place(press.message.chat)
                await self._client.call(render.ephemeral(place, press.sender.id, note))

    async def open_form(self, press: Press, form: Form) -> None:
        """Show the form."""
        await self._client.call(render.open_form(press, form))

    # ---- files, history --------------------------------------------------------------------------------------------

    def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """The file's bytes, from Slack's own hosts."""
        return files.fetch(self._client, attachment)

    async def missed(self, chat: ChatRef, since: datetime) -> AsyncIterator[Update]:
        """What was written in a private chat after a moment."""
        place = await self._place(chat)
        async for update in history.read(self._client, self._intake, place.room, since):
            yield update


def _is_lasting(message_id: str) -> bool:
    """Whether a message stands in a channel for good: not what one person was shown, and no file."""
    return not message_id.startswith((SLASH_AWAY, "F"))
