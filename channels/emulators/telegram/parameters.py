"""What a method takes: names and kinds of parameters, and reading them from a form, a query or JSON.

Belongs here: the wire's side of a call. What the values mean belongs to the methods. Telegram itself ignores names it
does not know and turns what it cannot read into nothing; strictly, both are refused here, so that a slip shows.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from channels.emulators.telegram.errors import bad_request, strict


class Kind(StrEnum):
    """What a parameter holds once it is read."""

    TEXT = "String"
    INTEGER = "Integer"
    FLAG = "Boolean"
    OBJECT = "Object"
    LIST = "Array"
    CHAT = "Integer or String"
    FILE = "InputFile or String"
    NOT_PLAYED = "nothing that is played here"


TEXT, INTEGER, FLAG, OBJECT, LIST, CHAT, FILE, NOT_PLAYED = Kind

Parameters = Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with the call."""

    name: str
    data: bytes


_INTEGER = re.compile(r"-?\d{1,18}")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")
_WORDS = {
    "reply_markup": "reply keyboard markup",
    "reply_parameters": "reply parameters",
    "link_preview_options": "link preview options",
    "scope": "BotCommandScope",
}


def read(
    method: str, parameters: Parameters, given: Mapping[str, Any], uploads: Mapping[str, Upload], *, is_strict: bool
) -> dict[str, Any]:
    """The values of a call by name; what was left out or empty is not there.

    Raises:
        ApiError: 400 for what cannot be read, and strictly for a name that the method does not have.
    """
    values: dict[str, Any] = {}
    for name, raw in given.items():
        kind = parameters.get(name, NOT_PLAYED)
        if kind is NOT_PLAYED:
            if is_strict:
                raise _unknown(method, parameters, name)
        elif raw not in ("", None):
            values[name] = _value(name, kind, raw, is_strict=is_strict)
    for name, upload in uploads.items():
        if parameters.get(name) is FILE:
            values[name] = upload
    return values


def _unknown(method: str, parameters: Parameters, name: str) -> Exception:
    if name in parameters:
        return strict(f"the pretend Telegram plays no {name} in {method}")
    return strict(f"{method} has no parameter {name}")


def _value(name: str, kind: Kind, raw: object, *, is_strict: bool) -> object:
    if kind is TEXT or kind is FILE:
        return _text(name, raw, is_strict=is_strict)
    if kind is CHAT:
        return _chat(name, raw)
    if kind is INTEGER:
        return _integer(name, raw, is_strict=is_strict)
    if kind is FLAG:
        return _flag(name, raw, is_strict=is_strict)
    return _json(name, kind, raw)


def _text(name: str, raw: object, *, is_strict: bool) -> str:
    if not isinstance(raw, str):
        if is_strict:
            raise strict(f"{name} is a String, not {json.dumps(raw)}")
        return json.dumps(raw)
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise bad_request("strings must be encoded in UTF-8") from None
    return raw


def _chat(name: str, raw: object) -> int | str:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise strict(f"{name} is an Integer or a String")
    text = str(raw).strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    return text


def _integer(name: str, raw: object, *, is_strict: bool) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and _INTEGER.fullmatch(raw.strip()):
        return int(raw)
    if is_strict:
        raise strict(f"{name} is an Integer, not {json.dumps(raw)}")
    return 0


def _flag(name: str, raw: object, *, is_strict: bool) -> bool:
    text = str(raw).strip().lower()
    if is_strict and text not in (*_TRUE, *_FALSE):
        raise strict(f"{name} is a Boolean, not {json.dumps(raw)}")
    return text in _TRUE


def _json(name: str, kind: Kind, raw: object) -> object:
    words = _WORDS.get(name, name)
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        raise bad_request(f"can't parse {words} JSON object") from None
    if kind is OBJECT and not isinstance(value, dict):
        raise bad_request(f"object expected as {words.replace('keyboard ', '')}")
    if kind is LIST and not isinstance(value, list):
        raise bad_request(f"expected an Array as {words}")
    return value
