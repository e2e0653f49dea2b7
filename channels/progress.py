"""What a chat sees while an answer is written: a live preview where the app has one, else typing.

Few tasks serve every running turn and exist only while there are some. Nothing here is stored: the final message is the
outbox's, and a preview that fails is no failure.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from functools import partial

import structlog

from channels.abilities import Drafts, Typing
from channels.base import Channel, ChatRef
from channels.formatting.parts import preview
from channels.rates import Rates
from core.clock import Clock
from core.errors import ConchError, TryLater

_log = structlog.get_logger(__name__)

TICK = 0.25
"""Seconds between looks at the running turns."""

FIRST_SIGN = 0.25
"""Seconds before a turn without words is seen writing: an answer that comes at once needs no sign."""

FIRST_WORDS = 0.003
"""Seconds from the first words of a message to its first preview: one that is complete by then needs none."""

SIGNS_AT_ONCE = 30
"""Calls that may be on their way; when more chats than that wait at once, answers come before signs of them."""

LAST_SIGN = 2.0
"""Seconds that a final message waits for a preview that is on its way, so that the preview cannot come after it."""


@dataclass(slots=True)
class Writing:
    """One running turn, as its chat sees it. Times are of the monotonic clock."""

    chat: ChatRef
    channel: Channel
    rates: Rates
    draft_id: int
    next_typing: float
    next_preview: float
    pieces: list[str] = field(default_factory=list)
    message_id: str | None = None
    shown: int = 0
    """Characters of the message that the last preview knew."""
    length: int = 0
    sign: asyncio.Task[None] | None = None
    """The call that is on its way."""
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


class Progress:
    """Shows that answers are being written."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: dict[Hashable, Writing] = {}
        self._ticker: asyncio.Task[None] | None = None
        self._fresh: deque[tuple[float, Writing]] = deque()
        """Turns that got the first words of a message, and when these are due to be shown."""
        self._opener: asyncio.Task[None] | None = None
        self._signs: set[asyncio.Task[None]] = set()

    def begin(self, key: Hashable, chat: ChatRef, channel: Channel, rates: Rates, draft_id: int) -> None:
        """A turn began, which has this key from now on; `draft_id` is a positive number of its own."""
        now = self._clock.monotonic()
        self._running[key] = Writing(chat, channel, rates, draft_id, now + FIRST_SIGN, now)
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick(), name="progress")

    def add(self, key: Hashable, message_id: str, words: str) -> None:
        """More words of the message that is being written."""
        writing = self._running.get(key)
        if writing is None or not writing.add(message_id, words):
            return
        self._fresh.append((self._clock.monotonic() + FIRST_WORDS, writing))
        if self._opener is None or self._opener.done():
            self._opener = asyncio.create_task(self._show_first_words(), name="first words")

    def complete(self, key: Hashable, message_id: str) -> None:
        """A message has all its words, so no further preview of it begins."""
        writing = self._running.get(key)
        if writing is not None and writing.message_id == message_id:
            writing.complete()

    def wait_for(self, key: Hashable, ref: str) -> None:
        """A person is asked something, by this name: nothing is shown before they answered."""
        if writing := self._running.get(key):
            writing.waits_for.add(ref)

    def go_on(self, key: Hashable, ref: str) -> None:
        """They answered; harmless when nothing of this name waits."""
        if writing := self._running.get(key):
            writing.waits_for.discard(ref)

    async def settled(self, key: Hashable) -> None:
        """Come back when no preview that began can arrive any more."""
        if writing := self._running.get(key):
            await self._settled(writing)

    async def end(self, key: Hashable) -> None:
        """The turn ended. Harmless when none is known."""
        if writing := self._running.pop(key, None):
            writing.complete()
            await self._settled(writing)

    def drop(self, key: Hashable) -> None:
        """Show no more of it from now on. Harmless when none is known."""
        self._running.pop(key, None)

    async def close(self) -> None:
        """Show nothing any more."""
        tasks = [writing.sign for writing in self._running.values() if writing.sign]
        tasks += [task for task in (self._ticker, self._opener) if task is not None]
        self._running.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _settled(self, writing: Writing) -> None:
        sign = writing.sign
        if sign is None or sign.done():
            return
        over = asyncio.create_task(self._clock.sleep(LAST_SIGN))
        await asyncio.wait({sign, over}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        sign.cancel()
        await asyncio.gather(sign, over, return_exceptions=True)

    async def _tick(self) -> None:
        while self._running:
            await self._clock.sleep(TICK)
            now = self._clock.monotonic()
            for writing in tuple(self._running.values()):
                self._look_at(writing, now)

    async def _show_first_words(self) -> None:
        """So that nobody waits for the next tick to see that the answer has begun."""
        while self._fresh:
            due, writing = self._fresh[0]
            if writing.length and (early := due - self._clock.monotonic()) > 0:
                await self._clock.sleep(early)
            self._fresh.popleft()
            if writing.length:
                self._look_at(writing, self._clock.monotonic())

    def _look_at(self, writing: Writing, now: float) -> None:
        if writing.waits_for:
            return
        if len(self._signs) < SIGNS_AT_ONCE and (writing.sign is None or writing.sign.done()):
            writing.sign = self._next_sign(writing, now)

    def _next_sign(self, writing: Writing, now: float) -> asyncio.Task[None] | None:
        """The call that this chat is due, if any: a preview when there are new words, else typing."""
        channel, capabilities = writing.channel, writing.channel.capabilities
        if writing.length and isinstance(channel, Drafts) and channel.drafts_in(writing.chat):
            if writing.next_preview > now or writing.length == writing.shown or not writing.rates.edit(writing.chat):
                return None
            writing.next_preview = now + capabilities.preview_every
            writing.shown = writing.length
            part = preview("".join(writing.pieces), capabilities.dialect, capabilities.preview_newest)
            if not part.text.strip():
                return None
            draft = partial(channel.draft, writing.chat, writing.draft_id, part.text, part.plain)
            return self._call(writing, draft)
        if writing.next_typing > now or not isinstance(channel, Typing):
            return None
        writing.next_typing = now + capabilities.typing_every
        return self._call(writing, partial(channel.typing, writing.chat))

    def _call(self, writing: Writing, call: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        async def quietly() -> None:
            try:
                await call()
            except TryLater as reason:
                if reason.retry_after:
                    writing.next_preview = writing.next_typing = self._clock.monotonic() + reason.retry_after
            except ConchError as reason:
                _log.debug("a sign of writing was not shown", channel=writing.channel.id, reason=str(reason))

        sign = asyncio.create_task(quietly())
        self._signs.add(sign)
        sign.add_done_callback(self._signs.discard)
        return sign
