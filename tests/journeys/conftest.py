"""What every journey starts with."""

from collections.abc import AsyncIterator

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from tests.journeys.apps import APPS, AppUnderTest, DiscordUnderTest, under_test


@pytest.fixture
async def pretend() -> AsyncIterator[PretendTelegram]:
    """A pretend Telegram that finds nothing wrong with what the bot sends it."""
    async with PretendTelegram() as telegram:
        yield telegram
        assert telegram.problems == []


@pytest.fixture(params=list(APPS))
async def messenger(request: pytest.FixtureRequest) -> AsyncIterator[AppUnderTest]:
    """One chat app after the other; `-k slack` plays only that one."""
    async with under_test(request.param) as app:
        yield app


@pytest.fixture
async def discord() -> AsyncIterator[DiscordUnderTest]:
    """Discord alone, for what only Discord has."""
    async with under_test("discord") as app:
        assert isinstance(app, DiscordUnderTest)
        yield app
