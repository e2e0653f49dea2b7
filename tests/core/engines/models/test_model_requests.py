"""The HTTP client of a model server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.engines.models.asking import ask_for_json, client_for
from core.engines.models.patience import Patience

CROWD = 150


async def test_nobody_waits_for_another_chats_answer() -> None:
    async with answering_when_all_have_asked(CROWD) as url, client_for(url, Patience()) as client:
        asked = [ask_for_json(client, url, {}, seconds=20) for _ in range(CROWD)]

        answers = await asyncio.gather(*asked)

    assert answers == [{}] * CROWD


@asynccontextmanager
async def answering_when_all_have_asked(count: int) -> AsyncIterator[str]:
    """A server that gives its first answer when so many requests wait for one."""
    waiting, all_wait = 0, asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        await reader.readuntil(b"\r\n\r\n")
        waiting += 1
        if waiting == count:
            all_wait.set()
        await all_wait.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=count)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"
