"""Messages with their longest texts cut in the middle, until they fit: for a turn that is too long by itself.

Only words are cut, and each cut says so. Which calls and results there are, in which order, with which ids, stays; so
do thinking, which its service signs, and files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponsePart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from core.engines.models.estimating import text_tokens, tokens

LEAST: Final = 64
"""Tokens that are left of a text, whatever the room."""

_MARK: Final = "\n[… {count:,} characters left out …]\n"
_MARK_TOKENS: Final = 12

_Cut = Callable[[str], str]


def in_the_middle(text: str, room: int) -> str:
    """A text of at most so many tokens, both ends kept and the cut marked; never under `LEAST`, and never longer."""
    room = max(room, LEAST)
    if text_tokens(text) <= room:
        return text
    keep = len(text)
    while keep > 1 and _kept_tokens(text, keep) > room - _MARK_TOKENS:
        keep = min(keep - 1, keep * (room - _MARK_TOKENS) // _kept_tokens(text, keep))
    return text[: keep - keep // 2] + _MARK.format(count=len(text) - keep) + text[len(text) - keep // 2 :]


def shortened(messages: Sequence[ModelMessage], room: int) -> tuple[ModelMessage, ...]:
    """The messages in at most so many estimated tokens, as far as cutting texts gets them there.

    The longest texts are cut to one length; those that are shorter stay as they are. Messages without a cut are the
    same objects as before.
    """
    over = tokens(messages) - room
    if over <= 0:
        return tuple(messages)
    level = _level(_sizes(messages), over)
    return tuple(_with(message, lambda text: in_the_middle(text, level)) for message in messages)


def _kept_tokens(text: str, keep: int) -> int:
    return text_tokens(text[: keep - keep // 2]) + text_tokens(text[len(text) - keep // 2 :])


def _sizes(messages: Sequence[ModelMessage]) -> list[int]:
    sizes: list[int] = []

    def measure(text: str) -> str:
        sizes.append(text_tokens(text))
        return text

    for message in messages:
        _with(message, measure)
    return sizes


def _level(sizes: Sequence[int], over: int) -> int:
    """The length that the longest texts are cut to, so that all together become shorter by `over`."""
    longest = sorted(sizes, reverse=True)
    for count in range(1, len(longest) + 1):
        following = longest[count] if count < len(longest) else 0
        saved = sum(longest[:count]) - following * count
        if saved >= over:
            return following + (saved - over) // count
    return LEAST


# ---- every text of a message ---------------------------------------------------------------------------------------


def _with(message: ModelMessage, cut: _Cut) -> ModelMessage:
    if isinstance(message, ModelRequest):
        asked = [_request_part(part, cut) for part in message.parts]
        return message if _same(asked, message.parts) else replace(message, parts=asked)
    answered = [_response_part(part, cut) for part in message.parts]
    return message if _same(answered, message.parts) else replace(message, parts=answered)


def _request_part(part: ModelRequestPart, cut: _Cut) -> ModelRequestPart:
    match part:
        case UserPromptPart(content=str() as text):
            shorter = cut(text)
            return part if shorter == text else replace(part, content=shorter)
        case UserPromptPart(content=content):
            items = [_content(item, cut) for item in content]
            return part if _same(items, content) else replace(part, content=items)
        case ToolReturnPart() if not part.files and part.tool_kind is None:
            result = part.model_response_str(wrap_if_error=False)
            shorter = cut(result)
            return part if shorter == result else _result(part, shorter)
        case _:
            return part


def _result(part: ToolReturnPart[Any], text: str) -> ToolReturnPart[Any]:
    return replace(part, content=text)


def _response_part(part: ModelResponsePart, cut: _Cut) -> ModelResponsePart:
    match part:
        case TextPart(content=text):
            shorter = cut(text)
            return part if shorter == text else replace(part, content=shorter)
        case ToolCallPart():
            before = part.args_as_dict()
            after = _arguments(before, cut)
            return part if after == before else replace(part, args=after)
        case _:
            return part


def _content(item: UserContent, cut: _Cut) -> UserContent:
    match item:
        case str():
            return cut(item)
        case TextContent(content=text):
            shorter = cut(text)
            return item if shorter == text else TextContent(shorter)
        case _:
            return item


def _arguments(value: Any, cut: _Cut) -> Any:  # noqa: ANN401 - JSON in, and the same kind of JSON out
    match value:
        case str():
            return cut(value)
        case Mapping():
            return {key: _arguments(item, cut) for key, item in value.items()}
        case list():
            return [_arguments(item, cut) for item in value]
    return value


def _same(after: Sequence[object], before: Sequence[object]) -> bool:
    return all(new is old for new, old in zip(after, before, strict=True))
