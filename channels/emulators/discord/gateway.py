"""The gateway: the conversation on the socket over which a bot identifies, lives, and comes back.

Belongs here: opcodes and close codes, as in Discord's "Gateway" pages. What a bot is told belongs to `world`.
A missing heartbeat does not end a connection here, because the bot's clock may be another than ours.
"""

import asyncio
import contextlib
import json
import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from channels.emulators.discord import limits
from channels.emulators.discord.people import Bot
from channels.emulators.discord.sessions import GUILDS, KNOWN, PRIVILEGED, Close, Link, Session
from channels.emulators.discord.world import World
from channels.emulators.listener import cut

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 3, 6, 7, 9, 10, 11
IGNORED = (PRESENCE, 4, 8, 31)
"""What a bot may say and nobody here listens to: presence, voice, asking for members and sounds."""

UNKNOWN_ERROR, UNKNOWN_OPCODE, DECODE, NOT_AUTHENTICATED, AUTHENTICATION = 4000, 4001, 4002, 4003, 4004
ALREADY_AUTHENTICATED, RATE_LIMITED, INVALID_INTENTS, DISALLOWED_INTENTS = 4005, 4008, 4013, 4014

_ACK_SECONDS = 0.02
"""As long as an answer to a heartbeat takes; the SDK takes one that is sooner for that to the heartbeat before."""

_GOODBYES = (1000, 1001)
"""A bot that closes with one of these does not come back: its session is over."""


@dataclass(eq=False)
class Connection:
    """One socket. `bot` and `session` are there once it identified or resumed; `dismissed` once we end it."""

    link: Link = field(default_factory=asyncio.Queue)
    bot: Bot | None = None
    session: Session | None = None
    dismissed: bool = False
    received: deque[float] = field(default_factory=lambda: deque(maxlen=limits.GATEWAY_SENDS))

    def say(self, op: int, data: object = None) -> None:
        """Something that is no event."""
        self.link.put_nowait(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def close(self, code: int, reason: str = "") -> None:
        """End it after what was said before; 0 cuts it."""
        self.link.put_nowait(Close(code, reason))


class Gateway:
    """Serves the sockets. What goes wrong on purpose: `acknowledges` off makes every connection a dead one.

    `spaces_identifies` refuses a login within 5 seconds of the last one, as the real Discord does. Off from the start,
    because a test that starts the program twice would have to wait.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.url = ""
        self.acknowledges = True
        self.spaces_identifies = False
        self._identified_at: dict[str, float] = {}
        self.heartbeat_seconds = limits.HEARTBEAT_SECONDS
        self.connections: list[Connection] = []
        self.heartbeats = 0
        self.identified: list[dict[str, Any]] = []
        self.resumed: list[dict[str, Any]] = []
        self.closed_with: list[int] = []

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one connection until it ends."""
        socket = web.WebSocketResponse(max_msg_size=1 << 16)
        await socket.prepare(request)
        connection = Connection()
        self.connections.append(connection)
        connection.say(HELLO, {"heartbeat_interval": int(self.heartbeat_seconds * 1000)})
        writer = asyncio.create_task(self._write(request, socket, connection))
        try:
            await self._read(socket, connection)
        finally:
            if socket.close_code in _GOODBYES and not connection.dismissed:
                self._forget(connection)
            writer.cancel()
            self._ended(connection)
            with contextlib.suppress(asyncio.CancelledError):
                await writer
        return socket

    # ---- breaking --------------------------------------------------------------------------------------------------

    def reconnect(self) -> None:
        """Ask every bot to connect again (opcode 7)."""
        for connection in self.connections:
            connection.say(RECONNECT)

    def drop(self, code: int = UNKNOWN_ERROR) -> None:
        """Close every connection with a code; 0 cuts them without a goodbye."""
        for connection in self.connections:
            connection.close(code)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Call every session invalid (opcode 9); one that cannot be resumed is forgotten."""
        for connection in self.connections:
            if not resumable:
                self._forget(connection)
            connection.say(INVALID, resumable)

    def forget_sessions(self) -> None:
        """Nobody can resume any more, as after a long time away."""
        for bot in self.world.bots.values():
            bot.sessions = [session for session in bot.sessions if session.link is not None]

    # ---- the two directions ----------------------------------------------------------------------------------------

    async def _write(self, request: web.BaseRequest, socket: web.WebSocketResponse, connection: Connection) -> None:
        while True:
            item = await connection.link.get()
            if isinstance(item, str):
                with contextlib.suppress(ConnectionError):
                    await socket.send_str(item)
                continue
            connection.dismissed = True
            self._ended(connection)
            self.closed_with.append(item.code)
            if item.code == 0:
                cut(request)
            else:
                await socket.close(code=item.code, message=item.reason.encode())
            return

    async def _read(self, socket: web.WebSocketResponse, connection: Connection) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT and message.type is not WSMsgType.BINARY:
                return
            try:
                told = json.loads(message.data)
                op, data = told["op"], told.get("d")
            except (ValueError, KeyError, TypeError):
                connection.close(DECODE, "Error while decoding payload.")
                continue
            if len(message.data) > limits.GATEWAY_PAYLOAD:
                connection.close(DECODE, "Payload too large.")
            elif self._too_many(connection):
                connection.close(RATE_LIMITED, "Rate limited.")
            else:
                self._hear(connection, op, data)

    def _too_many(self, connection: Connection) -> bool:
        now = self.world.clock.monotonic()
        seen = connection.received
        full = len(seen) == limits.GATEWAY_SENDS and now - seen[0] < limits.GATEWAY_SENDS_SECONDS
        seen.append(now)
        return full

    def _hear(self, connection: Connection, op: int, data: Any) -> None:  # noqa: ANN401 - JSON
        if op == HEARTBEAT:
            self.heartbeats += 1
            if self.acknowledges:
                asyncio.get_running_loop().call_later(_ACK_SECONDS, connection.say, ACK)
        elif op == IDENTIFY:
            self._identify(connection, data)
        elif op == RESUME:
            self._resume(connection, data)
        elif op not in IGNORED:
            connection.close(UNKNOWN_OPCODE, "Unknown opcode.")
        elif connection.session is None:
            connection.close(NOT_AUTHENTICATED, "Not authenticated.")

    # ---- who it is -------------------------------------------------------------------------------------------------

    def _identify(self, connection: Connection, data: dict[str, Any]) -> None:
        self.identified.append(data)
        bot = self.world.bots.get(str(data.get("token")).removeprefix("Bot "))
        wanted = int(data.get("intents", 0))
        if connection.session is not None:
            connection.close(ALREADY_AUTHENTICATED, "Already authenticated.")
        elif bot is None or bot.identifies_left <= 0:
            # Over the ration of a day Discord resets the bot's token, so that it is a wrong one.
            connection.close(AUTHENTICATION, "Authentication failed.")
        elif wanted & ~KNOWN:
            connection.close(INVALID_INTENTS, "Invalid intent(s).")
        elif wanted & PRIVILEGED & ~bot.allowed_intents:
            connection.close(DISALLOWED_INTENTS, "Disallowed intent(s).")
        elif self._too_soon(bot):
            connection.say(INVALID, False)
        else:
            bot.identifies_left -= 1
            session = Session(secrets.token_hex(16), wanted, connection.link)
            away = [old for old in bot.sessions if old.link is None]
            bot.sessions = [old for old in bot.sessions if old not in away[: -limits.SESSIONS_KEPT]]
            bot.sessions.append(session)
            connection.bot, connection.session = bot, session
            self._ready(bot, session, data.get("shard", [0, 1]))

    def _too_soon(self, bot: Bot) -> bool:
        now = self.world.clock.monotonic()
        last, self._identified_at[bot.id] = self._identified_at.get(bot.id), now
        return self.spaces_identifies and last is not None and now - last < limits.IDENTIFY_SECONDS

    def _ready(self, bot: Bot, session: Session, shard: list[int]) -> None:
        guilds = [guild for guild in self.world.guilds.values() if bot.id in guild.bots]
        ready = {
            "v": 10,
            "user": bot.me,
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "shard": shard,
            "guilds": [{"id": guild.id, "unavailable": True} for guild in guilds],
            "private_channels": [],
            "relationships": [],
            "presences": [],
            "application": {"id": bot.application_id, "flags": 0},
        }
        session.dispatch("READY", ready)
        if session.intents & GUILDS:
            for guild in guilds:
                session.dispatch("GUILD_CREATE", guild.json(bot))
        self.world.show("connected", detail=bot.id)

    def _resume(self, connection: Connection, data: dict[str, Any]) -> None:
        self.resumed.append(data)
        bot = self.world.bots.get(str(data.get("token")).removeprefix("Bot "))
        if bot is None:
            connection.close(AUTHENTICATION, "Authentication failed.")
            return
        session = next((s for s in bot.sessions if s.id == data.get("session_id")), None)
        if session is None or not session.can_resume_after(int(data.get("seq") or 0)):
            connection.say(INVALID, False)
            return
        session.link = connection.link
        connection.bot, connection.session = bot, session
        session.replay(int(data.get("seq") or 0))
        session.dispatch("RESUMED", {})
        self.world.show("connected", detail=bot.id)

    def _ended(self, connection: Connection) -> None:
        """Keep what comes for the session until it is resumed."""
        if connection in self.connections:
            self.connections.remove(connection)
        session = connection.session
        if session is not None and session.link is connection.link:
            session.link = None
            self.world.show("disconnected", detail=connection.bot.id if connection.bot is not None else None)

    def _forget(self, connection: Connection) -> None:
        bot, session = connection.bot, connection.session
        connection.session = None
        if bot is not None and session in bot.sessions:
            bot.sessions.remove(session)
            self.world.show("disconnected", detail=bot.id)
