"""One answer that is being written, as its chat sees it: what is known of it, and how it is shown where the app has
messages to write into.

When something is shown is `channels.progress`' business, how a message ends that was begun here `channels.unended`'s.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from channels.abilities import Streams
from channels.base import Channel, ChatRef, MessageRef, OutboundMessage
from channels.formatting.parts import Part
from channels.rates import Rates
from core.clock import Clock
from core.errors import TryLater
from core.events import ChatKind
from core.patience import until_stored
from core.store.database import Database
from core.store.previews import KeepPreview, Preview

TurnKey = tuple[str, int | None]
"""A conversation, and the seq of its turn; None for what goes on in it without one."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer is shown: in which chat, as an answer to which message, how often.

    `in_order` says whether everything said before is in the chat, so that a new message comes after it.
    """

    chat: ChatRef
    channel: Channel
    rates: Rates
    answers: str | None = None
    in_order: Callable[[], bool] = lambda: True


@dataclass(slots=True)
class Writing:
    """One running turn. Times are of the monotonic clock."""

    key: TurnKey
    place: Place
    draft_id: int
    next_typing: float
    next_preview: float
    next_mark: float
    """When the message that is answered gets a sign; infinite when it has one."""
    pieces: list[str] = field(default_factory=list)
    message_id: str | None = None
    shown: int = 0
    """Characters of the message that the last preview knew."""
    length: int = 0
    sign: asyncio.Task[None] | None = None
    """The call that is on its way."""
    writes: bool = False
    """It changes a message that stays, which a final message must come after."""
    stream: MessageRef | None = None
    """The message that the words are written into."""
    no_stream: bool = False
    """The app will not have this message written into."""
    unsaid: set[str] = field(default_factory=set)
    """Messages that have all their words and are not in the log yet."""
    waits_for: set[str] = field(default_factory=set)
    """What a person is asked; while there is any, nothing is being written."""

    def add(self, message_id: str, words: str) -> bool:
        """More words; True when they are the first ones of a message, which starts a new preview."""
        first = message_id != self.message_id
        if first:
            self.complete()
            self.message_id = message_id
        self.pieces.append(words)
        self.length += len(words)
        return first

    def complete(self) -> None:
        """The message has all its words: the outbox shows it from here on."""
        self.message_id, self.pieces, self.shown, self.length = None, [], 0, 0
        self.stream, self.no_stream = None, False

    @property
    def streams(self) -> bool:
        """Whether its words go into the message that they will be, now or as soon as those before are in the chat."""
        channel = self.place.channel
        return not self.no_stream and isinstance(channel, Streams) and channel.streams_in(self.place.chat)

    @property
    def may_open(self) -> bool:
        """Whether all that comes before is in the chat."""
        return not self.unsaid and self.place.in_order()


class Streaming:
    """Writes words into messages."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def show(self, writing: Writing, part: Part) -> None:
        """Begin the message, or show what there is of it by now.

        Raises:
            TryLater: nothing was shown, and the next words may be.
            ConchError: this message is not written into any more.
        """
        words_id = writing.message_id
        try:
            await (self._open(writing, part) if writing.stream is None else self._go_on(writing, part))
        except TryLater:
            raise
        except BaseException:
            writing.no_stream = writing.no_stream or writing.message_id == words_id
            raise

    async def _open(self, writing: Writing, part: Part) -> None:
        place, words_id, (conversation_id, turn_seq) = writing.place, writing.message_id, writing.key
        if words_id is None or turn_seq is None or not isinstance(place.channel, Streams):
            return
        message = OutboundMessage(
            text=part.text,
            fallback=part.plain,
            key=f"{conversation_id}:{turn_seq}:{words_id}:preview",
            reply_to=place.answers if place.chat.kind is ChatKind.GROUP else None,
            answers=place.answers,
        )
        opened = await place.channel.open_stream(place.chat, message)
        kept = KeepPreview(Preview(conversation_id, turn_seq, opened.message_id, words_id))
        await until_stored(self._database, self._clock, kept)
        if writing.message_id == words_id:
            writing.stream = opened

    async def _go_on(self, writing: Writing, part: Part) -> None:
        if writing.stream is not None and isinstance(writing.place.channel, Streams):
            await writing.place.channel.stream(writing.stream, part.text, part.plain)
