"""The sign on a person's message that it is being answered, where an app has one (`Marks`).

Putting it on is a courtesy and tried once; taking it away is tried for some minutes, because a sign that stays says
something that is not true.
"""

import asyncio

import structlog

from channels.abilities import Marks
from channels.base import Channel, MessageRef
from channels.outbox import Outbox
from core.clock import Clock
from core.errors import MaybeDone, Refused, TryLater
from core.lanes import Lanes
from core.patience import backoff

_log = structlog.get_logger(__name__)

TRIES = 10
"""How often taking a sign away is tried: about six minutes."""


class Marking:
    """Puts signs on messages and takes them away, one after another for each message."""

    def __init__(self, outbox: Outbox, clock: Clock) -> None:
        self._outbox = outbox
        self._clock = clock
        self._bell = asyncio.Event()
        outbox.on_usable(self._ring)
        self._lanes: Lanes[MessageRef, bool] = Lanes(self._make, self._fault, at_once=100)

    def on(self, message: MessageRef) -> None:
        """Its answer has begun."""
        self._lanes.put(message, True)

    def off(self, message: MessageRef) -> None:
        """Its answer has ended; harmless where there is no sign."""
        self._lanes.put(message, False)

    async def settled(self) -> None:
        """Come back when every message has the sign or not, as it should."""
        await self._lanes.settled()

    async def close(self) -> None:
        """Change no more."""
        await self._lanes.close()

    async def _make(self, message: MessageRef, wanted: list[bool]) -> None:
        """What was wanted last is what counts."""
        on, waits = wanted[-1], backoff()
        for _ in range(1 if on else TRIES):
            wait = next(waits)
            try:
                await (self._put_on(message) if on else self._take_away(message))
                return
            except (TryLater, MaybeDone) as reason:
                wait = max(wait, getattr(reason, "retry_after", None) or 0.0)
            except Refused as reason:
                _log.debug("a sign on a message was refused", channel=message.chat.channel_id, reason=str(reason))
                return
            if not on:
                await self._clock.sleep(wait)

    async def _put_on(self, message: MessageRef) -> None:
        channel = self._channel(message)
        if channel is not None and isinstance(channel, Marks):
            await channel.mark(message)

    async def _take_away(self, message: MessageRef) -> None:
        while (channel := self._channel(message)) is None:
            await self._bell.wait()
        if isinstance(channel, Marks):
            await channel.unmark(message)

    def _channel(self, message: MessageRef) -> Channel | None:
        """The bot that the message was for, once it can do anything."""
        channel_id = message.chat.channel_id
        return self._outbox.channel(channel_id) if channel_id in self._outbox.usable else None

    def _ring(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()

    def _fault(self, message: MessageRef, fault: BaseException) -> None:
        _log.error("a sign on a message failed", channel=message.chat.channel_id, exc_info=fault)
