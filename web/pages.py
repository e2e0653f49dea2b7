"""The pages of the web side that are not an API: coming in by the link, and the first page."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from core.store.audit import Audit, Deed
from web.problems import problem, root_of
from web.security import Gate, read_cookie
from web.sessions import SESSION_LIFE, Device
from web.wording import WORDS

THEME: Final = "conch_theme"
"""The cookie that says how a browser shows the console: light, dark, or else as the device does."""


class Templates:
    """The pages' frames; whatever is put into them is escaped."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        loader = FileSystemLoader(Path(__file__).with_name("templates"))
        self._environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
        self._environment.globals.update(WORDS)
        self._environment.globals.update(about)

    def page(self, request: Request, name: str, status: int = 200, **values: object) -> HTMLResponse:
        """A whole page. `root` and `path` in it say where it is: every address on it starts with `root`."""
        return HTMLResponse(self.fragment(request, name, **values), status)

    def part(self, name: str, **values: object) -> Markup:
        """A part of a page that is the same whoever asks; `root`, where it has addresses, comes with the values."""
        return Markup(self._environment.get_template(name).render(**values))  # noqa: S704 - it was escaped there

    def fragment(self, request: Request, name: str, **values: object) -> str:
        """A part of a page, as it would stand in it."""
        root, theme = request.scope.get("root_path", ""), request.cookies.get(THEME, "")
        where = {"root": root, "path": request.url.path, "theme": theme}
        return self._environment.get_template(name).render(**where, **values)


def device_of(request: Request) -> Device:
    """The browser that asks."""
    return Device(request.client.host if request.client else "", request.headers.get("user-agent", ""))


class Pages:
    """The way in and the first page."""

    def __init__(
        self,
        *,
        gate: Gate,
        first_page: Callable[[], Awaitable[str]],
        signs_in: bool = False,
        audit: Audit | None = None,
    ) -> None:
        self._gate = gate
        self._first_page = first_page
        self._signs_in = signs_in
        self._audit = audit

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/", self.home, methods=["GET"], response_model=None)

    async def home(self, request: Request, token: str | None = None) -> Response:
        """Take the link's token out of the address and leave a cookie; else go to the first page."""
        root = request.scope.get("root_path", "")
        if token is None:
            return RedirectResponse(f"{root}{await self._first_page()}", 303)
        sessions = self._gate.sessions
        session = sessions.exchange(token, device_of(request))
        if session is None and not self._is_signed_in(request):
            return problem(request.headers, 401, "link-used", root=root_of(request.scope))
        is_first_visit = session is not None and self._signs_in and not self._gate.has_keys()
        answer = RedirectResponse(f"{root}{'/welcome' if is_first_visit else await self._first_page()}", 303)
        if session is not None:
            if (earlier := read_cookie(request.headers, self._gate.cookie)) is not None:
                sessions.end(earlier)
            await sessions.store()
            if self._audit is not None:
                await self._audit.note(Deed.SIGNED_IN, "The console", "by a link", device_of(request).address)
            answer.set_cookie(
                self._gate.cookie,
                session,
                max_age=int(SESSION_LIFE.total_seconds()),
                httponly=True,
                samesite="lax",
                secure=self._gate.is_secure(request.headers.get("host", ""), request.url.scheme),
                path=root or "/",
            )
        return answer

    def _is_signed_in(self, request: Request) -> bool:
        session = read_cookie(request.headers, self._gate.cookie)
        return session is not None and self._gate.sessions.knows(session)
