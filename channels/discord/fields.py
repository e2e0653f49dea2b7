"""Checked reading of Discord's raw JSON: a field has the type that Discord documents, or it is a `ValueError`.

What the fields mean is said in `parse` and `content`. Fields that nobody asks for are never looked at.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]

_EPOCH_MS = 1_420_070_400_000
"""When Discord's ids begin to count [discord.com/developers/docs/reference, snowflakes]."""


def text(source: Json, name: str) -> str | None:
    """The text in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"{name} is not a text")


def need_text(source: Json, name: str) -> str:
    """The text in a field that Discord always sends."""
    value = source.get(name)
    if isinstance(value, str):
        return value
    raise ValueError(f"{name} is not a text")


def need_id(source: Json, name: str = "id") -> str:
    """An id: digits in a text."""
    value = source.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        return value
    raise ValueError(f"{name} is not an id")


def number(source: Json, name: str) -> int | None:
    """The whole number in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{name} is not a whole number")


def thing(source: Json, name: str) -> Json | None:
    """The object in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or isinstance(value, dict):
        return value
    raise ValueError(f"{name} is not an object")


def need_thing(source: Json, name: str) -> Json:
    """The object in a field that Discord always sends."""
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


def texts(source: Json, name: str) -> tuple[str, ...]:
    """The texts in a list; empty when the field is not there."""
    value = source.get(name)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError(f"{name} is not a list of texts")


def time(source: Json, name: str) -> datetime | None:
    """A time in ISO 8601, in UTC; None when the field is not there."""
    value = text(source, name)
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{name} is not a time") from error


def time_of_id(snowflake: str) -> datetime:
    """When an id was given out."""
    try:
        return datetime.fromtimestamp(((int(snowflake) >> 22) + _EPOCH_MS) / 1000, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise ValueError("an id lies outside of time") from error


def id_at(at: datetime) -> int:
    """The least id that can be given out at a time."""
    return max(0, int(at.timestamp() * 1000) - _EPOCH_MS) << 22
