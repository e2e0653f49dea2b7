"""Following one conversation live: the running message first, then the log from where the client is, then what happens.

Committed events carry their seq as the id of the server-sent event, so that a client that lost the line goes on from
there. What is not stored (the words of an answer while it is written) has no id.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from fastapi.sse import ServerSentEvent

from core.errors import Busy
from core.events import AssistantMessage, Event
from core.live import Delta, Dropped, Folding, LiveItem, Written
from web.api import views
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


class Streams:
    """Every stream that is open."""

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

    async def follow(self, conversation_id: str, after: int, caller: Caller) -> AsyncIterator[ServerSentEvent]:
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

    async def everything(self, goes_on: Callable[[], bool], caller: Caller) -> AsyncIterator[ServerSentEvent]:
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
            yield ServerSentEvent(comment="still here")

    async def _news(self) -> AsyncIterator[ServerSentEvent]:
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

    def _snapshot(self) -> ServerSentEvent:
        """The words so far of the message that is being written; what was known of it is replaced by this."""
        turn = self._parts.conversations.running(self._conversation_id)
        message_id, text = (turn.snapshot() if turn else None) or (None, "")
        told = {"turn_seq": turn.seq if turn else None, "message_id": message_id, "text": text}
        return ServerSentEvent(event="snapshot", data=told)

    async def _from_the_log(self) -> AsyncIterator[ServerSentEvent]:
        while events := await self._parts.log.read(self._conversation_id, after=self._last, limit=PAGE):
            for event in events:
                yield self._event(event)
            if len(events) < PAGE:
                return

    async def _told(self, item: LiveItem) -> AsyncIterator[ServerSentEvent]:
        """Nothing for what the client has already; from the log where something is missing before it."""
        if isinstance(item, Event):
            if item.seq > self._last + 1:
                async for said in self._from_the_log():
                    yield said
            elif item.seq == self._last + 1:
                yield self._event(item)
        elif isinstance(item, Folding) or item.message_id not in self._finished:
            name, told = _live(item)
            yield ServerSentEvent(event=name, data=told)

    def _event(self, event: Event) -> ServerSentEvent:
        self._last = event.seq
        if isinstance(event.data, AssistantMessage):
            self._finished.append(event.data.message_id)
        return ServerSentEvent(event="event", id=str(event.seq), data=views.event(event).model_dump(mode="json"))


def _live(item: Delta | Written | Dropped | Folding) -> tuple[str, Mapping[str, Any]]:
    """What is not stored: its name on the wire, and its data."""
    if isinstance(item, Folding):
        return "folding", {"goes_on": item.goes_on}
    about = {"turn_seq": item.turn_seq, "message_id": item.message_id}
    match item:
        case Delta():
            return "delta", {**about, "offset": item.offset, "text": item.text}
        case Written():
            return "written", about
        case Dropped():
            return "dropped", about
