"""Bringing a bot what happened: a signed post to where it listens, again if it is not taken.

Belongs here: attempts, their time, and the record of what was posted and answered. What is in it is `payloads`.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import aiohttp

from channels.emulators.clock import Clock, wait_or
from channels.emulators.faults import Faults
from channels.emulators.journal import Journal
from channels.emulators.teams import limits
from channels.emulators.teams.payloads import Activity
from channels.emulators.teams.people import Bot
from channels.emulators.teams.tokens import Tokens

LOST_ACK = "lost_ack"
"""The fault that an answer of the bot's does not arrive; its `method` is the activity's type."""


class NotTaken(Exception):
    """The bot did not take it. `status` is what it answered; 0 where it answered nothing in time."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(eq=False, slots=True)
class Delivery:
    """One attempt. `order` compares with the calls that the bot made; `acked_order` is 0 until it answered."""

    bot: Bot
    activity: Activity
    attempt: int
    at: float
    order: int
    status: int = 0
    answer: Any = None
    acked_order: int = 0

    @property
    def kind(self) -> str:
        """The activity's type."""
        kind: str = self.activity["type"]
        return kind


class Deliveries:
    """Everything that is on its way to a bot."""

    def __init__(self, clock: Clock, tokens: Tokens, faults: Faults, order: Callable[[], int]) -> None:
        self._clock = clock
        self._tokens = tokens
        self._faults = faults
        self._order = order
        self.service_url = ""
        self.made: Journal[Delivery] = Journal()
        self.changed: Callable[[], None] = lambda: None
        self.look_at: Callable[[Activity], None] = lambda _: None
        """Called with every activity before it is posted."""
        self._session: aiohttp.ClientSession | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    def tell(self, bot: Bot, activity: Activity) -> None:
        """Bring an activity, again where it is not taken, until it is given up."""
        if bot.endpoint:
            self.begin(self._bring_or_give_up(bot, activity))

    def begin(self, delivery: Coroutine[Any, Any, None]) -> None:
        """Let a delivery go on by itself, until it is over or the app stops."""
        task = asyncio.get_running_loop().create_task(delivery)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def ask(self, bot: Bot, activity: Activity, *, seconds: float = limits.INVOKE_SECONDS) -> Any:  # noqa: ANN401 JSON
        """Bring an invoke, once; what the bot answered.

        Raises:
            NotTaken: it did not answer well in this time.
        """
        if not bot.endpoint:
            raise NotTaken(0, "the bot listens nowhere")
        return (await self._attempt(bot, activity, 0, seconds)).answer

    async def post(self, bot: Bot, activity: Activity, authorization: str | None) -> tuple[int, Any]:
        """Post as it is given, with this header or none; the status and the answer."""
        headers = {} if authorization is None else {"Authorization": authorization}
        async with self._client().post(bot.endpoint, json=activity, headers=headers) as response:
            return response.status, _read(await response.text())

    async def idle(self) -> None:
        """Come back once nothing is on its way."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def close(self) -> None:
        """Give up everything."""
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def bring(self, bot: Bot, activity: Activity) -> None:
        """Bring an activity, again where it is not taken.

        Raises:
            NotTaken: it never was.
        """
        if not bot.endpoint:
            raise NotTaken(0, "the bot listens nowhere")
        last = NotTaken(0, "")
        for attempt, pause in enumerate((0.0, *limits.RETRY_PAUSES)):
            if pause:
                await self._clock.sleep(pause)
            try:
                await self._attempt(bot, activity, attempt, limits.MESSAGE_SECONDS)
            except NotTaken as refusal:
                last = refusal
            else:
                return
        raise last

    async def _bring_or_give_up(self, bot: Bot, activity: Activity) -> None:
        with suppress(NotTaken):
            await self.bring(bot, activity)

    async def _attempt(self, bot: Bot, activity: Activity, attempt: int, seconds: float) -> Delivery:
        activity = {**activity, "serviceUrl": self.service_url}
        delivery = Delivery(bot, activity, attempt, self._clock.monotonic(), self._order())
        self.made.append(delivery)
        self.look_at(activity)
        header = f"Bearer {self._tokens.for_bot(bot, self.service_url)}"
        posting = asyncio.ensure_future(self.post(bot, activity, header))
        try:
            if not await wait_or(self._clock, posting, seconds):
                raise NotTaken(0, "no answer in time")
            delivery.status, delivery.answer = posting.result()
        except aiohttp.ClientError as error:
            raise NotTaken(0, f"not reached: {error}") from error
        finally:
            posting.cancel()
            delivery.acked_order = self._order()
            self.changed()
        if self._faults.strike(delivery.kind, None, {LOST_ACK}):
            raise NotTaken(0, "the answer was lost")
        if not 200 <= delivery.status < 300:
            raise NotTaken(delivery.status, f"the bot answered {delivery.status}")
        return delivery

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session


def _read(text: str) -> Any:  # noqa: ANN401 JSON is anything
    try:
        return json.loads(text)
    except ValueError:
        return text or None
