"""Messages of a model's history for tests: what was said, called and brought back."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)


def asked(words: str | Sequence[UserContent]) -> ModelRequest:
    """The person said this."""
    return ModelRequest(parts=[UserPromptPart(content=words)])


def answered(words: str) -> ModelResponse:
    """The model said this."""
    return ModelResponse(parts=[TextPart(content=words)])


def called(**calls: dict[str, Any]) -> ModelResponse:
    """The model called tools; the id of a call is its name."""
    return ModelResponse(parts=[ToolCallPart(name, args, tool_call_id=name) for name, args in calls.items()])


def brought(**results: str) -> ModelRequest:
    """What the tools brought."""
    return ModelRequest(parts=[ToolReturnPart(name, result, tool_call_id=name) for name, result in results.items()])


def exchange(question: str = "And then?", answer: str = "Then nothing.") -> tuple[ModelMessage, ...]:
    """A turn without tools."""
    return asked(question), answered(answer)
