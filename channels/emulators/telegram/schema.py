"""A second opinion: the published description of the Bot API, held against everything that goes over the wire.

Belongs here: reading that description (the `api.json` that PaulSonOfLars/telegram-bot-api-spec derives from Telegram's
documentation) and checking values by it. It catches unknown names, wrong types, missing fields and most lengths; what
it cannot know is in `limits`.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from channels.emulators.telegram.text import units

FILE_NAME = "telegram_api.json"
"""What the description is called in a folder of platform descriptions."""

_ARRAY = "Array of "
_UPLOADED = "<file>"
_SCALARS: dict[str, tuple[type, ...]] = {
    "String": (str,),
    "Integer": (int,),
    "Float": (int, float),
    "Boolean": (bool,),
    "True": (bool,),
}
_RANGE = re.compile(r"(\d+)-(\d+) (characters|bytes|items)")
_AT_MOST = re.compile(r"[Aa]t most (\d+) (commands|items)")
_DISCRIMINATOR = re.compile(r"(?:must be|always) [“\"]?(\w+)")


class SchemaCheck:
    """What is wrong with a value, by the description at `path`; an empty list is right.

    Raises:
        OSError: no file there.
    """

    def __init__(self, path: Path) -> None:
        described = json.loads(path.read_text(encoding="utf-8"))
        self._methods: dict[str, dict[str, Any]] = {name.lower(): m for name, m in described["methods"].items()}
        self._types: dict[str, dict[str, Any]] = described["types"]

    def parameters(self) -> dict[str, set[str]]:
        """What each method takes, by the method's name."""
        return {m["name"]: {field["name"] for field in m.get("fields", [])} for m in self._methods.values()}

    def request(self, method: str, values: Mapping[str, Any]) -> list[str]:
        """A call with its values read; an uploaded file stands as `<file>`."""
        described = self._methods.get(method.lower())
        if described is None:
            return [f"{method}: no such method"]
        return self._fields(values, described.get("fields", []), method)

    def answer(self, method: str, result: object) -> list[str]:
        """The result of a call."""
        return self._value(result, self._methods[method.lower()]["returns"], f"answer to {method}")

    def update(self, update: Mapping[str, Any]) -> list[str]:
        """An `Update`."""
        return self._object(update, "Update", "update")

    def _fields(self, values: Mapping[str, Any], fields: list[dict[str, Any]], path: str) -> list[str]:
        known = {field["name"]: field for field in fields}
        found = [f"{path}.{name}: no such field" for name in values if name not in known]
        for name, field in known.items():
            if name in values:
                found += self._value(values[name], field["types"], f"{path}.{name}")
                found += _length(values[name], field["description"], f"{path}.{name}")
            elif field["required"]:
                found.append(f"{path}.{name}: is missing")
        return found

    def _value(self, value: object, types: list[str], path: str) -> list[str]:
        """Right if it is of any of the types; else what is wrong by the type that fits best."""
        tries = [self._typed(value, kind, path) for kind in types]
        return min(tries, key=len)

    def _typed(self, value: object, kind: str, path: str) -> list[str]:
        if kind.startswith(_ARRAY):
            if not isinstance(value, list):
                return [f"{path}: is no array"]
            inner = [kind.removeprefix(_ARRAY)]
            return [wrong for place, item in enumerate(value) for wrong in self._value(item, inner, f"{path}[{place}]")]
        if kind == "InputFile":
            return [] if value == _UPLOADED else [f"{path}: is no file"]
        if kind in _SCALARS:
            right = isinstance(value, _SCALARS[kind]) and (kind in ("Boolean", "True") or not isinstance(value, bool))
            return [] if right else [f"{path}: is no {kind}"]
        return self._object(value, kind, path)

    def _object(self, value: object, kind: str, path: str) -> list[str]:
        if not isinstance(value, Mapping):
            return [f"{path}: is no {kind}"]
        described = self._types[kind]
        subtypes: list[str] = described.get("subtypes", [])
        if not subtypes:
            return self._fields(value, described.get("fields", []), path)
        named = [subtype for subtype in subtypes if self._is_named(value, subtype)]
        return min((self._object(value, subtype, path) for subtype in named or subtypes), key=len)

    def _is_named(self, value: Mapping[str, Any], subtype: str) -> bool:
        """Whether the value says itself that it is of this subtype, as `{"type": "emoji"}` does."""
        for field in self._types[subtype].get("fields", []):
            if field["name"] in ("type", "status", "source"):
                match = _DISCRIMINATOR.search(field["description"])
                return match is not None and value.get(field["name"]) == match[1]
        return False


def _length(value: object, description: str, path: str) -> list[str]:
    match = _RANGE.search(description) or _AT_MOST.search(description)
    if match is None or "after entities parsing" in description:
        return []
    bounds = [int(number) for number in match.groups()[:-1]]
    least, most, unit = (bounds[0] if len(bounds) > 1 else 0), bounds[-1], match.groups()[-1]
    if isinstance(value, str) and unit in ("characters", "bytes"):
        size = units(value) if unit == "characters" else len(value.encode())
    elif isinstance(value, list) and unit in ("items", "commands"):
        size = len(value)
    else:
        return []
    return [] if least <= size <= most else [f"{path}: {size} {unit}, {least}-{most} allowed"]
