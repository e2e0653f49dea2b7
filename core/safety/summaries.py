"""A tool call in one plain line, for the person who decides about it. Pure; the words are outside data."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

MAX_SUMMARY: Final = 300
_MAX_VALUE: Final = 120
_COMMANDS: Final = ("command", "cmd", "argv")
_NAME: Final = re.compile(r"[a-z0-9]+(?:[_-]+[a-z0-9]+)*", re.IGNORECASE | re.ASCII)


def summary(title: str, args: Mapping[str, Any]) -> str:
    """For example “Run `git push`” or “Write note: text “hello””; at most 300 characters."""
    for key in _COMMANDS:
        if words := _words(args.get(key)):
            return _cut(f"Run `{words}`", MAX_SUMMARY, "…`")
    told = ", ".join(f"{_words(key)} {_value(value)}" for key, value in args.items() if value not in (None, "", [], {}))
    return _cut(f"{_title(title)}: {told}" if told else _title(title), MAX_SUMMARY)


def _title(title: str) -> str:
    """A name as words; a sentence as it is."""
    words = _words(title) or "Use a tool"
    if _NAME.fullmatch(words):
        words = re.sub(r"[_-]+", " ", words)
    return words[:1].upper() + words[1:]


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        value = " ".join(str(word) for word in value)
    return " ".join(str(value).split()) if value is not None else ""


def _value(value: object) -> str:
    if isinstance(value, str):
        return f"“{_cut(_words(value), _MAX_VALUE)}”"
    return _cut(_words(json.dumps(value, ensure_ascii=False, default=str)), _MAX_VALUE)


def _cut(words: str, most: int, mark: str = "…") -> str:
    return words if len(words) <= most else words[: most - len(mark)] + mark
