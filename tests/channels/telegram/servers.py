"""A Bot API server that does what a test tells it, down to breaking connections; it knows nothing about Telegram."""

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
SECRET = TOKEN.partition(":")[2]

Reaction = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Received:
    """One call. A file is its name, type and bytes."""

    method: str
    parameters: dict[str, Any]
    files: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)


class ScriptedServer:
    """Answers each method with the reactions lined up for it, then with success."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.arrived = asyncio.Event()
        """A call was received."""
        self.files: dict[str, Reaction] = {}
        self._script: dict[str, deque[Reaction]] = defaultdict(deque)
        self.base_url = ""
        self.base_file_url = ""

    def expect(self, method: str, *reactions: Reaction) -> None:
        """Line reactions up for the next calls of a method."""
        self._script[method.lower()].extend(reactions)

    def calls(self, method: str) -> list[Received]:
        return [call for call in self.received if call.method == method.lower()]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.match_info["token"] != TOKEN:
            return web.json_response({"ok": False, "error_code": 401, "description": "Unauthorized"}, status=401)
        script = self._script[method]
        reaction = script.popleft() if script else success({"message_id": 1})
        if reaction is not break_off:
            self.received.append(await _read(method, request))
            self.arrived.set()
        return await reaction(request)

    async def handle_file(self, request: web.Request) -> web.StreamResponse:
        reaction = self.files.get(request.match_info["path"])
        return await reaction(request) if reaction else web.Response(status=404)


@asynccontextmanager
async def serve() -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer()
    app = web.Application(client_max_size=2**27)
    app.router.add_route("*", "/bot{token}/{method}", server.handle)
    app.router.add_get("/file/bot{token}/{path:.*}", server.handle_file)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.base_url, server.base_file_url = f"http://{host}:{port}/bot", f"http://{host}:{port}/file/bot"
    yield server
    await runner.cleanup()


async def _read(method: str, request: web.Request) -> Received:
    if request.content_type != "multipart/form-data":
        return Received(method, json.loads(await request.read() or b"{}"))
    parameters: dict[str, Any] = {}
    files: dict[str, tuple[str, str, bytes]] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            files[name] = (value.filename, value.content_type, value.file.read())
        else:
            parameters[name] = value
    return Received(method, parameters, files)


def success(result: object) -> Reaction:
    return _answer(200, json.dumps({"ok": True, "result": result}).encode())


def refusal(status: int, description: str, **parameters: object) -> Reaction:
    answer = {"ok": False, "error_code": status, "description": description, "parameters": parameters}
    return _answer(status, json.dumps(answer).encode())


def raw(status: int, body: bytes, **headers: str) -> Reaction:
    return _answer(status, body, **headers)


def _answer(status: int, body: bytes, **headers: str) -> Reaction:
    async def react(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=body, content_type="application/json", headers=headers)

    return react


async def lose(request: web.Request) -> web.StreamResponse:
    """The whole call was read; the connection breaks instead of an answer."""
    _abort(request)
    return web.Response()


async def break_off(request: web.Request) -> web.StreamResponse:
    """The connection breaks while the call is still being sent."""
    _abort(request)
    return web.Response()


async def cut(request: web.Request) -> web.StreamResponse:
    """The answer begins and breaks off."""
    response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"ok":true,')
    _abort(request)
    return response


async def hang(request: web.Request) -> web.StreamResponse:
    """Nothing is ever answered."""
    await asyncio.Event().wait()
    return web.Response()


def _abort(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()
