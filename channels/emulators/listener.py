"""A loopback HTTP server that can be made to misbehave: cut a connection, go away, come back on the same port.

Belongs here: sockets and connections. What is answered belongs to the handler that each server is given.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import StreamReader
from aiohttp.web_protocol import RequestHandler

HOST = "127.0.0.1"

_GRACE = 0.001
"""Seconds that a handler gets to notice that its connection is gone; aiohttp takes 0 for ever."""

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Listener:
    """One handler behind one port of 127.0.0.1. `max_body` is in bytes; a larger request is refused by aiohttp."""

    def __init__(self, handler: Handler, *, max_body: int = 1 << 20) -> None:
        self._handler = handler
        self._max_body = max_body
        self._server: web.Server | None = None
        self._sockets: asyncio.Server | None = None
        self._held: socket.socket | None = None
        self._port = 0

    @property
    def port(self) -> int:
        """The port in use, also while unreachable; 0 before the first start."""
        return self._port

    @property
    def reachable(self) -> bool:
        """Whether a connection would be taken now."""
        return self._sockets is not None

    async def start(self, port: int = 0) -> None:
        """Listen on `port`; 0 takes a free one.

        Raises:
            OSError: the port is taken.
        """
        held = _bound(port)
        self._port = held.getsockname()[1]
        await self._listen(held)

    async def stop(self) -> None:
        """Stop listening, cut what is open and give the port back."""
        await self._close()
        if self._held is not None:
            self._held.close()
            self._held = None

    async def go_away(self) -> None:
        """Refuse connections and cut the open ones. The port stays ours, so `come_back` finds it free."""
        if not self.reachable:
            return
        await self._close()
        self._held = _bound(self._port)

    async def come_back(self) -> None:
        """Listen again on the same port."""
        if self._held is not None:
            held, self._held = self._held, None
            await self._listen(held)

    async def _listen(self, held: socket.socket) -> None:
        self._server = web.Server(self._handler, request_factory=self._request, access_log=None)
        self._sockets = await asyncio.get_running_loop().create_server(self._server, sock=held, backlog=1024)

    async def _close(self) -> None:
        sockets, server = self._sockets, self._server
        self._sockets = self._server = None
        if sockets is None or server is None:
            return
        sockets.close()
        for connection in server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        await server.shutdown(timeout=_GRACE)
        await sockets.wait_closed()

    def _request(
        self,
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: RequestHandler,
        writer: AbstractStreamWriter,
        task: "asyncio.Task[None]",
    ) -> web.BaseRequest:
        return web.BaseRequest(
            message, payload, protocol, writer, task, asyncio.get_running_loop(), client_max_size=self._max_body
        )


def _bound(port: int) -> socket.socket:
    """A socket that owns the port without listening: a connection to it is refused, and nobody else can have it."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind((HOST, port))
    held.setblocking(False)
    return held


def cut(request: web.BaseRequest) -> web.StreamResponse:
    """Drop the connection at once, without a goodbye. What this returns goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def cut_in_mid_response(request: web.BaseRequest, *, promised: int = 512) -> web.StreamResponse:
    """Send the head of a good answer and the first bytes of a body of `promised` bytes, then drop the connection."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(promised)})
    await response.prepare(request)
    await response.write(b'{"ok":true,"res')
    cut(request)
    return response
