"""A Bot API server for each test that asks for one, and a client that calls it."""

from collections.abc import AsyncIterator

import pytest

from channels.telegram.client import TelegramClient
from tests.channels.telegram import servers
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
