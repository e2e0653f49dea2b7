"""The update loop: ask Telegram for what came in, store it, and only then let Telegram forget it.

Telegram keeps an update until somebody asks for a later one, so the offset is the receipt. It lives no longer than one
`run`: what was stored and not confirmed comes again, and the inbox knows it already.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import structlog

from channels.base import Conflict, Sink
from channels.telegram import limits, render
from channels.telegram.answers import TakenByOther
from channels.telegram.client import TelegramClient
from channels.telegram.parse import to_update
from core.clock import Clock
from core.errors import Busy, TryLater

CONFLICTS_IN_A_ROW = 3
CONFLICT_PAUSE = 5.0
"""Seconds; Telegram itself holds a second conflict back for 3 seconds [tdlib/telegram-bot-api, Client.cpp]."""
BLIP_PAUSE = 1.0
"""Seconds between a broken poll and the one that follows it at once."""
STORE_PAUSE = 2.0
"""Seconds until what could not be stored is fetched again."""

_log = structlog.get_logger(__name__)


class Poller:
    """The one receiver of a bot's updates; it can run only once at a time."""

    def __init__(self, client: TelegramClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._running = False

    async def run(self, sink: Sink) -> NoReturn:
        """Receive until cancelled.

        Raises:
            TryLater: Telegram could not be reached twice in a row.
            Refused: the key stopped working.
            Conflict: somebody else receives with this key, or sets a webhook again and again.
        """
        if self._running:
            raise Busy("This bot's updates are being received already.")
        self._running = True
        try:
            await self._remove_webhook()
            await self._receive(sink)
        finally:
            self._running = False

    async def _receive(self, sink: Sink) -> NoReturn:
        # The first question waits for nothing, so that it is soon known whether the connection works.
        offset, seconds = 0, 0
        while True:
            found = await self._ask(offset, seconds)
            if seconds == 0:
                sink.online()
                seconds = limits.POLL_SECONDS
            if found:
                stored_until = await self._store(sink, found)
                if stored_until is None:
                    await self._clock.sleep(STORE_PAUSE)
                else:
                    offset = stored_until + 1

    async def _store(self, sink: Sink, found: Sequence[Any]) -> int | None:
        """The number of the last update, when all are stored; nothing else may move the offset."""
        updates = [update for payload in found if (update := to_update(payload)) is not None]
        if len(updates) < len(found):
            _log.warning("Telegram sent updates without a number", count=len(found) - len(updates))
        try:
            await sink.store(updates)
        except TryLater as error:
            _log.warning("updates could not be stored", count=len(updates), reason=str(error))
            return None
        return max((int(update.update_id) for update in updates), default=None)

    async def _ask(self, offset: int, seconds: int) -> list[Any]:
        """One answered poll; lives through a flood wait, one broken connection and a few conflicts."""
        conflicts, broken = 0, False
        while True:
            try:
                return await self._client.poll(offset, seconds)
            except TakenByOther as taken:
                conflicts += 1
                if conflicts >= CONFLICTS_IN_A_ROW:
                    raise Conflict(str(taken)) from taken
                await (self._remove_webhook() if taken.webhook else self._clock.sleep(CONFLICT_PAUSE))
            except TryLater as trouble:
                if trouble.retry_after is None and broken:
                    raise
                broken = broken or trouble.retry_after is None
                await self._clock.sleep(BLIP_PAUSE if trouble.retry_after is None else trouble.retry_after)

    async def _remove_webhook(self) -> None:
        """As long as updates are sent to a webhook, nobody may ask for them. Those that wait are kept."""
        webhook = await self._client.call(render.get_webhook())
        if isinstance(webhook, dict) and webhook.get("url"):
            _log.warning("A webhook was left behind; it is removed, and its updates are fetched")
            await self._client.call(render.delete_webhook())
