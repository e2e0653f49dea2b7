"""Telegram's flood control: how much a bot may say in a second, and how long it must then be silent.

Belongs here: counting. Telegram publishes no exact figures; those in `limits` are what everyone works with. Off unless
switched on, because most tests are about something else.
"""

import math
from dataclasses import dataclass, field

from channels.emulators.clock import Clock
from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat
from channels.emulators.telegram.errors import too_many_requests
from channels.emulators.telegram.people import Bot

_NOTHING = 1e-6
"""Seconds that are only a rounding error."""


@dataclass(slots=True)
class Bucket:
    """Takes `burst` at once and `rate` a second after that. Times are monotonic seconds."""

    burst: float
    rate: float
    _full_at: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds until one more fits; 0 when it fits now."""
        wait = self._full_at - now - (self.burst - 1) / self.rate
        return wait if wait > _NOTHING else 0.0

    def take(self, now: float) -> None:
        """One more."""
        self._full_at = max(self._full_at, now) + 1 / self.rate


@dataclass(slots=True)
class FloodControl:
    """Buckets for each bot, each of its chats and each of its groups."""

    clock: Clock
    on: bool = False
    refused: int = 0
    """Calls that were refused since it was switched on."""
    _buckets: dict[tuple[int, int | str, str], Bucket] = field(default_factory=dict)

    def switch(self, on: bool) -> None:
        """Begin or end counting; either way from nothing."""
        self.on = on
        self.refused = 0
        self._buckets.clear()

    def pass_(self, bot: Bot, chat: Chat, *, draft: bool = False) -> None:
        """Let one message (or a `draft` of one, which counts for itself) of `bot` into `chat`.

        Raises:
            ApiError: 429 with whole seconds to wait. A refused call counts for nothing.
        """
        if not self.on:
            return
        now = self.clock.monotonic()
        buckets = self._for(bot, chat, draft=draft)
        wait = max(bucket.wait(now) for bucket in buckets)
        if wait > 0:
            self.refused += 1
            raise too_many_requests(max(1, math.ceil(wait - _NOTHING)))
        for bucket in buckets:
            bucket.take(now)

    def _for(self, bot: Bot, chat: Chat, *, draft: bool) -> list[Bucket]:
        every = float(limits.OVERALL_PER_SECOND)
        what = "draft" if draft else "message"
        buckets = [
            self._bucket(bot, "", "overall", every, every),
            self._bucket(bot, chat.id, what, limits.CHAT_BURST, limits.CHAT_PER_SECOND),
        ]
        if not chat.private:
            group = float(limits.GROUP_PER_MINUTE)
            buckets.append(self._bucket(bot, chat.id, "group", group, group / 60))
        return buckets

    def _bucket(self, bot: Bot, where: int | str, what: str, burst: float, rate: float) -> Bucket:
        return self._buckets.setdefault((bot.id, where, what), Bucket(burst, rate))
