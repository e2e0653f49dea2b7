"""A model server on loopback that says what a test tells it to; what a stream looks like is each protocol's own."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Words:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """The next piece of what is thought, with the signature that closes it."""

    text: str
    signature: str | None = None


@dataclass(frozen=True)
class Call:
    """A tool call, whole."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = "call_1"


@dataclass(frozen=True)
class Pause:
    """Nothing more before the test says so."""

    until: asyncio.Event


@dataclass(frozen=True)
class Cut:
    """The connection ends here, without the protocol's own end."""


@dataclass(frozen=True)
class Trouble:
    """The stream ends with an error, in the protocol's own frame around `error`."""

    error: Mapping[str, Any]


@dataclass(frozen=True)
class End:
    """The protocol's own end; `reason` in its own words (None: as it is after what was said)."""

    reason: str | None = None
    sent: int = 11
    heard: int = 7
    cached: int = 0


Piece = Words | Thinking | Call | Pause | Cut | Trouble | End


@dataclass(frozen=True)
class Refusal:
    """An error instead of a stream."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    body: Any


Answer = Sequence[Piece] | Refusal

Reply = Answer | Callable[[Asked], Answer]
"""An answer, or what makes one of the request."""

Encode = Callable[[Sequence[Piece]], AsyncIterator[bytes]]


class WireServer:
    """Answers each request with the next reply; the last one stays. `asked` is what came, `under_way` how many of it
    are being answered.

    It lists its `models` too, in a body that each protocol finds its own list in.
    """

    def __init__(self, encode: Encode, *replies: Reply) -> None:
        self._encode = encode
        self._replies = deque(replies)
        self.models: tuple[str, ...] = ()
        self.asked: list[Asked] = []
        self.address = ""
        self.under_way = 0
        self._idle = asyncio.Event()
        self._runner: web.AppRunner | None = None

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The next reply."""
        asked = Asked(request.path, dict(request.headers), await request.json())
        self.asked.append(asked)
        reply = self._replies.popleft() if len(self._replies) > 1 else self._replies[0]
        reply = reply(asked) if callable(reply) else reply
        if isinstance(reply, Refusal):
            return web.json_response(reply.body, status=reply.status, headers=reply.headers)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        self.under_way += 1
        self._idle.clear()
        try:
            async for chunk in self._encode(reply):
                await response.write(chunk)
        finally:
            self.under_way -= 1
            if not self.under_way:
                self._idle.set()
        return response

    async def is_idle(self) -> None:
        """Come back when no request is being answered; a test that fails waits for ten seconds."""
        async with asyncio.timeout(10):
            await self._idle.wait()

    async def listed(self, _: web.Request) -> web.Response:
        """Its models."""
        generates = {"supportedGenerationMethods": ["generateContent"]}
        return web.json_response(
            {
                "data": [{"type": "model", "id": model, "display_name": model} for model in self.models],
                "models": [{"name": f"models/{model}", **generates} for model in self.models],
            }
        )

    async def goes_away(self) -> None:
        """Stop listening: from now on a connection is refused."""
        assert self._runner is not None
        await self._runner.cleanup()

    @asynccontextmanager
    async def serving(self, path: str) -> AsyncIterator["WireServer"]:
        """While it listens; `address` is where."""
        app = web.Application()
        app.router.add_post(path, self.answer)
        app.router.add_get("/{version}/models", self.listed)
        runner = self._runner = web.AppRunner(app, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.address = f"http://{host}:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()


def event(data: Mapping[str, Any] | str, name: str | None = None) -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()
