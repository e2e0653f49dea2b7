"""Following one conversation live: the running message first, then the log from where the client is, then what happens.

What goes over the wire is each stream's own: the API's in `web.api.stream`, the console's pages' in `web.live`.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from core.errors import Busy
from core.events import AssistantMessage, Event
from core.live import Folding, LiveItem
from web.api.mailbox import Mailbox
from web.api.parts import Parts
from web.callers import Caller

HEARTBEAT: Final = 15.0
"""Seconds after which a quiet stream says that it is there, looks into the log for what another process wrote, and
looks whether its caller still may."""

MOST_STREAMS: Final = 200
"""Streams at once; each holds one connection."""

PAGE: Final = 200
"""Events that are read at once."""

_FINISHED: Final = 64
"""Messages of which late words are left out, once they stand in the log."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The words so far of the message that is being written; what was known of it is replaced by this."""

    turn_seq: int | None
    message_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Beat:
    """Nothing happened for a while."""


Followed = LiveItem | Snapshot | Beat


class Followers:
    """Everybody who follows a conversation now."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._open: set[Mailbox] = set()
        self._closing = False

    def close(self) -> None:
        """End all of them, and begin none: they would hold the server up for ever."""
        self._closing = True
        for mailbox in self._open:
            mailbox.close()

    def expect_room(self) -> None:
        """Raises Busy where no further stream may begin now."""
        if self._closing:
            raise Busy("Conch is about to end.")
        if len(self._open) >= MOST_STREAMS:
            raise Busy(f"There are {MOST_STREAMS} streams already. Close one first.")

    async def follow(self, conversation_id: str, after: int, caller: Caller) -> AsyncGenerator[Followed]:
        """What happens after the event `after` (-1: from the beginning), until the client goes."""
        mailbox = Mailbox(conversation_id)
        with self._listening(mailbox) as look:
            following = _Following(self._parts, conversation_id, after, mailbox)
            async for said in following.everything(look, caller):
                yield said

    @contextmanager
    def _listening(self, mailbox: Mailbox) -> Iterator[Callable[[], bool]]:
        leave = self._parts.feed.listen(mailbox.hear)
        self._open.add(mailbox)
        try:
            yield lambda: not (self._closing or mailbox.is_closed)
        finally:
            self._open.discard(mailbox)
            leave()


class _Following:
    """One client's place in a conversation."""

    def __init__(self, parts: Parts, conversation_id: str, after: int, mailbox: Mailbox) -> None:
        self._parts = parts
        self._conversation_id = conversation_id
        self._last = after
        self._mailbox = mailbox
        self._finished: deque[str] = deque(maxlen=_FINISHED)

    async def everything(self, goes_on: Callable[[], bool], caller: Caller) -> AsyncIterator[Followed]:
        """From the snapshot to the end of the stream."""
        looked = self._parts.clock.monotonic()
        yield self._snapshot()
        async for said in self._from_the_log():
            yield said
        while goes_on():
            async for said in self._news():
                yield said
            if self._parts.clock.monotonic() - looked < HEARTBEAT:
                continue
            looked = self._parts.clock.monotonic()
            if not await caller.stands():
                return
            async for said in self._from_the_log():
                yield said
            yield Beat()

    async def _news(self) -> AsyncIterator[Followed]:
        """What waits, or what comes within a heartbeat."""
        if not await self._something_waits():
            return
        if self._mailbox.is_behind:
            self._mailbox.begin_anew()
            yield self._snapshot()
            async for said in self._from_the_log():
                yield said
        while (item := self._mailbox.take()) is not None:
            async for said in self._told(item):
                yield said

    async def _something_waits(self) -> bool:
        beat = asyncio.create_task(self._parts.clock.sleep(HEARTBEAT))
        news = asyncio.create_task(self._mailbox.wait())
        try:
            done, _ = await asyncio.wait({beat, news}, return_when=asyncio.FIRST_COMPLETED)
            return news in done
        finally:
            beat.cancel()
            news.cancel()

    def _snapshot(self) -> Snapshot:
        turn = self._parts.conversations.running(self._conversation_id)
        message_id, text = (turn.snapshot() if turn else None) or (None, "")
        return Snapshot(turn.seq if turn else None, message_id, text)

    async def _from_the_log(self) -> AsyncIterator[Followed]:
        while events := await self._parts.log.read(self._conversation_id, after=self._last, limit=PAGE):
            for event in events:
                yield self._known(event)
            if len(events) < PAGE:
                return

    async def _told(self, item: LiveItem) -> AsyncIterator[Followed]:
        """Nothing for what the client has already; from the log where something is missing before it."""
        if isinstance(item, Event):
            if item.seq > self._last + 1:
                async for said in self._from_the_log():
                    yield said
            elif item.seq == self._last + 1:
                yield self._known(item)
        elif isinstance(item, Folding) or item.message_id not in self._finished:
            yield item

    def _known(self, event: Event) -> Event:
        self._last = event.seq
        if isinstance(event.data, AssistantMessage):
            self._finished.append(event.data.message_id)
        return event
