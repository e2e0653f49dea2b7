"""Gemini's answers as a stream: ai.google.dev/api/generate-content#method:-models.streamgeneratecontent."""

from base64 import b64encode
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

SIGNATURE = "c2lnbmVkIGNhbGw="
"""Which stands with each call of a tool: ai.google.dev/gemini-api/docs/thought-signatures."""


def server(*replies: Reply) -> AbstractAsyncContextManager[WireServer]:
    """A server that speaks it."""
    return WireServer(_stream, *replies).serving("/v1beta/models/{model}:streamGenerateContent")


async def _stream(pieces: Sequence[Piece]) -> AsyncIterator[bytes]:
    for piece in pieces:
        match piece:
            case Words(text):
                yield _chunk({"text": text})
            case Thinking(text, signature):
                yield _chunk({"text": text, "thought": True})
                if signature:
                    yield _chunk({"text": "", "thoughtSignature": b64encode(signature.encode()).decode()})
            case Call(name, arguments, id=call_id):
                call = {"name": name, "args": dict(arguments), "id": call_id}
                yield _chunk({"functionCall": call, "thoughtSignature": SIGNATURE})
            case Pause(until):
                await until.wait()
            case Cut():
                return
            case Trouble(error):
                yield event({"error": error})
                return
            case End():
                yield _chunk({"text": ""}, piece)


def _chunk(part: Mapping[str, Any], end: End | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
    answer: dict[str, Any] = {"candidates": [candidate], "modelVersion": "toy-1-0901", "responseId": "response"}
    if end is not None:
        candidate["finishReason"] = end.reason or "STOP"
        answer["usageMetadata"] = {
            "promptTokenCount": end.sent,
            "candidatesTokenCount": end.heard,
            "cachedContentTokenCount": end.cached,
            "totalTokenCount": end.sent + end.heard,
        }
    return event(answer)
