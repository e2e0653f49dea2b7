"""Keeps the menus of commands that apps show by themselves equal to the registry, so that bots connected long ago have
what a new release brings.

A task of its own sees to it whenever a bot's key was found to work, and nothing waits for it. A menu is sent only when
it differs from the one that the app took last.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog

from channels.abilities import NativeMenus
from channels.base import Channel
from channels.outbox import Outbox
from commands.menus import NativeMenu, native_menu
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store.channels import Channels

_log = structlog.get_logger(__name__)

TROUBLE: Final = 60.0
"""Seconds until an app that could not take a menu is tried again, where it does not say when."""


class MenuSync:
    """Sends menus in the background. `menu_for` makes the menu of a kind of app."""

    def __init__(
        self, outbox: Outbox, records: Channels, clock: Clock, menu_for: Callable[[str], NativeMenu] = native_menu
    ) -> None:
        self._outbox = outbox
        self._records = records
        self._clock = clock
        self._menu_for = menu_for
        self._not_before: dict[str, float] = {}
        self._refused: dict[str, str] = {}
        """The digest of what an app will never take, by channel: it is not sent again in this life of the program."""
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        outbox.on_usable(self._woken.set)

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run(), name="menus")

    async def close(self) -> None:
        """Look no more; what was not sent is sent after the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            usable = self._outbox.usable
            self._not_before = {key: at for key, at in self._not_before.items() if key in usable}
            await asyncio.gather(*[self._see_to(channel_id) for channel_id in usable])
            await self._pause()

    async def _pause(self) -> None:
        """Until another bot can be used, or one that was put off is due."""
        due: list[asyncio.Task[Any]] = [asyncio.create_task(self._woken.wait())]
        if self._not_before:
            wait = min(self._not_before.values()) - self._clock.monotonic()
            due.append(asyncio.create_task(self._clock.sleep(max(0.0, wait))))
        try:
            await asyncio.wait(due, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in due:
                task.cancel()
            await asyncio.gather(*due, return_exceptions=True)

    # ---- one bot ---------------------------------------------------------------------------------------------------

    async def _see_to(self, channel_id: str) -> None:
        channel = self._outbox.channel(channel_id)
        if channel is None or self._not_before.get(channel_id, 0.0) > self._clock.monotonic():
            return
        self._not_before.pop(channel_id, None)
        try:
            await self._send_if_new(channel)
        except (TryLater, MaybeDone) as reason:
            wait = (reason.retry_after if isinstance(reason, TryLater) else None) or TROUBLE
            self._not_before[channel_id] = self._clock.monotonic() + wait
            _log.info("a menu is sent later", channel=channel_id, seconds=round(wait, 1), reason=str(reason))
        except Exception:  # noqa: BLE001 - one bot's menu is not another's, and no reason to end
            _log.exception("a menu could not be sent", channel=channel_id)

    async def _send_if_new(self, channel: Channel) -> None:
        if not isinstance(channel, NativeMenus):
            return
        menu = self._menu_for(channel.capabilities.kind)
        digest = menu.digest()
        if digest in (self._refused.get(channel.id), await self._records.menu_digest(channel.id)):
            return
        try:
            await channel.set_menu(menu)
        except Refused as reason:
            if reason.reason is not RefusedReason.AUTH:  # a new key is tried anew
                self._refused[channel.id] = digest
            _log.warning("an app does not take a menu", channel=channel.id, reason=str(reason))
        else:
            await self._records.keep_menu_digest(channel.id, digest)
            _log.info("a menu was sent", channel=channel.id)
