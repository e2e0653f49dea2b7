"""A Bot API with nothing behind it: bytes in, bytes out, so that a bench measures the bot and not what it talks to.

It speaks as much of the wire as a bot needs that says texts: polling, sending, the questions at the start. Whoever
plays the people (`people`) pushes updates and is told what was said. It checks nothing; `channels.emulators` does.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qsl

HOST = "127.0.0.1"
BOT_ID = 7_000_000_002
TOKEN = f"{BOT_ID}:AABenchmarkBotOnThisMachineOnlyXXXXXX"

_ME = {"id": BOT_ID, "is_bot": True, "first_name": "Bench", "username": "bench_bot", "can_join_groups": True}
_ME |= {"can_read_all_group_messages": False, "supports_inline_queries": False, "can_connect_to_business": False}
_WEBHOOK = {"url": "", "has_custom_certificate": False, "pending_update_count": 0}
_AT_ONCE = 100
"""Updates in one answer, as Telegram has it."""

Parameters = Mapping[str, Any]


@dataclass(slots=True)
class Wire:
    """The server. `heard` is called with the method and what was given, before the answer goes out, for `send…`.

    `latency` is how many seconds an answer to `send…` takes; `answered` is called when it goes out.
    """

    heard: Callable[[str, Parameters, float], None] = lambda _method, _given, _at: None
    answered: Callable[[Parameters], None] = lambda _given: None
    latency: float = 0.0
    calls: int = 0
    """Calls of `send…` so far."""
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while a poll waits: the bot is there."""
    _updates: deque[tuple[int, bytes]] = field(default_factory=deque)
    _last_update: int = 500_000_000
    _last_message: int = 0
    _poll: "tuple[_Connection, asyncio.TimerHandle] | None" = None
    _server: asyncio.Server | None = None
    _closing: bool = False

    async def start(self) -> str:
        """Listen; returns what an SDK puts the token behind."""
        self._server = await asyncio.get_running_loop().create_server(lambda: _Connection(self), HOST, 0, backlog=1024)
        return f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}/bot"

    async def stop(self) -> None:
        """Listen no more."""
        self._closing = True
        if self._server is not None:
            self._server.close()

    def forget(self) -> None:
        """A new bot comes: nothing waits for it."""
        self._updates.clear()
        self._poll = None
        self.waiting.clear()
        self.calls = 0

    def push(self, kind: str, content: Mapping[str, Any]) -> None:
        """An update for the bot; those of one round of the loop are fetched together."""
        self._last_update += 1
        update = {"update_id": self._last_update, kind: content}
        self._updates.append((self._last_update, json.dumps(update, separators=(",", ":")).encode()))
        if self._poll is not None and len(self._updates) == 1:
            asyncio.get_running_loop().call_soon(self._end_poll)

    def next_message_id(self) -> int:
        """A number for a message, of whoever writes it."""
        self._last_message += 1
        return self._last_message

    # ---- calls -----------------------------------------------------------------------------------------------------

    def call(self, connection: "_Connection", method: str, given: Callable[[], Parameters]) -> None:
        """Answer one call, at once or later."""
        if method == "getupdates":
            self._hear_poll(connection, given())
        elif method.startswith("send"):
            self._hear_said(connection, method, given())
        elif method == "getme":
            connection.answer(_ME)
        elif method == "getwebhookinfo":
            connection.answer(_WEBHOOK)
        else:
            connection.answer(True)

    def _hear_said(self, connection: "_Connection", method: str, given: Parameters) -> None:
        self.calls += 1
        self.heard(method, given, time.perf_counter())
        result: object = True
        if method == "sendmessage":
            chat = {"id": int(given["chat_id"]), "type": "private", "first_name": "Ada"}
            result = {"message_id": self.next_message_id(), "from": _ME, "chat": chat, "date": int(time.time())}
            result |= {"text": given["text"]}
        if self.latency:
            asyncio.get_running_loop().call_later(self.latency, self._answer_said, connection, given, result)
        else:
            self._answer_said(connection, given, result)

    def _answer_said(self, connection: "_Connection", given: Parameters, result: object) -> None:
        connection.answer(result)
        self.answered(given)

    # ---- polling ---------------------------------------------------------------------------------------------------

    def _hear_poll(self, connection: "_Connection", given: Parameters) -> None:
        offset, seconds = int(given.get("offset") or 0), float(given.get("timeout") or 0)
        while self._updates and self._updates[0][0] < offset:
            self._updates.popleft()
        if self._updates or not seconds:
            self._give(connection)
            return
        timer = asyncio.get_running_loop().call_later(seconds, self._end_poll)
        self._poll = (connection, timer)
        self.waiting.set()

    def _end_poll(self) -> None:
        if self._poll is None:
            return
        (connection, timer), self._poll = self._poll, None
        self.waiting.clear()
        timer.cancel()
        self._give(connection)

    def _give(self, connection: "_Connection") -> None:
        bodies = [self._updates[place][1] for place in range(min(_AT_ONCE, len(self._updates)))]
        connection.answer_raw(b"[" + b",".join(bodies) + b"]")

    def lost(self, connection: "_Connection") -> None:
        """The bot went away."""
        if self._poll is not None and self._poll[0] is connection:
            self._poll[1].cancel()
            self._poll = None
            self.waiting.clear()


class _Connection(asyncio.Protocol):
    """One connection: reads requests with a Content-Length, one after another."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._wire.lost(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[:end])
            lower = head.lower()
            size = int(_header(lower, b"content-length") or 0)
            if len(self._buffer) < end + 4 + size:
                return
            body = bytes(self._buffer[end + 4 : end + 4 + size])
            del self._buffer[: end + 4 + size]
            path = head.split(b" ", 2)[1]
            is_json = b"json" in (_header(lower, b"content-type") or b"")
            method = path.rpartition(b"/")[2].partition(b"?")[0].decode().lower()
            self._wire.call(self, method, partial(_read, body, is_json=is_json))

    def answer(self, result: object) -> None:
        """A good answer."""
        self.answer_raw(json.dumps(result, separators=(",", ":")).encode())

    def answer_raw(self, result: bytes) -> None:
        """A good answer whose result is JSON already."""
        if self._transport is not None:
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            self._transport.write(head % (len(result) + 21) + b'{"ok":true,"result":' + result + b"}")


def _header(head: bytes, name: bytes) -> bytes | None:
    start = head.find(b"\r\n" + name + b":")
    if start < 0:
        return None
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else len(head)].strip()


def _read(body: bytes, *, is_json: bool) -> Parameters:
    if not body:
        return {}
    if is_json:
        given: Parameters = json.loads(body)
        return given
    return dict(parse_qsl(body.decode()))
