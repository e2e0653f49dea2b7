"""Pushing updates to a bot's webhook, again and again until it says that it has them.

Belongs here: delivery. setWebhook and what it refuses belong to `methods/fetching`. A method in the body of a webhook's
answer, which Telegram would run, is not played.
"""

import asyncio

import aiohttp

from channels.emulators.clock import Clock
from channels.emulators.telegram import limits
from channels.emulators.telegram.people import Bot, WebhookSettings
from channels.emulators.telegram.updates import Update

HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""Where the secret stands that setWebhook was given."""
ANSWER_SECONDS = 60
"""How long a webhook may take to answer."""


class Webhooks:
    """One deliverer for each bot that has a webhook."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._deliverers: dict[int, asyncio.Task[None]] = {}
        self._closed = False
        self._setting = asyncio.Lock()
        """Two who set a webhook at once must not leave a deliverer that nobody knows."""

    async def set(self, bot: Bot, settings: WebhookSettings | None) -> None:
        """Deliver to another address from now on, or to none. What was not confirmed is delivered to the new one."""
        async with self._setting:
            task = self._deliverers.pop(bot.id, None)
            if task is not None:
                await _end(task)
            bot.webhook, bot.webhook_error = settings, None
            if settings is None or self._closed:
                return
            if self._session is None:
                self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS))
            deliverer = _Deliverer(bot, settings, self._session, self._clock)
            self._deliverers[bot.id] = asyncio.create_task(deliverer.run())

    async def close(self) -> None:
        """Deliver nothing more, not even for a call that is still being answered."""
        self._closed = True
        async with self._setting:
            for task in self._deliverers.values():
                await _end(task)
            self._deliverers.clear()
            if self._session is not None:
                await self._session.close()
                self._session = None


class _Deliverer:
    """Several chats at once, each in its own order, within the connections that the bot allows."""

    def __init__(self, bot: Bot, settings: WebhookSettings, session: aiohttp.ClientSession, clock: Clock) -> None:
        self._bot = bot
        self._settings = settings
        self._session = session
        self._clock = clock
        self._under_way: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        pushed = self._bot.queue.pushed
        try:
            while True:
                pushed.clear()
                self._begin_what_can()
                await pushed.wait()
        finally:
            for task in list(self._under_way.values()):
                await _end(task)

    def _begin_what_can(self) -> None:
        for update in self._bot.queue:
            if len(self._under_way) >= self._settings.connections:
                return
            if update.lane not in self._under_way:
                self._under_way[update.lane] = asyncio.create_task(self._deliver(update))

    async def _deliver(self, update: Update) -> None:
        try:
            await self._try_until_taken(update)
        finally:
            del self._under_way[update.lane]
        self._bot.queue.confirm(update.id)
        self._bot.queue.pushed.set()

    async def _try_until_taken(self, update: Update) -> None:
        pause = 1.0
        while not await self._taken(update):
            await self._clock.sleep(pause)
            pause = min(2 * pause, limits.WEBHOOK_RETRY_SECONDS)

    async def _taken(self, update: Update) -> bool:
        headers = {"Content-Type": "application/json"}
        if self._settings.secret:
            headers[HEADER] = self._settings.secret
        try:
            async with self._session.post(
                self._settings.url, data=update.body, headers=headers, allow_redirects=False, ssl=False
            ) as response:
                if 200 <= response.status < 300:
                    return True
                error = f"Wrong response from the webhook: {response.status} {response.reason}"
        except TimeoutError:
            error = "Read timeout expired"
        except aiohttp.ClientConnectorError:
            error = "Connection refused"
        except aiohttp.ClientError:
            error = "Connection closed"
        self._bot.webhook_error = (int(self._clock.now().timestamp()), error)
        return False


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
