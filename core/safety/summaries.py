"""A tool call in one plain line, for the person who decides about it. Pure; the words are outside data."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

MAX_SUMMARY: Final = 300
MAX_COMMAND: Final = 1_000
"""Of a command more is shown: what somebody allows should not stand behind the cut."""
NEXT_LINE: Final = " ⏎ "
_MAX_VALUE: Final = 120
_COMMANDS: Final = ("command", "cmd", "argv")
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters that are not seen, or that turn around what is."""
_NAME: Final = re.compile(r"[a-z0-9]+(?:[_-]+[a-z0-9]+)*", re.IGNORECASE | re.ASCII)


def summary(title: str, args: Mapping[str, Any]) -> str:
    """For example “Run `git push`” or “Write note: text “hello””; what is left out is counted.

    About 300 characters at most, 1,000 of a command.
    """
    what = next((key for key in _COMMANDS if _words(args.get(key))), None)
    rest = {key: value for key, value in args.items() if key != what and value not in (None, "", [], {})}
    told = ", ".join(f"{_words(key)} {_value(value)}" for key, value in rest.items())
    if what is None:
        return _cut(f"{_title(title)}: {told}" if told else _title(title), MAX_SUMMARY)
    command = f"Run `{_cut(_command(args[what]), MAX_COMMAND, '`')}"
    return f"{command} with {_cut(told, MAX_SUMMARY)}" if told else command


def _title(title: str) -> str:
    """A name as words; a sentence as it is."""
    words = _words(title) or "Use a tool"
    if _NAME.fullmatch(words):
        words = re.sub(r"[_-]+", " ", words)
    return words[:1].upper() + words[1:]


def _command(value: object) -> str:
    """In one line in which the next line, which is a command of its own, is seen to be one."""
    if not isinstance(value, str):
        return _words(value)
    lines = (_words(line) for line in value.splitlines())
    return NEXT_LINE.join(line for line in lines if line)


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        value = " ".join(str(word) for word in value)
    words = " ".join(str(value).split()) if value is not None else ""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", words)


def _value(value: object) -> str:
    if isinstance(value, str):
        return f"“{_cut(_words(value), _MAX_VALUE, '”')}"
    return _cut(_words(json.dumps(value, ensure_ascii=False, default=str)), _MAX_VALUE)


def _cut(words: str, most: int, end: str = "") -> str:
    if len(words) <= most:
        return f"{words}{end}"
    return f"{words[:most]}…{end} (and {len(words) - most:,} characters more)"
