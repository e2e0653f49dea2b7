"""For each test that asks: the pretend Discord, and a bot that is connected to it."""

from collections.abc import AsyncIterator

import pytest

from channels.emulators.discord.pretend import PretendDiscord
from tests.channels.discord.connected import Connected, connect


@pytest.fixture
async def discord() -> AsyncIterator[PretendDiscord]:
    async with PretendDiscord() as discord:
        yield discord


@pytest.fixture
async def connected(discord: PretendDiscord) -> AsyncIterator[Connected]:
    async with connect(discord) as connected:
        yield connected
