"""Anthropic's messages as a stream: docs.claude.com/en/docs/build-with-claude/streaming."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
    return WireServer(_stream, *replies).serving("/v1/messages")


async def _stream(pieces: Sequence[Piece]) -> AsyncIterator[bytes]:
    end = next((piece for piece in pieces if isinstance(piece, End)), End())
    yield _event("message_start", message=_message(end))
    index, text_open, called = 0, False, False
    for piece in pieces:
        if text_open and not isinstance(piece, Words | Pause | Cut):
            yield _event("content_block_stop", index=index)
            index, text_open = index + 1, False
        match piece:
            case Words(text):
                if not text_open:
                    yield _event("content_block_start", index=index, content_block={"type": "text", "text": ""})
                    text_open = True
                yield _event("content_block_delta", index=index, delta={"type": "text_delta", "text": text})
            case Thinking() | Call():
                for block in _block(piece, index):
                    yield block
                index, called = index + 1, called or isinstance(piece, Call)
            case Pause(until):
                await until.wait()
            case Cut() | Trouble():
                yield _event("error", error=piece.error) if isinstance(piece, Trouble) else b""
                return
            case End():
                reason = piece.reason or ("tool_use" if called else "end_turn")
                delta = {"stop_reason": reason, "stop_sequence": None}
                yield _event("message_delta", delta=delta, usage={"output_tokens": piece.heard})
                yield _event("message_stop")


def _event(kind: str, **data: Any) -> bytes:
    return event({"type": kind, **data}, kind)


def _message(end: End) -> Mapping[str, Any]:
    usage = {
        "input_tokens": end.sent - end.cached,
        "cache_read_input_tokens": end.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "toy-1-0901",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }


def _block(piece: Thinking | Call, index: int) -> Iterator[bytes]:
    if isinstance(piece, Thinking):
        start: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
        deltas: list[dict[str, Any]] = [
            {"type": "thinking_delta", "thinking": piece.text},
            {"type": "signature_delta", "signature": piece.signature},
        ]
    else:
        arguments = json.dumps(piece.arguments)
        half = len(arguments) // 2
        start = {"type": "tool_use", "id": piece.id, "name": piece.name, "input": {}}
        deltas = [
            {"type": "input_json_delta", "partial_json": arguments[:half]},
            {"type": "input_json_delta", "partial_json": arguments[half:]},
        ]
    yield _event("content_block_start", index=index, content_block=start)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)
