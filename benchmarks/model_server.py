"""A model server in a process of its own that speaks OpenAI's chat completions, at a model's pace.

Raw sockets, so that it takes little from the machine that is measured. First words come after 50 ms, the whole answer
takes 450 ms; which model is asked for says in how many chunks it comes. `silent` stops after its first words until
somebody asks for `/release`. The first chunk holds what was said to it.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import urlsplit

import uvloop

from benchmarks.processes import running

HOST: Final = "127.0.0.1"
FEW, MANY, SILENT = "few-chunks", "many-chunks", "silent"
CHUNKS: Final[Mapping[str, int]] = {FEW: 40, MANY: 200, SILENT: 200}
FIRST_WORDS, WHOLE_ANSWER = 0.05, 0.45

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n\r\n"


@asynccontextmanager
async def model_server() -> AsyncIterator[str]:
    """One that runs for the length of a block; where its API is."""
    async with running(["-m", "benchmarks.model_server"], "") as process:
        yield (await process.said("http://")).strip()


async def release(url: str) -> None:
    """Let every answer that waits come to its end."""
    reader, writer = await asyncio.open_connection(HOST, urlsplit(url).port)
    writer.write(b"GET /release HTTP/1.1\r\n\r\n")
    await reader.readline()
    writer.close()


@dataclass(slots=True)
class _Server:
    """What its connections share: the answers that wait."""

    waiting: "set[_Connection]" = field(default_factory=set)

    def release(self) -> None:
        for connection in tuple(self.waiting):
            connection.say_rest(CHUNKS[SILENT], time.perf_counter())
        self.waiting.clear()


class _Connection(asyncio.Protocol):
    """One connection, one request after another."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._server.waiting.discard(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[:end])
            size = _length(head)
            if len(self._buffer) < end + 4 + size:
                return
            body = bytes(self._buffer[end + 4 : end + 4 + size])
            del self._buffer[: end + 4 + size]
            self._answer(head.split(b" ", 2)[1], body)

    def _answer(self, path: bytes, body: bytes) -> None:
        if path == b"/release":
            self._server.release()
            self._whole({})
        elif path.endswith(b"/chat/completions"):
            self._stream(json.loads(body), time.perf_counter())
        else:
            models = [{"id": name, "object": "model", "created": 1, "owned_by": "bench"} for name in CHUNKS]
            self._whole({"object": "list", "data": models})

    def _whole(self, answer: object) -> None:
        content = json.dumps(answer).encode()
        self._write(_HEAD % (b"application/json", b"Content-Length: %d" % len(content)) + content)

    # ---- an answer -------------------------------------------------------------------------------------------------

    def _stream(self, asked: Mapping[str, Any], at: float) -> None:
        self._write(_HEAD % (b"text/event-stream", b"Transfer-Encoding: chunked"))
        first = _delta({"role": "assistant", "content": f"echo: {_last_words(asked)} "})
        self._write_at(at + FIRST_WORDS, first)
        if asked["model"] == SILENT:
            self._server.waiting.add(self)
        else:
            self.say_rest(CHUNKS[asked["model"]], at + FIRST_WORDS)

    def say_rest(self, chunks: int, at: float) -> None:
        """All but the first words, from then on."""
        pause = (WHOLE_ANSWER - FIRST_WORDS) / chunks
        for number in range(1, chunks):
            self._write_at(at + number * pause, _delta({"content": f"word{number} "}))
        counts = {"prompt_tokens": 900, "completion_tokens": chunks, "total_tokens": 900 + chunks}
        ending = _delta({}, "stop") + _event({**_chunk, "choices": [], "usage": counts}) + _piece(b"data: [DONE]\n\n")
        self._write_at(at + chunks * pause, ending + b"0\r\n\r\n")

    def _write_at(self, at: float, data: bytes) -> None:
        asyncio.get_running_loop().call_later(max(0.0, at - time.perf_counter()), self._write, data)

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)


_chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}


def _delta(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
    return _event({**_chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def _event(event: object) -> bytes:
    return _piece(b"data: " + json.dumps(event).encode() + b"\n\n")


def _piece(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n")[1:])
    return next((int(value) for name, _, value in lines if name == b"content-length"), 0)


def _last_words(asked: Mapping[str, Any]) -> str:
    content = next(message["content"] for message in reversed(asked["messages"]) if message["role"] == "user")
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


async def _serve() -> None:
    server = _Server()
    listening = await asyncio.get_running_loop().create_server(lambda: _Connection(server), HOST, 0, backlog=1024)
    print(f"http://{HOST}:{listening.sockets[0].getsockname()[1]}/v1", flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())
