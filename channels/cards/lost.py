"""Cards that the app does not take: who blocked the bot cannot answer, so the turn goes on and its chat hears why."""

import asyncio

import structlog

from channels.cards.dealing import Dealing
from channels.outbox import Outbox
from core.store.outbox import Letter

_log = structlog.get_logger(__name__)


class LostCards:
    """Hears of messages that were refused."""

    def __init__(self, outbox: Outbox, dealing: Dealing) -> None:
        self._outbox = outbox
        self._dealing = dealing
        self._tasks: set[asyncio.Task[None]] = set()
        outbox.on_refused(self._hear)

    async def close(self) -> None:
        """Look after no more; the end of the program ends the turns that wait."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _hear(self, letter: Letter) -> None:
        task = asyncio.create_task(self._see_to(letter), name="a card was refused")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_to(self, letter: Letter) -> None:
        try:
            dealt = await self._dealing.lose(letter.key, self._outbox.channel(letter.channel_id))
            await self._outbox.post(dealt.posts)
            if dealt.then is not None:
                await dealt.then()
        except Exception as fault:  # noqa: BLE001 - what waits ends with its time, whatever broke here
            _log.error("a card that was refused is waited for", key=letter.key, exc_info=fault)
