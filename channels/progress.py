"""What a chat sees while an answer is written: its words where the app can show them, else typing; and a sign on the
message that is answered.

Few tasks serve every running turn and exist only while there are some. Nothing that is shown here has to be: the final
message is the outbox's, and a preview that fails is no failure.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from channels.abilities import Drafts, Marks, Typing
from channels.base import MessageRef
from channels.formatting.parts import Part, preview
from channels.marking import Marking
from channels.writing import Place, Streaming, TurnKey, Writing
from commands.parsing import written_in
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


LAST_WRITE = 15.0
"""The same where the preview is written into a message: coming after the final words it would undo them."""

_MARKED: Final = float("inf")


class Progress:
    """Shows that answers are being written."""

    def __init__(self, clock: Clock, streaming: Streaming, marking: Marking) -> None:
        self._clock = clock
        self._streaming = streaming
        self._marking = marking
        self._running: dict[TurnKey, Writing] = {}
        self._unsaid: dict[str, set[str]] = {}
        """By conversation: messages that have all their words and are not in the log yet."""
        self._ticker: asyncio.Task[None] | None = None
        self._fresh: deque[tuple[float, Writing]] = deque()
        """Turns that got the first words of a message, and when these are due to be shown."""
        self._opener: asyncio.Task[None] | None = None
        self._signs: set[asyncio.Task[None]] = set()

    def begin(self, key: TurnKey, place: Place, draft_id: int) -> None:
        """A turn began, which has this key from now on; `draft_id` is a positive number of its own."""
        now = self._clock.monotonic()
        signs_from = now + FIRST_SIGN
        writing = self._running[key] = Writing(key, place, draft_id, signs_from, now, signs_from)
        if key[1] is not None:
            self._unsaid[key[0]] = writing.unsaid
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick(), name="progress")

    def add(self, key: TurnKey, message_id: str, words: str) -> None:
        """More words of the message that is being written."""
        writing = self._running.get(key)
        if writing is None or not writing.add(message_id, words):
            return
        self._fresh.append((self._clock.monotonic() + FIRST_WORDS, writing))
        if self._opener is None or self._opener.done():
            self._opener = asyncio.create_task(self._show_first_words(), name="first words")

    def complete(self, key: TurnKey, message_id: str, *, dropped: bool = False) -> None:
        """A message has all its words, so no further preview of it begins. Unless `dropped`, the log is to have it."""
        writing = self._running.get(key)
        if writing is None:
            return
        is_newest = writing.message_id == message_id
        if not dropped and ("".join(writing.pieces).strip() or not is_newest):
            writing.unsaid.add(message_id)
        if is_newest:
            writing.complete()

    def logged(self, conversation_id: str, message_id: str) -> None:
        """The log has it."""
        if unsaid := self._unsaid.get(conversation_id):
            unsaid.discard(message_id)

    def writes(self, key: TurnKey, message_id: str) -> bool:
        """Whether a message is still being written, or the log is to have it yet."""
        writing = self._running.get(key)
        return writing is not None and (writing.message_id == message_id or message_id in writing.unsaid)

    def wait_for(self, key: TurnKey, ref: str) -> None:
        """A person is asked something, by this name: nothing is shown before they answered."""
        if writing := self._running.get(key):
            writing.waits_for.add(ref)

    def go_on(self, key: TurnKey, ref: str) -> None:
        """They answered; harmless when nothing of this name waits."""
        if writing := self._running.get(key):
            writing.waits_for.discard(ref)

    async def settled(self, key: TurnKey) -> None:
        """Come back when no preview that began can arrive any more."""
        if writing := self._running.get(key):
            await self._settled(writing)

    async def end(self, key: TurnKey) -> bool:
        """The turn ended; False when none is known."""
        writing = self._running.pop(key, None)
        if writing is None:
            return False
        if self._unsaid.get(key[0]) is writing.unsaid:
            del self._unsaid[key[0]]
        writing.complete()
        self._unmark(writing)
        await self._settled(writing)
        return True

    def drop(self, key: TurnKey) -> None:
        """Show no more of it from now on. Harmless when none is known."""
        if writing := self._running.pop(key, None):
            self._unmark(writing)

    def forget_mark(self, message: MessageRef) -> None:
        """Take away the sign that an earlier life of the program may have left on a message."""
        self._marking.off(message)

    async def unmarked(self) -> None:
        """Come back when no sign of a turn that ended is left on a message, after a moment in any case."""
        over = asyncio.create_task(self._clock.sleep(LAST_SIGN))
        settled = asyncio.create_task(self._marking.settled())
        await asyncio.wait({over, settled}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        settled.cancel()
        await asyncio.gather(over, settled, return_exceptions=True)

    async def close(self) -> None:
        """Show nothing any more."""
        tasks = [writing.sign for writing in self._running.values() if writing.sign]
        tasks += [task for task in (self._ticker, self._opener) if task is not None]
        self._running.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._marking.close()

    async def _settled(self, writing: Writing) -> None:
        sign = writing.sign
        if sign is None or sign.done():
            return
        over = asyncio.create_task(self._clock.sleep(LAST_WRITE if writing.writes else LAST_SIGN))
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
        self._mark(writing, now)
        if writing.waits_for:
            return
        if len(self._signs) < SIGNS_AT_ONCE and (writing.sign is None or writing.sign.done()):
            writing.writes = False
            writing.sign = self._next_sign(writing, now)

    def _next_sign(self, writing: Writing, now: float) -> asyncio.Task[None] | None:
        """The call that this chat is due, if any: a preview when there are new words, else typing."""
        channel = writing.place.channel
        if writing.length and (show := self._way_to_show(writing)) is not None:
            return self._preview(writing, now, show)
        if writing.next_typing > now or not isinstance(channel, Typing):
            return None
        writing.next_typing = now + channel.capabilities.typing_every
        return self._call(writing, partial(channel.typing, writing.place.chat))

    def _way_to_show(self, writing: Writing) -> Callable[[Part], Awaitable[None]] | None:
        """How the words so far can be shown now; None where they cannot."""
        channel, chat = writing.place.channel, writing.place.chat
        if writing.streams:
            if writing.stream is None and not writing.may_open:
                return None
            writing.writes = True
            return partial(self._streaming.show, writing)
        if isinstance(channel, Drafts) and channel.drafts_in(chat):
            return lambda part: channel.draft(chat, writing.draft_id, part.text, part.plain)
        return None

    def _preview(
        self, writing: Writing, now: float, show: Callable[[Part], Awaitable[None]]
    ) -> asyncio.Task[None] | None:
        if writing.next_preview > now or writing.length == writing.shown:
            return None
        if not writing.place.rates.edit(writing.place.chat):
            return None
        capabilities = writing.place.channel.capabilities
        writing.next_preview = now + capabilities.preview_every
        writing.shown = writing.length
        words = written_in(capabilities.kind, "".join(writing.pieces))
        part = preview(words, capabilities.dialect, capabilities.preview_newest)
        return self._call(writing, partial(show, part)) if part.text.strip() else None

    def _mark(self, writing: Writing, now: float) -> None:
        """Put the sign on the message that is answered, with the first thing that is shown of the answer."""
        answers = writing.place.answers
        if writing.next_mark > now and not writing.length:
            return
        if answers is not None and writing.next_mark < _MARKED and isinstance(writing.place.channel, Marks):
            writing.next_mark = _MARKED
            self._marking.on(MessageRef(writing.place.chat, answers))

    def _unmark(self, writing: Writing) -> None:
        if writing.place.answers is not None and writing.next_mark == _MARKED:
            self._marking.off(MessageRef(writing.place.chat, writing.place.answers))

    def _call(self, writing: Writing, call: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        async def quietly() -> None:
            try:
                await call()
            except TryLater as reason:
                if reason.retry_after:
                    writing.next_preview = writing.next_typing = self._clock.monotonic() + reason.retry_after
            except ConchError as reason:
                _log.debug("a sign of writing was not shown", channel=writing.place.channel.id, reason=str(reason))
            except Exception:  # noqa: BLE001 - whatever an adapter raises, the answer itself is still to come
                _log.exception("showing an answer failed", channel=writing.place.channel.id)

        sign = asyncio.create_task(quietly())
        self._signs.add(sign)
        sign.add_done_callback(self._signs.discard)
        return sign
