"""What a model says while it streams, as the engine's events, and its whole answer as it is remembered. Pure."""

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import (
    INVALID_JSON_KEY,
    FilePart,
    FinishReason,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)
from pydantic_ai.usage import RequestUsage

from core.engines.base import Ended, EndReason, EngineEvent, FileMade, Text, Thought
from core.engines.models.transcript import whole

BROKEN_OFF: Final = "{engine} broke off its answer. Send it again in a moment."

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
"""Of tools: https://platform.openai.com/docs/api-reference/chat/create, `tools.function.name`."""

_ENDINGS: Final[dict[FinishReason, EndReason]] = {
    "length": EndReason.LENGTH,
    "content_filter": EndReason.REFUSED,
    "error": EndReason.UNAVAILABLE,
}


def heard(event: ModelResponseStreamEvent) -> EngineEvent | None:
    """What a person may see of it. Tool calls are told once they are whole and run."""
    match event:
        case PartStartEvent(part=TextPart(content=str() as words)) if words:
            return Text(words)
        case PartDeltaEvent(delta=TextPartDelta(content_delta=words)) if words:
            return Text(words)
        case PartStartEvent(part=ThinkingPart(content=words)) if words:
            return Thought(words)
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str() as words)) if words:
            return Thought(words)
        case PartStartEvent(part=FilePart(content=made)):
            return FileMade(_name_of(made.media_type), made.media_type, made.data)
    return None


def remembered(response: ModelResponse, model: str, *, complete: bool) -> ModelResponse:
    """An answer without what is not for keeping: files, addresses, counts, and calls that were not said to the end."""
    return replace(
        response,
        parts=[kept for part in response.parts if (kept := _kept(part, complete)) is not None],
        model_id=model,
        usage=RequestUsage(),
        provider_url=None,
        provider_details=None,
        state="complete",
    )


def ended_by(response: ModelResponse, engine: str) -> Ended | None:
    """How the turn ends because the model stopped so; None where it only finished what it had to say."""
    reason = _ENDINGS.get(response.finish_reason) if response.finish_reason else None
    if reason is None:
        return None
    return Ended(reason, BROKEN_OFF.format(engine=engine) if reason is EndReason.UNAVAILABLE else None)


def arguments_of(call: ToolCallPart) -> Mapping[str, Any] | None:
    """What a tool is called with; None where it is no JSON object."""
    try:
        arguments = call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None
    return None if INVALID_JSON_KEY in arguments else arguments


def words_in(response: ModelResponse) -> str:
    """What it said, thinking and calls included: for counting where nobody else does."""
    return "".join(
        part.args_as_json_str() if isinstance(part, ToolCallPart) else str(getattr(part, "content", ""))
        for part in response.parts
        if isinstance(part, TextPart | ThinkingPart | ToolCallPart)
    )


def is_whole(response: ModelResponse) -> bool:
    """Whether the service said that this is the end of it. Not every library adapter notices a stream that was cut."""
    return response.finish_reason is not None or "finish_reason" in (response.provider_details or {})


def is_mute(response: ModelResponse) -> bool:
    """It came to its end with nothing for the person and nothing to do: at most thinking."""
    return response.finish_reason not in _ENDINGS and not any(_says_something(part) for part in response.parts)


def _says_something(part: ModelResponsePart) -> bool:
    return isinstance(part, ToolCallPart | FilePart) or (isinstance(part, TextPart) and bool(part.content.strip()))


def _kept(part: ModelResponsePart, complete: bool) -> ModelResponsePart | None:
    match part:
        case TextPart():
            return replace(part, content=whole(part.content)) if part.content else None
        case ThinkingPart():
            return replace(part, content=whole(part.content))
        case ToolCallPart():
            return _call(part) if complete else None
        case FilePart():
            return TextPart(f"[you made a file here: {_name_of(part.content.media_type)}]")
    return None


def _call(part: ToolCallPart) -> ToolCallPart:
    """A call that every service takes back: one that is malformed would be refused with each request that follows."""
    args = whole(part.args) if isinstance(part.args, str) else part.args
    call = replace(part, tool_name=_NOT_IN_NAMES.sub("_", part.tool_name)[:64] or "_", args=args)
    return call if arguments_of(call) is not None else replace(call, args=call.args_as_dict())


def _name_of(mime: str) -> str:
    kind = "picture" if mime.startswith("image/") else "file"
    return kind + (mimetypes.guess_extension(mime) or "")
