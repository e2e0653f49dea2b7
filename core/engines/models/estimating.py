"""How many tokens a history takes, by rules of thumb: no model's tokenizer is asked, which would be a library for each.

Four ASCII characters are a token, one of any other script is, a picture or another file is 1,600. What a service counts
in the end corrects it (`corrected`), upward only: a history that is smaller than thought does no harm.
"""

from collections.abc import Iterable
from typing import Final

from pydantic_ai.messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    FilePart,
    ModelMessage,
    ModelRequestPart,
    ModelResponsePart,
    TextContent,
    UserContent,
    UserPromptPart,
)

ASCII_PER_TOKEN: Final = 4

FILE: Final = 1_600
"""Tokens of a picture: https://docs.anthropic.com/en/docs/build-with-claude/vision has 1,590 for the largest."""

PART: Final = 4
"""Tokens around each part: who speaks, where it ends."""

HIGHEST_SCALE: Final = 4.0
"""A count beyond it says that something else was counted, and folding by it would forget a chat for nothing."""


def text_tokens(text: str) -> int:
    """Of words alone, rounded up."""
    of_ascii = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -(-of_ascii // ASCII_PER_TOKEN) + len(text) - of_ascii


def tokens(messages: Iterable[ModelMessage]) -> int:
    """Of messages with their tool calls, results and files."""
    return sum(PART + _of_part(part) for message in messages for part in message.parts)


def corrected(scale: float, estimated: int, counted: int) -> float:
    """The factor from estimated to real tokens after a request that was `estimated` and that the service `counted`.

    Never under 1 or over 4. A request that the service did not count changes nothing.
    """
    if estimated <= 0 or counted <= 0:
        return scale
    return min(max(1.0, counted / estimated), HIGHEST_SCALE)


def _of_part(part: ModelRequestPart | ModelResponsePart) -> int:
    match part:
        case UserPromptPart(content=str() as text):
            return text_tokens(text)
        case UserPromptPart(content=content):
            return sum(_of_content(item) for item in content)
        case BaseToolCallPart():
            return text_tokens(part.tool_name) + text_tokens(part.args_as_json_str())
        case BaseToolReturnPart():
            return text_tokens(part.tool_name) + text_tokens(part.model_response_str()) + FILE * len(part.files)
        case FilePart():
            return FILE
        case _:
            words = getattr(part, "content", None)
            return text_tokens(words) if isinstance(words, str) else 0


def _of_content(item: UserContent) -> int:
    match item:
        case str():
            return text_tokens(item)
        case TextContent():
            return text_tokens(item.content)
        case _:
            return FILE
