"""The API's own description (OpenAPI), as far as it does not follow from the routes: who may ask, how a no looks."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from web.api.schemas import Problem

PROBLEM_JSON: Final = "application/problem+json"

ABOUT: Final = """\
Everything that can be done with conversations, for your own programs. Send a token (`conch tokens add NAME`) as
`Authorization: Bearer …`; the console's session cookie works too, from the console's own pages. A token made with
`--read-only` may use what only looks (`GET`).

Errors are problem+json (RFC 9457) with a stable `code` and a sentence in `detail`. Times are UTC. Types and fields that
you do not know may come: skip them.
"""

_WHY: Final = {
    400: "The Host header names nobody we are, or the body is no JSON",
    401: "No token, or not one that counts",
    403: "From another site, or a token that only looks",
    404: "There is no such thing (any more)",
    409: "It cannot be done as things are now; `code` says why",
    422: "The request does not fit; `detail` says what",
    429: "Too many wrong tokens from this address; see Retry-After",
    503: "Not now: the database cannot be reached. Nothing was changed",
}

_ALWAYS: Final = (400, 401, 403, 422, 429, 503)

# not by a model for each: that would be hundreds of them, a tenth of a second at every start
_PROBLEM: Final = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}

Responses = dict[int | str, dict[str, Any]]


def refusals(*more: int) -> Responses:
    """How a route can say no: as every one, and with these statuses."""
    return {status: {"description": _WHY[status], "content": _PROBLEM} for status in sorted({*_ALWAYS, *more})}


class Section:
    """A part of the API: its routes stand together in the description, under one tag."""

    def __init__(self, app: FastAPI, tag: str) -> None:
        self._app = app
        self._tag = tag

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **given: Any) -> None:  # noqa: ANN401 - FastAPI's
        """As FastAPI has it."""
        self._app.add_api_route(path, endpoint, tags=[self._tag], **given)


def describe(app: FastAPI, path: str) -> Mapping[str, Any]:
    """The description of an application that is served below `path`."""
    found = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
        servers=[{"url": path}],
    )
    found["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "A token of `conch tokens add`"},
        "session": {"type": "apiKey", "in": "cookie", "name": "conch_session", "description": "The console's own"},
    }
    found["security"] = [{"token": []}, {"session": []}]
    found["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    return found
