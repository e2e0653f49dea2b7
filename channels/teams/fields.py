"""Checked reading of Teams' raw JSON: a field has the type that Microsoft documents, or it is a `ValueError`.

What the fields mean is said in `parse` and `forms`. Fields that nobody asks for are never looked at.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]


def text(source: Json, name: str) -> str | None:
    """The text in a field; None when the field is not there or empty."""
    value = source.get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise ValueError(f"{name} is not a text")


def need_text(source: Json, name: str) -> str:
    """The text in a field that Teams always sends with something in it."""
    value = source.get(name)
    if isinstance(value, str) and value:
        return value
    raise ValueError(f"{name} is not a text")


def thing(source: Json, name: str) -> Json | None:
    """The object in a field; None when the field is not there."""
    value = source.get(name)
    if value is None or isinstance(value, Mapping):
        return value
    raise ValueError(f"{name} is not an object")


def need_thing(source: Json, name: str) -> Json:
    """The object in a field that Teams always sends."""
    value = source.get(name)
    if isinstance(value, Mapping):
        return value
    raise ValueError(f"{name} is not an object")


def things(source: Json, name: str) -> Sequence[Json]:
    """The objects in a list; empty when the field is not there."""
    value = source.get(name)
    if value is None:
        return ()
    if isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value):
        return value
    raise ValueError(f"{name} is not a list of objects")


def time(source: Json, name: str) -> datetime:
    """A moment in ISO 8601, in UTC."""
    try:
        at = datetime.fromisoformat(need_text(source, name))
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{name} is not a time") from error
