"""Keeps one connected bot receiving: starts it, notices when it breaks, waits, starts it again, says how it is doing.

One channel's trouble never touches another: each has a supervisor of its own.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import structlog

from channels.base import Channel, ChatRef, Conflict, Form, Health, HealthState, Press, Sender, Sink, Update
from commands.values import ValueItem
from core.clock import Clock
from core.errors import Refused, RefusedReason, TryLater
from core.patience import backoff

_log = structlog.get_logger(__name__)

CONFLICT_RETRY = 60.0
"""Seconds between tries while somebody else receives with the same key."""

NEW_KEY = "The key does not work any more. Get a new one from the app and connect the bot again with it."
SOMEONE_ELSE = "Another program receives with this bot's key. End it, or give Conch a bot of its own."


class Supervisor:
    """The life of one channel's connection."""

    def __init__(self, channel: Channel, sink: Sink, clock: Clock, *, on_usable: Callable[[], None]) -> None:
        self._channel = channel
        self._inner = sink
        self._clock = clock
        self._on_usable = on_usable
        self._task: asyncio.Task[None] | None = None
        self._waits: Iterator[float] = backoff()
        self._health = Health(HealthState.OFF, clock.now())

    @property
    def health(self) -> Health:
        """How the channel is doing now."""
        return self._health

    def start(self) -> None:
        """Begin to receive, and keep at it."""
        if self._task is None or self._task.done():
            self._say(HealthState.CONNECTING)
            self._task = asyncio.create_task(self._run(), name=f"channel {self._channel.id}")

    async def stop(self) -> None:
        """Receive no more. Sending still works until `Channel.stop`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
            self._say(HealthState.OFF)

    # ---- the adapter's sink ----------------------------------------------------------------------------------------

    async def store(self, updates: Sequence[Update]) -> None:
        """Pass updates on, and remember that the app told us something useful.

        Raises:
            TryLater: nothing is to be received any more, or nothing could be stored.
        """
        if self._task is None:
            raise TryLater("This bot receives nothing at the moment.")
        await self._inner.store(updates)
        if updates:
            self._health = replace(self._health, last_event=self._clock.now())

    def online(self) -> None:
        """The connection works: from here on a new fault starts with the shortest wait.

        Passed on where it did not work before: at the first time, and after each `listen` that ended.
        """
        self._waits = backoff()
        if self._task is not None and self._health.state is not HealthState.ONLINE:
            self._say(HealthState.ONLINE)
            self._inner.online()

    async def form(self, press: Press) -> Form | None:
        """As the service says."""
        return await self._inner.form(press)

    async def faults(self, press: Press) -> Mapping[str, str]:
        """As the service says."""
        return await self._inner.faults(press)

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        """As the service says."""
        return await self._inner.suggest(chat, sender, command)

    # ---- the loop --------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            try:
                await self._channel.start()
                self._on_usable()
                await self._channel.listen(self)
                wait, state, detail = next(self._waits), HealthState.RECONNECTING, "The connection ended."
            except TryLater as reason:
                wait = max(next(self._waits), reason.retry_after or 0.0)
                state, detail = HealthState.RECONNECTING, str(reason)
            except Conflict:
                wait, state, detail = CONFLICT_RETRY, HealthState.CONFLICT, SOMEONE_ELSE
            except Refused as reason:
                if reason.reason is RefusedReason.AUTH:
                    self._say(HealthState.NEEDS_TOKEN, NEW_KEY)
                    return
                self._say(HealthState.ERROR, str(reason))
                return
            except Exception:  # noqa: BLE001 - whatever an adapter raises, its channel is tried again
                _log.exception("a channel failed in a way nobody foresaw", channel=self._channel.id)
                wait, state, detail = next(self._waits), HealthState.ERROR, "Something broke; the log has the details."
            self._say(state, detail, wait)
            await self._clock.sleep(wait)

    def _say(self, state: HealthState, detail: str | None = None, retry_in: float | None = None) -> None:
        now = self._clock.now()
        since = self._health.since if state is self._health.state else now
        retry_at = now + timedelta(seconds=retry_in) if retry_in is not None else None
        self._health = Health(state, since, detail, retry_at, self._health.last_event)
        _log.info("channel", channel=self._channel.id, state=state.value, detail=detail, retry_in=retry_in)
