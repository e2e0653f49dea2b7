"""The API as an application of its own, to be mounted behind the gate: its routes, its errors, its description.

Who may ask is decided at the gate (`web.security`): nothing here is ever served bare.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from core.errors import Busy, ConchError, MaybeDone, NotAllowed, NotFound, Refused, TryLater, UsageError
from web.api.activity import ActivityRoutes
from web.api.cards import CardRoutes
from web.api.conversations import ConversationRoutes
from web.api.document import ABOUT, Section, describe
from web.api.engines import EngineRoutes
from web.api.events import EventRoutes
from web.api.following import Followers
from web.api.offers import OfferRoutes
from web.api.options import OptionRoutes
from web.api.parts import Parts, Unmet, expect_possible_ids
from web.api.settings import SettingRoutes
from web.problems import as_json, misfit

MOST_BODY: Final = 1 << 20
"""Bytes of one request."""

_CODES: Final = {404: "not-found", 405: "wrong-method", 413: "too-large"}

_OURS: Final[tuple[tuple[type[ConchError], int, str], ...]] = (
    (NotFound, 404, "not-found"),
    (Busy, 409, "busy"),
    (TryLater, 503, "unavailable"),
    (UsageError, 422, "invalid"),
    (NotAllowed, 403, "refused"),
    (Refused, 409, "refused"),
    (MaybeDone, 500, "maybe-done"),
)
"""What an error of ours is to whoever asked; the first that fits counts."""


def create_api(parts: Parts, followers: Followers, path: str, version: str = "") -> FastAPI:
    """The application to mount below `path`."""
    app = FastAPI(
        title="Conch",
        version=version or "0",
        description=ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation,
        max_body_size=MOST_BODY,
        dependencies=[Depends(expect_possible_ids)],
    )
    _add_routes(app, parts, followers)
    app.add_api_route("/openapi.json", _description(app, path), include_in_schema=False)
    app.add_exception_handler(Unmet, _answer_unmet)
    app.add_exception_handler(ConchError, _answer_ours)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(Exception, _answer_fault)
    return app


def _add_routes(app: FastAPI, parts: Parts, followers: Followers) -> None:
    for tag, routes in (
        ("conversations", ConversationRoutes(parts)),
        ("events", EventRoutes(parts, followers)),
        ("cards", CardRoutes(parts)),
        ("cards", OfferRoutes(parts)),
        ("options", OptionRoutes(parts)),
        ("engines", EngineRoutes(parts)),
        ("settings", SettingRoutes(parts)),
        ("activity", ActivityRoutes(parts.audit)),
    ):
        routes.add_to(Section(app, tag))


def _operation(route: APIRoute) -> str:
    return route.name


def _description(app: FastAPI, path: str) -> Callable[[Request], Any]:
    @lru_cache(maxsize=8)
    def described(below: str) -> Mapping[str, Any]:
        return describe(app, below)

    async def openapi(request: Request) -> JSONResponse:
        """What there is, for programs; a proxy may have us below a path of its own."""
        return JSONResponse(described(request.scope.get("root_path") or path))

    return openapi


# ---- when something is not done --------------------------------------------------------------------------------------


async def _answer_unmet(request: Request, error: Exception) -> Response:
    if not isinstance(error, Unmet):
        raise error
    return as_json(error.status, error.code, error.detail, error.more)


async def _answer_ours(request: Request, error: Exception) -> Response:
    """An error raised on purpose has words for the owner."""
    status, code = next(((status, code) for kind, status, code in _OURS if isinstance(error, kind)), (409, "refused"))
    answer = as_json(status, code, str(error))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        answer.headers["Retry-After"] = str(round(getattr(error, "retry_after", None) or 1))
    return answer


async def _answer_invalid(request: Request, error: Exception) -> Response:
    errors = error.errors() if isinstance(error, RequestValidationError) else ()
    return as_json(422, "invalid", misfit(errors))


async def _answer_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return as_json(status, _CODES.get(status, "invalid" if status < 500 else "failed"))


async def _answer_fault(request: Request, error: Exception) -> Response:
    """A fault of ours; the server logs it, the answer says nothing about it."""
    return as_json(500, "failed")
