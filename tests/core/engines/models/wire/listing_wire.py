"""A server that answers each path with what it was given, and remembers what it was asked."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Answer:
    """A status with a JSON body, or with the events of a stream."""

    body: Any = None
    status: int = 200
    events: Sequence[Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        if self.events is None:
            return web.json_response(self.body, status=self.status, headers=dict(self.headers))
        lines = [each if isinstance(each, str) else f"data: {json.dumps(each)}\n\n" for each in self.events]
        return web.Response(text="".join(lines), content_type="text/event-stream", headers=dict(self.headers))


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class Wire:
    """Paths are without what follows a question mark."""

    answers: Mapping[str, Answer]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        self.asked.append(Asked(request.method, request.path, dict(request.headers), body))
        found = self.answers.get(request.path) or self._named(body)
        return (found or Answer({"detail": "Not Found"}, 404)).response()

    def _named(self, body: Any) -> Answer | None:
        """An answer for one model, for example under `/api/show qwen3`."""
        name = body.get("model") if isinstance(body, dict) else None
        return self.answers.get(f"{self.asked[-1].path} {name}")


@asynccontextmanager
async def serving(answers: Mapping[str, Answer]) -> AsyncIterator[Wire]:
    """A server on loopback, gone at the end."""
    wire = Wire(answers)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", wire.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    wire.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield wire
    finally:
        await runner.cleanup()


def chunk(text: str | None = None, finish: str | None = None) -> dict[str, Any]:
    """A piece of a chat completion."""
    delta = {"role": "assistant", "content": text} if text is not None else {}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CHAT = (chunk("Hello"), chunk(finish="stop"), "data: [DONE]\n\n")
"""A whole answer in OpenAI's words."""


def _event(kind: str, **more: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


MESSAGES = (
    _event(
        "message_start",
        message={
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 1},
        },
    ),
    _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Hello"}),
    _event("content_block_stop", index=0),
    _event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 2}),
    _event("message_stop"),
)
"""The same in Anthropic's."""

GEMINI = (
    {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10},
        "modelVersion": "m",
    },
)
"""The same in Google's."""

GEMINI_CUT = (
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hel"}]}, "index": 0}], "modelVersion": "m"},
)
"""The beginning of one, and no word of why it ends there."""

_RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "in_progress",
}
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "content": [], "status": "in_progress"}

RESPONSES_CUT = "".join(
    (
        _event("response.created", response=_RESPONSE, sequence_number=0),
        _event("response.output_item.added", output_index=0, item=_MESSAGE, sequence_number=1),
        _event(
            "response.output_text.delta",
            item_id="m",
            output_index=0,
            content_index=0,
            delta="Hel",
            logprobs=[],
            sequence_number=2,
        ),
    )
)
"""The beginning of an answer in OpenAI's other API."""
