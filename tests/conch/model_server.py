"""A model server on this machine that speaks as OpenAI's do: it lists its models, and says what it was told."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

KEY = "canary-of-a-key-0123456789abcdef"


@dataclass
class ModelServer:
    """`key` is the only one it takes (None: it takes none); `told` are the newest words of each request."""

    key: str | None = KEY
    models: tuple[str, ...] = ("toy-large", "toy-small")
    url: str = ""
    told: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    """The models that were asked."""
    hold: asyncio.Event | None = None
    """An answer waits for it in its middle."""

    async def listed(self, request: web.Request) -> web.Response:
        """The models."""
        if not self._may(request):
            return self._refused()
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    async def answered(self, request: web.Request) -> web.StreamResponse:
        """An answer, in two pieces."""
        if not self._may(request):
            return self._refused()
        asked = await request.json()
        words = _words(asked["messages"][-1]["content"])
        self.told.append(words)
        self.used.append(asked["model"])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in (f"{asked['model']} heard: ", words):
            await response.write(_chunk(asked["model"], {"role": "assistant", "content": piece}))
            if self.hold is not None:
                await self.hold.wait()
        await response.write(_chunk(asked["model"], {}, finish="stop"))
        usage = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}
        await response.write(_chunk(asked["model"], None, usage=usage))
        await response.write(b"data: [DONE]\n\n")
        return response

    def _may(self, request: web.Request) -> bool:
        return self.key is None or request.headers.get("Authorization") == f"Bearer {self.key}"

    def _refused(self) -> web.Response:
        error = {"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}
        return web.json_response({"error": error}, status=401)


@asynccontextmanager
async def model_server(**more: Any) -> AsyncIterator[ModelServer]:
    """One that runs for the length of a block; `url` is its address."""
    server = ModelServer(**more)
    app = web.Application()
    app.router.add_get("/v1/models", server.listed)
    app.router.add_post("/v1/chat/completions", server.answered)
    async with TestServer(app) as running:
        server.url = f"http://127.0.0.1:{running.port}/v1"
        yield server


def _words(content: Any) -> str:
    """The last line: before it may stand what happened in the chat earlier."""
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return str(text.strip().splitlines()[-1])


def _chunk(model: str, delta: Any, finish: str | None = None, usage: Any = None) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
    return f"data: {json.dumps(body | ({'usage': usage} if usage else {}))}\n\n".encode()
