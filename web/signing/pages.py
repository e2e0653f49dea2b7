"""The pages of signing in and out: by a password or a passkey; and what is asked at the first visit.

A one-time link always works too: who has the terminal has the machine. Whoever signs in gets a new session, and the one
that their browser had before ends.
"""

import math
import secrets
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from core.clock import Clock
from core.errors import ConchError, NotAllowed
from core.store.audit import Audit, Deed
from web.console.desk import Desk, fields
from web.pages import Templates, device_of
from web.security import Gate, read_cookie
from web.sessions import SESSION_LIFE
from web.signing.keys import OwnerKeys
from web.signing.next import next_path
from web.signing.passkeys import Passkeys, Place, elsewhere
from web.signing.throttle import Throttle

WRONG: Final = "That is not it."
OWNER: Final = "The console"

MOST_SIGNED: Final = 32 * 1024
"""Bytes of what a browser says about a passkey."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """What the program has for it."""

    keys: OwnerKeys
    audit: Audit
    clock: Clock


class Signing:
    """What signing in is made of."""

    def __init__(self, gate: Gate, given: SignIn) -> None:
        self.gate = gate
        self.keys = given.keys
        self.audit = given.audit
        self.passkeys = Passkeys(given.keys, given.clock)
        self.throttle = Throttle(given.clock)

    def place_of(self, request: Request) -> Place:
        """Where the browser is. The gate looked at the host, and that the page is ours."""
        host = request.headers.get("host", "")
        origin = request.headers.get("origin") or f"{request.url.scheme}://{host}"
        return Place(request.url.hostname or "", origin)

    def browser_of(self, request: Request) -> str:
        """What only this browser has: its session, or the cookie of its try to sign in; empty where it has neither."""
        known = read_cookie(request.headers, self.gate.cookie)
        return known or read_cookie(request.headers, self.gate.try_cookie) or ""

    async def come_in(self, request: Request, answer: Response, how: str) -> None:
        """Give the browser a new session, and note that the owner came in."""
        sessions, gate, device = self.gate.sessions, self.gate, device_of(request)
        if (earlier := read_cookie(request.headers, gate.cookie)) is not None:
            sessions.end(earlier)
        session = sessions.begin(device)
        await sessions.store()
        set_session(request, answer, gate, session)
        if gate.try_cookie in request.cookies:
            answer.delete_cookie(gate.try_cookie, path=root_of(request))
        await self.audit.note(Deed.SIGNED_IN, OWNER, how, device.address)


def root_of(request: Request) -> str:
    """The path that our cookies are for."""
    return request.scope.get("root_path", "") or "/"


def set_session(request: Request, answer: Response, gate: Gate, session: str) -> None:
    """Have the browser keep its session."""
    answer.set_cookie(
        gate.cookie,
        session,
        max_age=int(SESSION_LIFE.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=gate.is_secure(request.headers.get("host", ""), request.url.scheme),
        path=root_of(request),
    )


class SigningPages:
    """The routes."""

    def __init__(self, signing: Signing, desk: Desk, templates: Templates) -> None:
        self._signing = signing
        self._gate = signing.gate
        self._keys = signing.keys
        self._desk = desk
        self._templates = templates

    def add_to(self, app: FastAPI) -> None:
        """Register them."""
        route = app.add_api_route
        route("/sign-in", self.page, methods=["GET"], response_model=None)
        route("/sign-in", self.by_password, methods=["POST"], response_model=None)
        route("/sign-in/passkey/options", self.ask_passkey, methods=["POST"], response_model=None)
        route("/sign-in/passkey", self.by_passkey, methods=["POST"], response_model=None)
        route("/sign-out", self.sign_out, methods=["POST"], response_model=None)
        route("/welcome", self.welcome, methods=["GET"], response_model=None)
        fresh = self._desk.fresh
        route("/welcome", self.first_password, methods=["POST"], response_model=None, dependencies=fresh)

    # ---- coming in -------------------------------------------------------------------------------------------------

    async def page(self, request: Request, next: str = "/") -> Response:  # noqa: A002 - the name in the address
        """Ask who it is; somebody who came in a while ago, whether it is still them."""
        return self._page(request, next_path(next, request.scope.get("root_path", "")))

    async def by_password(self, request: Request) -> Response:
        """Take the password. Who guesses waits longer and longer, and never hears what was wrong."""
        given = await fields(request)
        where = next_path(given.get("next", "/"), request.scope.get("root_path", ""))
        address = device_of(request).address
        wait = self._signing.throttle.begin(address)
        if wait:
            return self._slowed(request, where, wait)
        if not await self._keys.is_password(given.get("password", "")):
            await self._signing.audit.note(Deed.SIGN_IN_FAILED, "Somebody", "by a password", address)
            return self._page(request, where, 401, WRONG)
        self._signing.throttle.right(address)
        answer = self._on(request, where)
        await self._signing.come_in(request, answer, "by the password")
        return answer

    async def ask_passkey(self, request: Request) -> Response:
        """What a passkey has to sign."""
        browser = self._signing.browser_of(request) or secrets.token_urlsafe(24)
        try:
            answer = Response(self._signing.passkeys.request(self._signing.place_of(request), browser))
        except ConchError as fault:
            return JSONResponse({"detail": str(fault)}, 422)
        answer.headers["content-type"] = "application/json"
        if not self._signing.browser_of(request):
            secure = self._gate.is_secure(request.headers.get("host", ""), request.url.scheme)
            answer.set_cookie(
                self._gate.try_cookie,
                browser,
                max_age=300,
                httponly=True,
                samesite="strict",
                secure=secure,
                path=root_of(request),
            )
        return answer

    async def by_passkey(self, request: Request, next: str = "/") -> Response:  # noqa: A002 - as above
        """Take what a passkey signed."""
        address = device_of(request).address
        wait = self._signing.throttle.begin(address)
        if wait:
            return JSONResponse({"detail": _wait_words(wait)}, 429, headers={"retry-after": str(math.ceil(wait))})
        try:
            place, browser = self._signing.place_of(request), self._signing.browser_of(request)
            passkey = await self._signing.passkeys.check(place, browser, await signed(request))
        except NotAllowed as fault:
            await self._signing.audit.note(Deed.SIGN_IN_FAILED, "Somebody", "by a passkey", address)
            return JSONResponse({"detail": str(fault)}, 401)
        self._signing.throttle.right(address)
        root = request.scope.get("root_path", "")
        answer = Response(status_code=204, headers={"x-conch-go": f"{root}{next_path(next, root)}"})
        await self._signing.come_in(request, answer, f"by the passkey “{passkey.name}”")
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End this browser's session."""
        session = read_cookie(request.headers, self._gate.cookie)
        if session is not None:
            self._gate.sessions.end(session)
            await self._gate.sessions.store()
            await self._signing.audit.note(Deed.SIGNED_OUT, OWNER, "", device_of(request).address)
        answer = RedirectResponse(f"{request.scope.get('root_path', '')}/sign-in", 303)
        answer.delete_cookie(self._gate.cookie, path=root_of(request))
        return answer

    # ---- the first visit -------------------------------------------------------------------------------------------

    async def welcome(self, request: Request) -> Response:
        """Offer a passkey or a password, so that the next visit needs no link."""
        if self._keys.any:
            return self._on(request, "/")
        return self._welcome(request)

    async def first_password(self, request: Request) -> Response:
        """Take the first password. A later one is set where the devices are."""
        if self._keys.any:
            return self._on(request, "/devices")
        try:
            await self._keys.set_password((await fields(request)).get("password", ""))
        except ConchError as fault:
            return self._welcome(request, 422, str(fault))
        await self._signing.audit.note(Deed.PASSWORD_SET, OWNER, "", device_of(request).address)
        return self._desk.done(request, "/", "Your password is set. Next time you come in with it.")

    # ---- what is answered ------------------------------------------------------------------------------------------

    def _page(self, request: Request, where: str, status: int = 200, fault: str = "") -> HTMLResponse:
        session, place = read_cookie(request.headers, self._gate.cookie), self._signing.place_of(request)
        return self._templates.page(
            request,
            "signing/sign_in.html",
            status,
            next=where,
            fault=fault,
            still=session is not None and self._gate.sessions.knows(session),
            has_password=self._keys.has_password,
            has_passkey=bool(self._signing.passkeys.of(place)),
            has_any=self._keys.any,
            elsewhere=elsewhere(place) if self._keys.passkeys and not place.can else "",
        )

    def _slowed(self, request: Request, where: str, wait: float) -> HTMLResponse:
        answer = self._page(request, where, 429, _wait_words(wait))
        answer.headers["Retry-After"] = str(math.ceil(wait))
        return answer

    def _welcome(self, request: Request, status: int = 200, fault: str = "") -> HTMLResponse:
        place = self._signing.place_of(request)
        return self._templates.page(request, "signing/welcome.html", status, fault=fault, can_passkey=place.can)

    def _on(self, request: Request, where: str) -> RedirectResponse:
        return RedirectResponse(f"{request.scope.get('root_path', '')}{where}", 303)


async def signed(request: Request) -> dict[str, Any]:
    """What a browser says about a passkey.

    Raises:
        NotAllowed: it is too large, or nothing of the kind.
    """
    body = await request.body()
    try:
        if len(body) > MOST_SIGNED:
            raise ValueError("too large")
        found = await request.json()
        if not isinstance(found, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError) as fault:
        raise NotAllowed("That is nothing that a passkey said.") from fault
    return found


def _wait_words(wait: float) -> str:
    seconds = math.ceil(wait)
    return f"Too many wrong ones. Try again in {seconds} {'second' if seconds == 1 else 'seconds'}."
