"""Socket Mode: tickets, connections, envelopes and their acknowledgements.

Belongs here: the websocket. When something is sent again belongs to `deliveries`.
"""

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from channels.emulators.journal import Journal
from channels.emulators.slack import limits
from channels.emulators.slack.envelopes import Envelope, NotTaken
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.people import Bot

PATH = "/link/"

_GOODBYE = 1.0
"""Seconds of real time that an app may take to close its end."""


@dataclass(eq=False, slots=True)
class Connection:
    """One websocket of an app. `leaving`: it was told to go and gets nothing more."""

    bot: Bot
    socket: web.WebSocketResponse
    unacked: dict[str, "asyncio.Future[Mapping[str, Any]]"] = field(default_factory=dict)
    leaving: bool = False


class Sockets:
    """All connections, by app. `changes` notes who came and went."""

    def __init__(self) -> None:
        self.changes: Journal[str] = Journal(1_000)
        self._tickets: dict[str, Bot] = {}
        self._connections: dict[str, list[Connection]] = {}
        self._turn = 0

    def ticket(self, bot: Bot) -> str:
        """What opens one connection, once.

        Raises:
            ApiError: the app has as many as it may have.
        """
        if len(self.of(bot)) >= limits.CONNECTIONS:
            raise ApiError("too_many_websockets")
        ticket = secrets.token_urlsafe(16)
        self._tickets[ticket] = bot
        return ticket

    def of(self, bot: Bot) -> list[Connection]:
        """The connections of an app that take something."""
        return [c for c in self._connections.get(bot.app_id, []) if not c.leaving]

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """One connection from its ticket to its end."""
        bot = self._tickets.pop(request.query.get("ticket", ""), None)
        if bot is None:
            return web.Response(status=404)
        socket = web.WebSocketResponse(timeout=_GOODBYE)
        await socket.prepare(request)
        connection = Connection(bot, socket)
        mine = self._connections.setdefault(bot.app_id, [])
        try:
            await socket.send_str(json.dumps(_hello(bot, len(self.of(bot)) + 1)))
            mine.append(connection)
            self.changes.append("came")
            await self._hear(connection)
        except ConnectionError:
            pass
        finally:
            if connection in mine:
                mine.remove(connection)
            for future in connection.unacked.values():
                if not future.done():
                    future.set_exception(NotTaken("connection_closed"))
            self.changes.append("went")
        return socket

    async def send(self, envelope: Envelope) -> Mapping[str, Any]:
        """Send over any one connection, waiting for one if there is none; what the acknowledgement carried.

        Raises:
            NotTaken: the connection went away before it was acknowledged.
        """
        connection = await self._any(envelope.bot)
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        connection.unacked[envelope.id] = future
        try:
            await connection.socket.send_str(json.dumps(envelope.to_json()))
            return await future
        except ConnectionError as gone:
            raise NotTaken("connection_closed") from gone
        finally:
            connection.unacked.pop(envelope.id, None)

    async def disconnect(self, bot: Bot, reason: str, *, close: bool = True) -> None:
        """Tell every connection to go: `warning` lets it be for now, `refresh_requested` and `link_disabled` do not."""
        for connection in self.of(bot):
            told = {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}
            await connection.socket.send_str(json.dumps(told))
            if reason != "warning":
                connection.leaving = True
                if close:
                    await connection.socket.close()

    async def connected(self, bot: Bot, count: int = 1) -> None:
        """Come back once an app has so many connections."""
        while True:
            since = self.changes.last
            if len(self.of(bot)) >= count:
                return
            await self.changes.changed(since)

    async def _any(self, bot: Bot) -> Connection:
        await self.connected(bot)
        self._turn += 1
        connections = self.of(bot)
        return connections[self._turn % len(connections)]

    async def _hear(self, connection: Connection) -> None:
        async for message in connection.socket:
            if message.type is not WSMsgType.TEXT:
                continue
            said = json.loads(message.data)
            future = connection.unacked.get(said.get("envelope_id", ""))
            if future is not None and not future.done():
                future.set_result(said.get("payload") or {})


def _hello(bot: Bot, count: int) -> dict[str, Any]:
    about = {"host": "applink-1", "build_number": 1, "approximate_connection_time": limits.CONNECTION_SECONDS}
    return {
        "type": "hello",
        "num_connections": count,
        "debug_info": about,
        "connection_info": {"app_id": bot.app_id},
    }
