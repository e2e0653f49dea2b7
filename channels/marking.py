"""The sign on a person's message that it is being answered, where an app has one (`Marks`).

Putting it on is a courtesy and tried once; taking it away is tried for some minutes, because a sign that stays says
something that is not true.
"""

import structlog

from channels.abilities import Marks
from channels.base import MessageRef
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
                if await self._made(message, on):
                    return
            except (TryLater, MaybeDone) as reason:
                wait = max(wait, getattr(reason, "retry_after", None) or 0.0)
            except Refused as reason:
                _log.debug("a sign on a message was refused", channel=message.chat.channel_id, reason=str(reason))
                return
            if not on:
                await self._clock.sleep(wait)

    async def _made(self, message: MessageRef, on: bool) -> bool:
        """False while the bot is not connected."""
        channel_id = message.chat.channel_id
        channel = self._outbox.channel(channel_id)
        if channel_id not in self._outbox.usable or channel is None:
            return False
        if isinstance(channel, Marks):
            await (channel.mark(message) if on else channel.unmark(message))
        return True

    def _fault(self, message: MessageRef, fault: BaseException) -> None:
        _log.error("a sign on a message failed", channel=message.chat.channel_id, exc_info=fault)
