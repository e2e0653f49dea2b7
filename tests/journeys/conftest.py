"""What every journey starts with."""

from collections.abc import AsyncIterator

import pytest

from channels.emulators.telegram.pretend import PretendTelegram


@pytest.fixture
async def pretend() -> AsyncIterator[PretendTelegram]:
    """A pretend Telegram that finds nothing wrong with what the bot sends it."""
    async with PretendTelegram() as telegram:
        yield telegram
        assert telegram.problems == []
