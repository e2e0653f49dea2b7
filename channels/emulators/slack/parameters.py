"""Reading what a call carries: a query, a form or JSON, with each value of the kind that the method wants.

Belongs here: from a request to values. What they mean belongs to the methods.
"""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from channels.emulators.slack.errors import ApiError, invalid_arguments
from channels.emulators.slack.methods.call import FLAG, JSON, NOT_PLAYED, NUMBER, Method

_TRUE, _FALSE = frozenset({"1", "true", "True"}), frozenset({"0", "false", "False", ""})

_OF_EVERY_METHOD = frozenset({"token", "team_id"})
"""What the SDK may send with any call; a token of one workspace needs no team."""


async def given(request: web.BaseRequest) -> dict[str, Any]:
    """What a request carries, as it came.

    Raises:
        ApiError: a body that cannot be read.
    """
    values: dict[str, Any] = dict(request.query)
    if request.method != "POST":
        return values
    if request.content_type == "application/json":
        body = await request.read()
        try:
            found = json.loads(body) if body else {}
        except ValueError as bad:
            raise ApiError("invalid_json") from bad
        if not isinstance(found, dict):
            raise ApiError("json_not_object")
        return values | found
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return values | dict(await request.post())
    return values


def read(method: Method, values: Mapping[str, Any], *, is_strict: bool) -> dict[str, Any]:
    """The values of a call, each of its kind.

    Raises:
        ApiError: something is missing, unreadable or, where it is strict, unknown.
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        kind = method.parameters.get(name)
        if value is None or (kind is None and name in _OF_EVERY_METHOD):
            continue
        if kind is None or kind == NOT_PLAYED:
            if is_strict:
                known = "is not played here" if kind else "is no parameter"
                raise invalid_arguments(f"strict: {name} {known} of {method.name}")
            continue
        found[name] = _value(name, kind, value)
    missing = [name for name in method.required if name not in found or found[name] == ""]
    if missing:
        raise invalid_arguments(*(f"missing required field: {name}" for name in missing))
    return found


def _value(name: str, kind: str, value: Any) -> Any:  # noqa: ANN401 JSON is anything
    if kind == FLAG:
        return _flag(name, value)
    if kind == NUMBER:
        try:
            return int(value)
        except (TypeError, ValueError) as bad:
            raise invalid_arguments(f"{name} must be an integer") from bad
    if kind == JSON and isinstance(value, str):
        try:
            return json.loads(value) if value else None
        except ValueError as bad:
            code = {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format"}.get(name)
            raise ApiError(code or "invalid_arguments") from bad
    if kind != JSON and not isinstance(value, str):
        if isinstance(value, list):
            return ",".join(str(part) for part in value)
        if isinstance(value, bool | dict):
            raise invalid_arguments(f"must be a string [json-pointer:/{name}]")
        return str(value)
    return value


def _flag(name: str, value: Any) -> bool:  # noqa: ANN401 JSON is anything
    if isinstance(value, bool):
        return value
    if str(value) in _TRUE | _FALSE:
        return str(value) in _TRUE
    raise invalid_arguments(f"{name} must be a boolean")
