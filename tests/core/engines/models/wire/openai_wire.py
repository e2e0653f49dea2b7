"""OpenAI's chat completions as a stream: platform.openai.com/docs/api-reference/chat-streaming."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from tests.core.engines.models.wire.serving import (
    Call,
    Cut,
    End,
    Pause,
    Piece,
    Reply,
    Thinking,
    Trouble,
    WireServer,
    Words,
    event,
)


def server(*replies: Reply) -> AbstractAsyncContextManager[WireServer]:
    """A server that speaks it."""
    return WireServer(_stream, *replies).serving("/v1/chat/completions")


async def _stream(pieces: Sequence[Piece]) -> AsyncIterator[bytes]:
    calls = 0
    yield event(_chunk({"role": "assistant", "content": ""}))
    for piece in pieces:
        match piece:
            case Words(text):
                yield event(_chunk({"content": text}))
            case Thinking(text):
                yield event(_chunk({"reasoning_content": text}))
            case Call():
                for delta in _call(piece, calls):
                    yield event(_chunk({"tool_calls": [delta]}))
                calls += 1
            case Pause(until):
                await until.wait()
            case Cut():
                return
            case Trouble(error):
                yield event({"error": error})
                return
            case End():
                yield event(_chunk({}, piece.reason or ("tool_calls" if calls else "stop")))
                yield event(_usage(piece))
                yield event("[DONE]")


def _chunk(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "toy-1-0901", "choices": [choice]}


def _call(call: Call, index: int) -> list[dict[str, Any]]:
    arguments = json.dumps(call.arguments)
    half = len(arguments) // 2
    return [
        {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}},
        {"index": index, "function": {"arguments": arguments[:half]}},
        {"index": index, "function": {"arguments": arguments[half:]}},
    ]


def _usage(end: End) -> dict[str, Any]:
    usage = {
        "prompt_tokens": end.sent,
        "completion_tokens": end.heard,
        "total_tokens": end.sent + end.heard,
        "prompt_tokens_details": {"cached_tokens": end.cached},
    }
    return {**_chunk({}), "choices": [], "usage": usage}
