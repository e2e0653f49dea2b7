"""The contract between Conch and a chat app: what comes in, what goes out, and what an adapter must do.

An adapter knows its SDK and this file, and nothing else of the project. The required members are one Protocol
(`Channel`); each further ability is a Protocol of its own, asked for once when the channel starts, with what happens
without it. `Capabilities` says limits, never abilities. All data is frozen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from channels.formatting.parts import Dialect
from commands.values import ValueItem
from core.cards import QuestionField
from core.errors import Refused, RefusedReason
from core.events import ChatKind

# ---- what comes in -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChatRef:
    """A room of a chat app. `thread` is a Slack thread, a Discord thread or a Telegram topic: a chat of its own.

    Of a private chat `id` is whatever names the room for ever and on every road: with Telegram, Slack and Discord the
    person's own id (the room's, which the app wants in calls, the adapter finds out), with Teams the room's.
    """

    channel_id: str
    id: str
    kind: ChatKind = ChatKind.PRIVATE
    thread: str | None = None
    title: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message that the app has taken, by the app's own id."""

    chat: ChatRef
    message_id: str


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. Known by the app's own `id`; `name` and `username` are for people to read, anyone can set them."""

    id: str
    name: str
    username: str | None = None
    is_bot: bool = False


class AttachmentKind(StrEnum):
    """What a file is, as far as the app says."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class InboundAttachment:
    """A file that came with a message; `handle` is what `Files.download` needs. `size` is in bytes, as the app says."""

    handle: str
    name: str
    kind: AttachmentKind
    mime: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Quoted:
    """The message that was replied to. `from_bot`: it was this bot's own."""

    message_id: str
    text: str
    author: str
    from_bot: bool = False


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A person wrote something. `text` has the mention of the bot cut out.

    `update_id` is made from the thing itself, so that every road to it gives the same one.
    """

    chat: ChatRef
    sender: Sender
    message_id: str
    text: str
    update_id: str
    at: datetime
    attachments: tuple[InboundAttachment, ...] = ()
    reply_to: Quoted | None = None
    forwarded_from: str | None = None
    """Whose words these are, by name, where the message was forwarded."""
    mentioned: bool = False
    album: str | None = None
    """The same for all messages of one album."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A message was changed; `message` is what it says now."""

    message: InboundMessage


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed, an option picked in a list, or a form sent. `token` is what we put into it.

    `id` answers the press. `filled` is what a form was sent with: by the name of a field what stands in it, as the
    answer of that kind of field is written (`core.questions`), several where several may be picked; a field that was
    left empty is not there. None: it was no form.
    """

    id: str
    token: str
    message: MessageRef
    sender: Sender
    update_id: str
    at: datetime
    filled: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """The bot was brought into a group."""

    chat: ChatRef
    by: Sender | None
    update_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Left:
    """The bot was taken out of a group, or a person blocked it in their private chat."""

    chat: ChatRef
    update_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Moved:
    """A group has a new id and is the same group otherwise; `old` works no more."""

    old: ChatRef
    new: ChatRef
    update_id: str
    at: datetime


Inbound = InboundMessage | Edited | Press | Joined | Left | Moved


@dataclass(frozen=True, slots=True)
class Update:
    """One thing as the app sent it. Stored before the app is told "got it"; parsed afterwards."""

    update_id: str
    payload: Mapping[str, Any]


# ---- what goes out -------------------------------------------------------------------------------------------------


class ButtonStyle(StrEnum):
    """What a button looks like where the app can show it."""

    PLAIN = "plain"
    PRIMARY = "primary"
    DANGER = "danger"


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a message: either `token` comes back as a press, or `url` is opened.

    Those that are an `option` are one list of things to choose from, one after another: an app may show them as a list
    to pick from, whose pick comes back as the press of that button. One that opens a `form` is answered with it at
    once, without a press (`Forms`); an app without forms never gets one. What `says` something may be drawn as a
    suggestion of what to write next: tapping it sends these words as the person's own message, and no press comes.
    """

    label: str
    token: str | None = None
    url: str | None = None
    style: ButtonStyle = ButtonStyle.PLAIN
    option: bool = False
    form: bool = False
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """Fields to fill in, all at once. What is sent comes back as a press of `token` with what was `filled` in.

    `title` is at most 120 characters, to be cut by the app; `submit` is the label of what sends it.
    """

    title: str
    fields: tuple[QuestionField, ...]
    token: str
    submit: str = "Send"


@dataclass(frozen=True, slots=True)
class OutboundFile:
    """A file that goes out. Its words, if any, are the message's text."""

    path: Path
    name: str
    mime: str


@dataclass(frozen=True, slots=True)
class OutboundMessage:
    """One message of a chat app: already in the app's own markup and within its limits.

    `fallback` is the same words in the plainer form that is sent when the app refuses the markup. `key` is stable over
    every retry; an app that takes an idempotency key gets it. A `silent` message makes no sound. `reply_to` is the
    message that it is shown as a reply to, `answers` the one that it answers, which is not shown by itself. `into` is
    the message that `Streams.open_stream` began: what is sent is its final form, and a new one where it is gone.
    `form` stands in the message itself, only with an app that can hold it (`FormMessages`).
    """

    text: str
    fallback: str
    key: str
    file: OutboundFile | None = None
    buttons: tuple[Button, ...] = ()
    reply_to: str | None = None
    silent: bool = False
    answers: str | None = None
    into: str | None = None
    form: Form | None = None


class HealthState(StrEnum):
    """How a channel is doing."""

    CONNECTING = "connecting"
    ONLINE = "online"
    RECONNECTING = "reconnecting"
    NEEDS_TOKEN = "needs-token"  # noqa: S105 - a state, not a secret
    CONFLICT = "conflict"
    OFF = "off"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Health:
    """How a channel is doing and, where a person must act, what to do."""

    state: HealthState
    since: datetime
    detail: str | None = None
    retry_at: datetime | None = None
    last_event: datetime | None = None
    """When the app last told us anything useful."""


# ---- what an adapter declares and does -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the app lets a bot send, in messages a second; see the adapter's `limits.py` for the source."""

    per_chat: float
    per_group: float
    overall: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Capabilities:
    """An app's limits, as data. Sizes in bytes, times in seconds."""

    kind: str
    """Its name in settings, links and logs: `telegram`."""
    title: str
    dialect: Dialect
    pace: Pace
    max_text: int | None
    """Of one message, measured as the app measures; None where there is no limit."""
    max_download: int
    max_upload: int
    max_caption: int | None = None
    """Of the words under a file; None where they count as any other text."""
    button_limit: int = 0
    """As many choices under one message as the app shows comfortably; 0 where there are no buttons."""
    max_label: int = 64
    """Characters of a button's label that are surely seen whole."""
    command: str | None = None
    """The one command behind which all of ours are written, where the app keeps every other: `/conch`. What it brings
    is a message whose text begins with it."""
    threads_are_rooms: bool = False
    """Whether a thread is a place of its own that everybody sees come (Discord), or a way to write below (Slack)."""
    notes_pass: bool = True
    """Whether a note that answers a press goes away by itself; where it stays, one that only confirms is left out."""
    typing_every: float = 4.5
    preview_every: float = 1.0
    preview_newest: int = 2_500
    """How many of the newest characters a live preview shows."""


class Sink(Protocol):
    """Where an adapter puts what comes in."""

    async def store(self, updates: Sequence[Update]) -> None:
        """Come back when every update is stored: only then may the app be told "got it".

        Raises:
            TryLater: nothing was stored; the app must not be told anything.
        """
        ...

    def online(self) -> None:
        """The app answers: the connection works.

        What an app with `History` lost before is read when a connection works again, that is, after `listen` ended.
        """
        ...

    async def form(self, press: Press) -> Form | None:
        """The form that a button with `form` opens now, from what is stored and without waiting for any writing.

        None: there is none any more; the press is then stored as any other, and is answered with why.
        """
        ...

    async def faults(self, press: Press) -> Mapping[str, str]:
        """What is wrong with what a form was sent with (`Press.filled`): a sentence by each field's id; as `form` does.

        Empty: store the press. An app that can say nothing at a field stores it in any case; what is wrong then comes
        as the note of the press.
        """
        ...

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        """All words that a command takes there from this person now, for an app that completes what is typed.

        As `form` does, and without waiting for any engine; empty where they may not give the command.
        """
        ...


class FileTooLarge(Refused):
    """The app does not hand out a file of this size."""

    def __init__(self, message: str) -> None:
        super().__init__(message, RefusedReason.BAD_PAYLOAD)


class Conflict(Exception):
    """Someone else receives with the same key; the connection is theirs for now."""


class Channel(Protocol):
    """What the service needs from a chat app; nothing more."""

    @property
    def id(self) -> str:
        """Our id of this connected bot."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The app's limits."""
        ...

    async def start(self) -> None:
        """Open what sending needs and make sure that the key works and the bot is the one it was.

        Raises:
            TryLater: the app could not be reached.
            Refused: the key does not work (`AUTH`), or belongs to another bot (`FORBIDDEN`).
        """
        ...

    async def listen(self, sink: Sink) -> None:
        """Receive until cancelled, and store before acknowledging.

        Raises:
            TryLater: the connection broke.
            Refused: the key stopped working (`AUTH`).
            Conflict: somebody else receives with this key.
        """
        ...

    async def stop(self) -> None:
        """Let go of everything. Harmless when nothing was started."""
        ...

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What a stored payload means; empty for what does not concern us, the bot's own messages among it.

        Pure. Never raises for a payload that the app could have sent; a malformed one raises `ValueError`.
        """
        ...

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Say it and return the app's own id of the new message, and its chat's, which may be new (`Moved`).

        Raises:
            TryLater: surely not taken; the same call may work after `retry_after` seconds.
            MaybeDone: the request went out and no receipt came back.
            Refused: the same call will never work.
        """
        ...


# ---- how a bot is connected ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Identity:
    """Which bot a key belongs to, as the app says."""

    bot_id: str
    name: str
    username: str | None = None


class ChannelKind(Protocol):
    """One chat app: how its bots are connected. Found by its `kind`, ours or an installed package's."""

    @property
    def kind(self) -> str:
        """`telegram`, `memory` …"""
        ...

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """The key in whatever was pasted, found by its shape; None when there is none. Sends nothing anywhere."""
        ...

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Ask the app whether the key works, without saving anything.

        Raises:
            TryLater: the app could not be reached.
            Refused: the key does not work.
        """
        ...

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel for a key that was checked; nothing is sent before `start`."""
        ...

    def hello_link(self, identity: Identity, code: str) -> str | None:
        """A link that opens a private chat with the bot and hands it the code; None where the app has none."""
        ...
