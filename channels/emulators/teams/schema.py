"""A second opinion: the Connector's published description and the schema of Adaptive Cards 1.5, held against the wire.

Belongs here: reading those and checking values by them. They are used in tests only; what Teams refuses at run time is
in `contents`, `card_checks` and `streams`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator, validators  # type: ignore[import-untyped] # it brings no types

CONNECTOR_FILE = "bot_connector_swagger.json"
CARD_FILE = "adaptive-card-1.5.0.json"

ANYTHING = (("Activity", "value"), ("Activity", "channelData"), ("Attachment", "content"))
"""Described as objects, and in truth any JSON."""

UNDESCRIBED = frozenset({"member", "team", "attachment_view", "paged_members"})
"""Calls that Teams knows and the description does not, or that have no body."""

_CARD = "application/vnd.microsoft.card.adaptive"
_MOST = 3

Json = Mapping[str, Any]


class SchemaCheck:
    """What is wrong with a value, by the descriptions in a folder; an empty list is right.

    Raises:
        OSError: no files there.
    """

    def __init__(self, folder: Path) -> None:
        described = json.loads((folder / CONNECTOR_FILE).read_text(encoding="utf-8"))
        self._definitions: dict[str, Any] = described["definitions"]
        for definition, name in ANYTHING:
            self._definitions[definition]["properties"][name] = {}
        self._bodies = dict(_bodies(described["paths"]))
        card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
        self._card = validators.validator_for(card)(card)

    def request(self, method: str, path: str, body: object) -> list[str]:
        """A call of the bot's by its name; `path` is for the words."""
        if method in UNDESCRIBED:
            return []
        verb, template = _NAMES[method]
        if (verb, template) not in self._bodies:
            return [f"{path}: no such call"]
        schema = self._bodies[verb, template]
        found = self._wrong(schema, body, method) if schema is not None else []
        return found + (self._cards(body) if isinstance(body, Mapping) else [])

    def activity(self, activity: Json) -> list[str]:
        """What a bot is posted."""
        return self._wrong({"$ref": "#/definitions/Activity"}, activity, f"{activity.get('type')} to the bot")

    def card(self, card: Json) -> list[str]:
        """An Adaptive Card."""
        return [f"card: {_words(error)}" for error in list(self._card.iter_errors(card))[:_MOST]]

    def _cards(self, activity: Json) -> list[str]:
        attachments = activity.get("attachments") or ()
        cards = [a["content"] for a in attachments if a.get("contentType") == _CARD]
        return [words for card in cards for words in self.card(card)]

    def _wrong(self, schema: Json, value: object, where: str) -> list[str]:
        validator = Draft4Validator({**schema, "definitions": self._definitions})
        return [f"{where}: {_words(error)}" for error in list(validator.iter_errors(value))[:_MOST]]


_CONVERSATIONS = "/v3/conversations"
_NAMES: Mapping[str, tuple[str, str]] = {
    "create": ("post", _CONVERSATIONS),
    "send": ("post", f"{_CONVERSATIONS}/{{}}/activities"),
    "reply": ("post", f"{_CONVERSATIONS}/{{}}/activities/{{}}"),
    "update": ("put", f"{_CONVERSATIONS}/{{}}/activities/{{}}"),
    "delete": ("delete", f"{_CONVERSATIONS}/{{}}/activities/{{}}"),
    "members": ("get", f"{_CONVERSATIONS}/{{}}/members"),
    "attachment": ("get", "/v3/attachments/{}"),
}


def _bodies(paths: Json) -> Iterator[tuple[tuple[str, str], Json | None]]:
    """The schema of each call's body, by verb and path."""
    for path, item in paths.items():
        for verb, operation in item.items():
            inside = [each["schema"] for each in operation.get("parameters", ()) if each.get("in") == "body"]
            yield (verb, re.sub(r"\{\w+\}", "{}", path)), inside[0] if inside else None


def _words(error: Any) -> str:  # noqa: ANN401 jsonschema types its errors in a private module
    """What is wrong; of a union, what is wrong by the member that has the value's own type."""
    leaf = max(_leaves(error), key=lambda each: ("type" not in list(each.absolute_path)[-1:], len(each.absolute_path)))
    return f"{'/'.join(map(str, leaf.absolute_path))}: {leaf.message[:200]}"


def _leaves(error: Any) -> Iterator[Any]:  # noqa: ANN401 see above
    for inner in error.context or ():
        yield from _leaves(inner)
    if not error.context:
        yield error
