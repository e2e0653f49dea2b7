"""A pretend Telegram with one person who writes to its bot, and the real SDK as that bot."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

import aiohttp
import pytest
from telegram import Bot
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from channels.emulators.teams.keys import Key, new_key
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock

Refused = Callable[[Awaitable[object]], Awaitable[str]]


class Wire(Protocol):
    """One call as JSON without any SDK in between; gives the answer's body."""

    async def __call__(self, method: str, **values: Any) -> dict[str, Any]: ...


@pytest.fixture(autouse=True)
def times_as_the_sdk_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK warns of every duration that it still gives as a number."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def telegram(clock: ManualClock) -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram(clock=clock) as telegram:
        yield telegram


@pytest.fixture
def ada(telegram: PretendTelegram) -> Player:
    return telegram.person("Ada", username="ada")


@pytest.fixture
async def chat(ada: Player) -> Screen:
    """Ada's chat with the bot, which she started and which has nothing waiting."""
    chat = ada.private_chat()
    await chat.start()
    ada.bot.queue.drop()
    return chat


async def asleep(clock: ManualClock, count: int = 1) -> None:
    """Until so many wait on the clock: the call has gone through the socket and waits over there."""
    async with asyncio.timeout(5):
        while clock.sleeping < count:  # noqa: ASYNC110 the clock has no event for it
            await asyncio.sleep(0)


def sdk(telegram: PretendTelegram, token: str | None = None) -> Bot:
    """The SDK as anyone would set it up, but for the certificates, which take long to load and are not needed."""
    plain = {"verify": False}
    return Bot(
        token or telegram.bot.token,
        base_url=telegram.base_url,
        base_file_url=telegram.base_file_url,
        request=HTTPXRequest(connection_pool_size=8, httpx_kwargs=plain),
        get_updates_request=HTTPXRequest(connection_pool_size=2, httpx_kwargs=plain),
    )


@pytest.fixture
async def bot(telegram: PretendTelegram) -> AsyncIterator[Bot]:
    async with sdk(telegram) as bot:
        yield bot


@pytest.fixture
async def wire(telegram: PretendTelegram) -> AsyncIterator[Wire]:
    async with aiohttp.ClientSession() as session:

        async def call(method: str, **values: Any) -> dict[str, Any]:
            async with session.post(f"{telegram.base_url}{telegram.bot.token}/{method}", json=values) as response:
                body: dict[str, Any] = await response.json()
                assert response.status == body.get("error_code", 200)
                return body

        yield call


@pytest.fixture
def refused(telegram: PretendTelegram) -> Refused:
    """What Telegram says to a call that it refuses, as it stands on the wire."""

    async def refused(call: Awaitable[object]) -> str:
        with pytest.raises(TelegramError):
            await call
        answer = telegram.calls()[-1].answer
        assert isinstance(answer, dict)
        description: str = answer["description"]
        return description

    return refused


@pytest.fixture(scope="session")
def teams_key() -> Key:
    """One key for every pretend Teams, since making one takes long."""
    return new_key()
