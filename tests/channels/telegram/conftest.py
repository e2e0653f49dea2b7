"""For each test that asks: a scripted Bot API server and a client that calls it, or the pretend Telegram and a bot."""

from collections.abc import AsyncIterator

import pytest

from channels.base import Identity
from channels.emulators.telegram.pretend import PretendTelegram
from channels.telegram.channel import TelegramChannel
from channels.telegram.client import TelegramClient
from core.clock import ManualClock
from tests.channels.telegram import servers
from tests.channels.telegram.connected import Connected, connect
from tests.channels.telegram.servers import TOKEN, ScriptedServer


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with servers.serve() as server:
        yield server


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[TelegramClient]:
    client = TelegramClient(TOKEN, server.base_url, server.base_file_url)
    await client.open()
    yield client
    await client.close()


@pytest.fixture
def channel(client: TelegramClient) -> TelegramChannel:
    return TelegramChannel("tg", Identity("123456789", "Conch", "conch_bot"), client, ManualClock())


@pytest.fixture
async def telegram() -> AsyncIterator[PretendTelegram]:
    async with PretendTelegram() as telegram:
        yield telegram


@pytest.fixture
async def connected(telegram: PretendTelegram) -> AsyncIterator[Connected]:
    async with connect(telegram) as connected:
        yield connected
