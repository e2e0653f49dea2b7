"""A second opinion: Discord's published OpenAPI description, held against everything that goes over REST.

Belongs here: reading that description and checking values by it. It catches unknown routes, wrong types, missing fields
and many lengths; what it cannot know is in `limits`, `forms`, `components` and `menus`.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it brings no types

FILE_NAME = "discord_openapi.json"
"""What the description is called in a folder of platform descriptions."""

_MOST = 3
"""Mistakes told of one value; a union that does not fit names one for each of its members."""


class SchemaCheck:
    """What is wrong with a value, by the description at `path`; an empty list is right.

    Raises:
        OSError: no file there.
    """

    def __init__(self, path: Path) -> None:
        self._described: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        schemas = self._described["components"]["schemas"]
        # The SDK numbers files as 0, 1 …, and Discord takes that.
        schemas["SnowflakeType"] = {"anyOf": [schemas["SnowflakeType"], {"type": "integer", "minimum": 0}]}
        # The answer to "thinking …" carries its message too.
        schemas["CreateMessageInteractionCallbackResponse"]["properties"]["type"] = {"enum": [4, 5]}
        self._operations = {
            f"{method.upper()} {_unnamed(template)}": operation
            for template, item in self._described["paths"].items()
            for method, operation in item.items()
            if method != "parameters"
        }
        self._validator = cache(self._made)

    def knows(self, route: str) -> bool:
        """Whether there is such a route, whatever the parts of its address are called."""
        return _unnamed(route) in self._operations

    def request(self, route: str, body: object) -> list[str]:
        """A call with its body read."""
        operation = self._operations.get(_unnamed(route))
        if operation is None:
            return [f"{route}: no such route"]
        described = operation.get("requestBody")
        if described is None:
            return [f"{route}: takes no body"] if body else []
        if body is None:
            return [f"{route}: wants a body"] if described.get("required") else []
        return self._wrong(described["content"]["application/json"]["schema"], body, route)

    def answer(self, route: str, status: int, body: object) -> list[str]:
        """What it was answered."""
        operation = self._operations.get(_unnamed(route), {})
        described = operation.get("responses", {}).get(str(status))
        if described is None:
            return [f"{route}: no answer with {status}"]
        schema = described.get("content", {}).get("application/json", {}).get("schema")
        return [] if schema is None else self._wrong(schema, body, f"answer to {route}")

    def _wrong(self, schema: dict[str, Any], value: object, where: str) -> list[str]:
        validator = self._validator(json.dumps(schema, sort_keys=True))
        found = list(validator.iter_errors(value))[:_MOST]
        return [f"{where}: {'/'.join(map(str, e.absolute_path))}: {_words(e)}" for e in found]

    def _made(self, schema: str) -> Any:  # noqa: ANN401 - jsonschema brings no types
        described = {"allOf": [json.loads(schema)], "components": self._described["components"]}
        return Draft202012Validator(described)


def _words(error: Any) -> str:  # noqa: ANN401 - jsonschema types its errors in a private module
    """What is wrong; of a union what is wrong by the member that fits best."""
    deepest = error
    while deepest.context:
        deepest = max(deepest.context, key=lambda inner: len(inner.absolute_path))
    path = "/".join(map(str, deepest.absolute_path))
    return f"{path}: {deepest.message[:200]}"


def _unnamed(route: str) -> str:
    return re.sub(r"\{\w+\}", "{}", route)
