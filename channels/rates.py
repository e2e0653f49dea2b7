"""When a message may go out: a bucket per chat under one bucket per bot, finals before edits.

One chat's trouble never holds another (a library's limiter that stops everything on one refusal does). Nothing here
sends; `channels.outbox` and `channels.progress` ask.
"""

import asyncio
from dataclasses import dataclass

from channels.base import ChatRef, Pace
from core.clock import Clock
from core.events import ChatKind

SLACK = 0.2
"""Seconds by which one message may be quicker on its way than the one before: what leaves within the budget must arrive
within it, so that much of a burst is left unused."""

_IDLE_AFTER = 120.0
"""Seconds after which a full bucket of a chat is forgotten."""


@dataclass(slots=True)
class _Bucket:
    """Tokens that come back with time: `rate` a second, at most `size`. A rate of 0 means no limit."""

    rate: float
    size: float
    tokens: float
    at: float

    def wait(self, now: float) -> float:
        """Seconds until there is a token; 0 when there is one now."""
        if self.rate <= 0:
            return 0.0
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.rate)
        self.at = now
        missing = 1 - self.tokens
        return missing / self.rate if missing > 1e-9 else 0.0

    def take(self, now: float) -> None:
        """Time that went by since the last look fills the bucket before it is taken from, and never above its brim."""
        self.wait(now)
        self.tokens -= 1

    @property
    def share(self) -> float:
        """How full it is, from 0 to 1."""
        return 1.0 if self.rate <= 0 else self.tokens / self.size


class Rates:
    """The budgets of one bot."""

    def __init__(self, pace: Pace, clock: Clock) -> None:
        self._pace = pace
        self._clock = clock
        self._overall = _new_bucket(pace.overall, pace.overall, clock)
        self._chats: dict[str, _Bucket] = {}
        self._held_until: dict[str, float] = {}
        self._finals_waiting = 0
        self._turn = asyncio.Lock()

    def keep(self, pace: Pace) -> None:
        """Keep to another pace from now on; the same one again changes nothing."""
        if pace != self._pace:
            self._pace = pace
            self._overall = _new_bucket(pace.overall, pace.overall, self._clock)
            self._chats.clear()

    async def final(self, chat: ChatRef) -> None:
        """Come back when a message to this chat may go out. Messages of one chat must ask one after another."""
        self._finals_waiting += 1
        try:
            while (wait := self._chat_wait(chat)) > 0:
                await self._clock.sleep(wait)
            async with self._turn:
                while (wait := self._overall.wait(self._clock.monotonic())) > 0:
                    await self._clock.sleep(wait)
                self._overall.take(self._clock.monotonic())
            self._bucket(chat).take(self._clock.monotonic())
        finally:
            self._finals_waiting -= 1

    def final_now(self, chat: ChatRef) -> bool:
        """Whether a message may go out this moment, before no other that waits; then it has taken its place."""
        if self._finals_waiting or self._chat_wait(chat) > 0 or self._overall.wait(self._clock.monotonic()) > 0:
            return False
        self._overall.take(self._clock.monotonic())
        self._bucket(chat).take(self._clock.monotonic())
        return True

    def edit(self, chat: ChatRef) -> bool:
        """Whether a preview may go out now: only from what finals leave, and fewer as the budget shrinks.

        A preview takes from the bot's budget and never from the chat's own, so that the final finds its place free.
        """
        now = self._clock.monotonic()
        if self._finals_waiting or self._chat_wait(chat) > 0 or self._overall.wait(now) > 0:
            return False
        if self._overall.share < 0.5:
            return False
        self._overall.take(self._clock.monotonic())
        return True

    def hold(self, chat: ChatRef, seconds: float) -> None:
        """The app said to wait: nothing goes to this chat before that."""
        until = self._clock.monotonic() + seconds
        self._held_until[chat.id] = max(until, self._held_until.get(chat.id, 0.0))

    def _chat_wait(self, chat: ChatRef) -> float:
        now = self._clock.monotonic()
        held = self._held_until.get(chat.id, 0.0) - now
        if held > 0:
            return held
        self._held_until.pop(chat.id, None)
        return self._bucket(chat).wait(now)

    def _bucket(self, chat: ChatRef) -> _Bucket:
        bucket = self._chats.get(chat.id)
        if bucket is None:
            self._forget_idle()
            rate = self._pace.per_group if chat.kind is ChatKind.GROUP else self._pace.per_chat
            bucket = self._chats[chat.id] = _new_bucket(rate, self._pace.burst, self._clock)
        return bucket

    def _forget_idle(self) -> None:
        """Keep the table small: a bucket that is full again says nothing that a new one would not."""
        if len(self._chats) < 1_000:
            return
        now = self._clock.monotonic()
        for chat_id in [chat_id for chat_id, bucket in self._chats.items() if now - bucket.at > _IDLE_AFTER]:
            del self._chats[chat_id]


def _new_bucket(rate: float, burst: float, clock: Clock) -> _Bucket:
    """A full one; the app takes `burst` messages at once."""
    size = max(burst - rate * SLACK, 1.0)
    return _Bucket(rate, size, size, clock.monotonic())
