"""OpenAI's responses as a stream: platform.openai.com/docs/api-reference/responses-streaming."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import count
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

Item = dict[str, Any]


def server(*replies: Reply) -> AbstractAsyncContextManager[WireServer]:
    """A server that speaks it."""
    return WireServer(_stream, *replies).serving("/v1/responses")


async def _stream(pieces: Sequence[Piece]) -> AsyncIterator[bytes]:
    said = _Saying()
    yield said.event("response.created", response=_response("in_progress"))
    for piece in pieces:
        match piece:
            case Pause(until):
                await until.wait()
            case Cut():
                return
            case Trouble(error):
                yield said.event("error", **error)
                return
            case _:
                for told in said.piece(piece):
                    yield told


class _Saying:
    """Numbers what it says, and keeps the items of the answer."""

    def __init__(self) -> None:
        self._number = count()
        self._items: list[Item] = []
        self._open: Item | None = None

    def event(self, kind: str, **data: Any) -> bytes:
        return event({"type": kind, "sequence_number": next(self._number), **data}, kind)

    def piece(self, piece: Words | Thinking | Call | End) -> Iterator[bytes]:
        if isinstance(piece, Words):
            yield from self.words(piece.text)
            return
        yield from self.message_ends()
        match piece:
            case Thinking():
                yield from self.thought(piece)
            case Call():
                yield from self.call(piece)
            case End():
                yield self.end(piece)

    def words(self, text: str) -> Iterator[bytes]:
        if self._open is None:
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            self._open = {"id": f"msg_{len(self._items)}", "type": "message", "role": "assistant", "content": [part]}
            yield self._added({**self._open, "content": [], "status": "in_progress"})
        self._open["content"][0]["text"] += text
        yield self.event("response.output_text.delta", **self._place(self._open), delta=text, logprobs=[])

    def message_ends(self) -> Iterator[bytes]:
        if self._open is not None:
            text = self._open["content"][0]["text"]
            yield self.event("response.output_text.done", **self._place(self._open), text=text, logprobs=[])
            yield self._done({**self._open, "status": "completed"})
            self._open = None

    def thought(self, thinking: Thinking) -> Iterator[bytes]:
        item: Item = {"id": f"rs_{len(self._items)}", "type": "reasoning", "summary": []}
        yield self._added(item)
        place = {"item_id": item["id"], "output_index": len(self._items), "summary_index": 0}
        part = {"type": "summary_text", "text": ""}
        yield self.event("response.reasoning_summary_part.added", **place, part=part)
        yield self.event("response.reasoning_summary_text.delta", **place, delta=thinking.text)
        summary = [{"type": "summary_text", "text": thinking.text}]
        yield self._done({**item, "summary": summary, "encrypted_content": thinking.signature})

    def call(self, call: Call) -> Iterator[bytes]:
        arguments = json.dumps(call.arguments)
        item: Item = {"id": f"fc_{len(self._items)}", "type": "function_call", "call_id": call.id, "name": call.name}
        yield self._added({**item, "arguments": "", "status": "in_progress"})
        place, half = {"item_id": item["id"], "output_index": len(self._items)}, len(arguments) // 2
        for delta in (arguments[:half], arguments[half:]):
            yield self.event("response.function_call_arguments.delta", **place, delta=delta)
        yield self.event("response.function_call_arguments.done", **place, name=call.name, arguments=arguments)
        yield self._done({**item, "arguments": arguments, "status": "completed"})

    def end(self, end: End) -> bytes:
        usage = {
            "input_tokens": end.sent,
            "input_tokens_details": {"cached_tokens": end.cached},
            "output_tokens": end.heard,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": end.sent + end.heard,
        }
        status = "incomplete" if end.reason else "completed"
        why = {"incomplete_details": {"reason": end.reason}} if end.reason else {}
        response = {**_response(status), "output": self._items, "usage": usage, **why}
        return self.event(f"response.{status}", response=response)

    def _place(self, message: Item) -> dict[str, Any]:
        return {"item_id": message["id"], "output_index": len(self._items), "content_index": 0}

    def _added(self, item: Item) -> bytes:
        return self.event("response.output_item.added", output_index=len(self._items), item=item)

    def _done(self, item: Item) -> bytes:
        self._items.append(item)
        return self.event("response.output_item.done", output_index=len(self._items) - 1, item=item)


def _response(status: str) -> Mapping[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "toy-1-0901",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": status,
    }
