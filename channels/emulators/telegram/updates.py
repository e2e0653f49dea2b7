"""What waits for a bot: its updates, in order, until it says that it has them.

Belongs here: the queue, offsets, the long poll. Who takes updates by webhook belongs to `webhook`.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from channels.emulators.clock import Clock, wait_or
from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import CONFLICT_OTHER_POLL, ApiError, conflict

FIRST_UPDATE_ID = 500_000_001


@dataclass(frozen=True, slots=True)
class Update:
    """One update, ready to send. `lane` keeps those of one chat in order where several are under way at once."""

    id: int
    kind: str
    body: bytes
    lane: int
    at: float


class UpdateQueue:
    """The updates of one bot, oldest first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._updates: OrderedDict[int, Update] = OrderedDict()
        self._next_id = FIRST_UPDATE_ID
        self._poll: asyncio.Future[None] | None = None
        self._last_poll: tuple[int, float] | None = None
        self.allowed = limits.UPDATE_TYPES_UNASKED
        self.pushed = asyncio.Event()
        """Set with every new update; a webhook clears it."""
        self._watch: Callable[[dict[str, Any]], None] | None = None
        self._closed = False
        self.polling = asyncio.Event()
        """Set while a poll waits: the bot is there and has nothing to do."""
        self.slows_repeats = False
        """Whether a bot that polls again and again with one offset is made to wait, as Telegram does."""

    def push(self, kind: str, content: dict[str, Any], lane: int) -> int | None:
        """Queue an update of `kind` and return its id; None where the bot has not asked for that kind."""
        if kind not in self.allowed:
            return None
        update_id = self._next_id
        self._next_id += 1
        update = {"update_id": update_id, kind: content}
        if self._watch is not None:
            self._watch(update)
        body = json.dumps(update, separators=(",", ":")).encode()
        self._updates[update_id] = Update(update_id, kind, body, lane, self._clock.monotonic())
        self.pushed.set()
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(None)
        return update_id

    def watch(self, see: Callable[[dict[str, Any]], None]) -> None:
        """Show every update from now on to `see` as well."""
        self._watch = see

    def close(self) -> None:
        """Let nobody wait any more."""
        self._closed = True
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(None)

    def __len__(self) -> int:
        return len(self._updates)

    def __iter__(self) -> Iterator[Update]:
        return iter(list(self._updates.values()))

    def allow(self, kinds: Iterable[str]) -> None:
        """Remember which kinds the bot wants from now on; none named means all that need no asking."""
        named = frozenset(kind.lower() for kind in kinds) & frozenset(limits.UPDATE_TYPES)
        self.allowed = named or limits.UPDATE_TYPES_UNASKED

    def confirm(self, update_id: int) -> None:
        """Forget one update: it has arrived."""
        self._updates.pop(update_id, None)

    def drop(self) -> None:
        """Forget everything that waits."""
        self._updates.clear()

    def end_poll(self, error: ApiError) -> None:
        """Answer the poll that waits, if any, with an error."""
        if self._poll is not None and not self._poll.done():
            self._poll.set_exception(error)
        self._poll = None

    async def poll(self, offset: int, limit: int, timeout: float) -> list[Update]:
        """What getUpdates answers; `timeout` in seconds. Everything below a positive `offset` is forgotten.

        Raises:
            ApiError: 409, another poll came while this one waited.
        """
        limit, timeout = self._paced(offset, limit, timeout)
        ready = self._ready(offset, limit)
        if ready or timeout <= 0 or self._closed:
            return ready
        self.end_poll(conflict(CONFLICT_OTHER_POLL))
        poll = self._poll = asyncio.get_running_loop().create_future()
        self.polling.set()
        try:
            await wait_or(self._clock, poll, timeout)
            if poll.done():
                poll.result()
        finally:
            if self._poll is poll:
                self._poll = None
                self.polling.clear()
        return self._ready(offset, limit)

    def _paced(self, offset: int, limit: int, timeout: float) -> tuple[int, float]:
        """Slow down a bot that asks the same again at once, as Telegram's server does against empty loops."""
        now, last = self._clock.monotonic(), self._last_poll
        self._last_poll = (offset, now)
        if not self.slows_repeats or last is None or last[0] != offset:
            return limit, timeout
        since = now - last[1]
        if since < limits.REPEATED_POLL_SECONDS:
            timeout = max(timeout, limits.REPEATED_POLL_SECONDS)
        return (1 if since < 0.5 else limit), timeout

    def _ready(self, offset: int, limit: int) -> list[Update]:
        if offset < 0:
            self._forget_first(len(self._updates) + offset)
        elif offset <= self._next_id + limits.OFFSET_AHEAD:
            while self._updates and next(iter(self._updates)) < offset:
                self._updates.popitem(last=False)
        oldest = self._clock.monotonic() - limits.UPDATE_SECONDS
        while self._updates and next(iter(self._updates.values())).at < oldest:
            self._updates.popitem(last=False)
        return list(islice(self._updates.values(), limit))

    def _forget_first(self, count: int) -> None:
        for _ in range(count):
            self._updates.popitem(last=False)
