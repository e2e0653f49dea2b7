"""The demo calendar's sign-in page, where an app's own page would be. What a yes is worth, `core.apps` knows."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from urllib.parse import parse_qsl, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from core.apps.demo_account import AuthorizationRequest, DemoAccount
from core.apps.demo_calendar import PAGE
from web.pages import Templates

YES = "yes"

_NAMES = tuple(field.name for field in fields(AuthorizationRequest))


class DemoCalendarPages:
    """Asks whether Conch may use the calendar, and sends the person back (RFC 6749, 4.1.1 and 4.1.2)."""

    def __init__(self, account: DemoAccount) -> None:
        self._account = account
        self._templates: Templates

    def add_to(self, app: FastAPI, templates: Templates) -> None:
        """Register the routes."""
        self._templates = templates
        app.add_api_route(PAGE, self.ask, methods=["GET"], response_model=None)
        app.add_api_route(PAGE, self.decide, methods=["POST"], response_model=None)

    async def ask(self, request: Request) -> Response:
        """The question."""
        asked = _asked(request.query_params)
        if not self._account.accepts(asked):
            return self._nothing(request)
        return self._templates.page(request, "demo_sign_in.html", fields=asdict(asked), yes=YES)

    async def decide(self, request: Request) -> Response:
        """The answer: a code on a yes, and a no otherwise."""
        given = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        asked = _asked(given)
        if not self._account.accepts(asked):
            return self._nothing(request)
        said = {"code": await self._account.code(asked)} if given.get("answer") == YES else {"error": "access_denied"}
        return RedirectResponse(f"{asked.redirect_uri}?{urlencode({**said, 'state': asked.state})}", 303)

    def _nothing(self, request: Request) -> Response:
        text = "This page is a step of connecting the Demo Calendar. Begin with the link that Conch gave you."
        return self._templates.page(request, "not_connected.html", 400, title="Nothing to say yes to", text=text)


def _asked(given: Mapping[str, str]) -> AuthorizationRequest:
    return AuthorizationRequest(**{name: given.get(name, "") for name in _NAMES})
