"""Checked reading of the Bot API's raw JSON: a field has the type that Telegram documents, or it is a `ValueError`.

What the fields mean is said in `parse`, `content` and `mentions`. Fields that nobody asks for are never looked at.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]


def text(source: Json, name: str) -> str | None:
    """The text in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"{name} is not a text")


def need_text(source: Json, name: str) -> str:
    """The text in a field that Telegram always sends."""
    value = source.get(name)
    if isinstance(value, str):
        return value
    raise ValueError(f"{name} is not a text")


def number(source: Json, name: str) -> int | None:
    """The whole number in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{name} is not a whole number")


def need_number(source: Json, name: str) -> int:
    """The whole number in a field that Telegram always sends."""
    value = source.get(name)
    if type(value) is int:
        return value
    raise ValueError(f"{name} is not a whole number")


def degrees(source: Json, name: str) -> float:
    """A place's latitude or longitude."""
    value = source.get(name)
    if isinstance(value, int | float) and abs(value) <= 360:
        return float(value)
    raise ValueError(f"{name} is not a latitude or longitude")


def thing(source: Json, name: str) -> Json | None:
    """The object in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or isinstance(value, dict):
        return value
    raise ValueError(f"{name} is not an object")


def need_thing(source: Json, name: str) -> Json:
    """The object in a field that Telegram always sends."""
    value = source.get(name)
    if isinstance(value, dict):
        return value
    raise ValueError(f"{name} is not an object")


def things(source: Json, name: str) -> Sequence[Json]:
    """The objects in a list; empty when the field is not there."""
    value = source.get(name)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise ValueError(f"{name} is not a list of objects")


def need_time(source: Json, name: str) -> datetime:
    """A Unix time, in UTC."""
    seconds = need_number(source, name)
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise ValueError(f"{name} is not a time") from error
