"""The web application: every route in one place, behind the gate."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from core.errors import ConchError, NotFound, TryLater, UsageError
from web.administration import Administration
from web.connect import ConnectPages
from web.console.backing import Backing
from web.console.chats import Chats
from web.console.desk import Desk
from web.console.navigation import entries
from web.console.notes import Notes
from web.console.pages import add_chats, add_pages
from web.demo_calendar import DemoCalendarPages
from web.health import HealthReport, HealthRoute
from web.metrics import MetricsRoute
from web.pages import Pages, Templates
from web.playground import Playground
from web.problems import misfit, problem, root_of
from web.recently import NotRecent, Recently
from web.security import API, SIGN_IN, Gate, Guarded
from web.signing.devices import DevicePages
from web.signing.next import path_of_referer
from web.signing.pages import SignIn, Signing, SigningPages
from web.webhooks import Push, WebhookRoute

MOST_BODY = 1 << 20
"""Bytes of one request."""

_CODES = {401: "signed-out", 403: "foreign-origin", 404: "not-found", 405: "wrong-method", 413: "too-large"}


@dataclass(frozen=True, slots=True)
class Backend:
    """What the pages and routes show and do. `playground` is None outside the playground, `push` where no app may.

    `connect` leads through signing in with an app, `api` is what stands below `API`,
    `backing` what the owner's pages need beyond `administration`; without it there are none. `chats` are the chats,
    `sign_in` is how the owner comes in besides by a link.
    """

    administration: Administration
    health: Callable[[], Awaitable[HealthReport]]
    playground: Playground | None = None
    push: Push | None = None
    metrics: MetricsRoute | None = None
    api: ASGIApp | None = None
    version: str = ""
    connect: ConnectPages | None = None
    demo_calendar: DemoCalendarPages | None = None
    backing: Backing | None = None
    chats: Chats | None = None
    sign_in: SignIn | None = None


def create_app(gate: Gate, backend: Backend) -> Guarded:
    """The application to serve. The FastAPI application inside is never served bare."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, max_body_size=MOST_BODY)
    in_playground = backend.playground is not None
    navigation = entries(
        in_playground=in_playground, has_chats=backend.chats is not None, has_devices=backend.sign_in is not None
    )
    about = {"version": backend.version, "in_playground": in_playground, "navigation": navigation}
    templates = Templates(about)
    administration = backend.administration
    signs_in = backend.sign_in is not None and not in_playground
    audit = backend.sign_in.audit if backend.sign_in is not None else None
    Pages(gate=gate, first_page=partial(_first_page, backend), signs_in=signs_in, audit=audit).add_to(app)
    HealthRoute(backend.health).add_to(app)
    desk = Desk(gate, templates, Notes(), [Depends(Recently(gate))])
    if backend.backing is not None:
        add_pages(app, desk, administration, backend.backing)
    if backend.chats is not None:
        chats, version = backend.chats, backend.version
        add_chats(app, desk, templates, administration, chats, gate, version=version, in_playground=in_playground)
    if backend.sign_in is not None:
        signing = Signing(gate, backend.sign_in)
        SigningPages(signing, desk, templates).add_to(app)
        DevicePages(desk, signing, administration).add_to(app)
    if backend.metrics is not None:
        backend.metrics.add_to(app)
    if backend.push is not None:
        WebhookRoute(backend.push).add_to(app)
    if backend.connect is not None:
        backend.connect.add_to(app, gate, templates)
    if backend.demo_calendar is not None:
        backend.demo_calendar.add_to(app, templates)
    if backend.playground is not None:
        backend.playground.add_to(app, templates)
    if backend.api is not None:
        app.mount(API, backend.api)
    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")), name="static")
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(NotRecent, partial(_answer_not_recent, gate))
    app.add_exception_handler(ConchError, _answer_ours)
    app.add_exception_handler(Exception, _answer_fault)
    return Guarded(app, gate)


async def _first_page(backend: Backend) -> str:
    """The chats; the way to a bot as long as there is none."""
    if backend.playground is not None:
        return "/playground"
    has_bots = backend.chats is not None and bool(await backend.administration.channels())
    return "/chats" if has_bots else "/channels"


def _problem(request: Request, status: int, code: str, detail: str | None = None) -> Response:
    return problem(request.headers, status, code, detail, root_of(request.scope))


async def _answer_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return problem(
        request.headers,
        status,
        _CODES.get(status, "invalid" if status < 500 else "failed"),
        root=root_of(request.scope),
    )


async def _answer_invalid(request: Request, error: Exception) -> Response:
    errors = error.errors() if isinstance(error, RequestValidationError) else ()
    return _problem(request, 422, "invalid", misfit(errors))


async def _answer_not_recent(gate: Gate, request: Request, error: Exception) -> Response:
    """To the page where the owner says once more who they are, and from there back to the form."""
    if gate.has_keys() and "text/html" in request.headers.get("accept", ""):
        root = request.scope.get("root_path", "")
        where = path_of_referer(request.headers.get("referer"), request.headers.get("host", ""), root)
        return RedirectResponse(f"{root}{SIGN_IN}?next={quote(where)}", 303)
    return _problem(request, 403, "too-long-ago")


async def _answer_ours(request: Request, error: Exception) -> Response:
    """An error raised on purpose has words for the owner."""
    if isinstance(error, TryLater):
        return _problem(request, 503, "unavailable", str(error))
    if isinstance(error, NotFound):
        return _problem(request, 404, "not-found", str(error))
    return problem(
        request.headers,
        400 if isinstance(error, UsageError) else 409,
        "invalid",
        str(error),
        root=root_of(request.scope),
    )


async def _answer_fault(request: Request, error: Exception) -> Response:
    """A fault of ours; the server logs it, the answer says nothing about it."""
    return _problem(request, 500, "failed")
