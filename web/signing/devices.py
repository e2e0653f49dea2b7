"""The page of how the owner comes in: browsers that are signed in, passkeys, the password, and tokens for programs."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from core.errors import ConchError, UsageError
from core.store.audit import Deed
from web.administration import Administration
from web.console.desk import Desk, fields
from web.pages import device_of
from web.signing.browsers import called
from web.signing.next import next_path
from web.signing.pages import OWNER, Signing, signed

MOST_TOLD: Final = 16
"""Sessions for which a new token waits to be shown; one more pushes out the oldest."""


class DevicePages:
    """The page. Whatever lets somebody in needs a sign-in not long ago; keeping somebody out never does."""

    def __init__(self, desk: Desk, signing: Signing, administration: Administration) -> None:
        self._desk = desk
        self._signing = signing
        self._keys = signing.keys
        self._sessions = signing.gate.sessions
        self._tokens = administration.tokens
        self._told: OrderedDict[str, str] = OrderedDict()

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        fresh, one, route = self._desk.fresh, "/devices", app.add_api_route
        route(one, self.page, methods=["GET"], response_model=None)
        route(f"{one}/end", self.end, methods=["POST"], response_model=None)
        route(f"{one}/end-others", self.end_others, methods=["POST"], response_model=None)
        route(f"{one}/password", self.set_password, methods=["POST"], response_model=None, dependencies=fresh)
        route(f"{one}/password/remove", self.remove_password, methods=["POST"], response_model=None, dependencies=fresh)
        route(f"{one}/passkeys/options", self.ask, methods=["POST"], response_model=None, dependencies=fresh)
        route(f"{one}/passkeys", self.keep, methods=["POST"], response_model=None, dependencies=fresh)
        route(f"{one}/passkeys/remove", self.remove_passkey, methods=["POST"], response_model=None)
        route(f"{one}/tokens", self.add_token, methods=["POST"], response_model=None, dependencies=fresh)
        route(f"{one}/tokens/revoke", self.revoke_token, methods=["POST"], response_model=None)

    async def page(self, request: Request) -> Response:
        """Everything."""
        return self._desk.page(request, "console/devices.html", **await self._values(request))

    # ---- browsers --------------------------------------------------------------------------------------------------

    async def end(self, request: Request) -> Response:
        """Sign one browser out."""
        given = await fields(request)
        try:
            if not self._sessions.end_by_id(given.get("device", "")):
                raise UsageError("That browser is not signed in any more.")
            await self._sessions.store()
        except ConchError as fault:
            return await self._refused(request, fault)
        await self._note(request, Deed.DEVICE_ENDED, given.get("name", ""))
        return self._desk.done(request, "/devices", "That browser is signed out.")

    async def end_others(self, request: Request) -> Response:
        """Sign all browsers out but this one."""
        count = self._sessions.end_others(self._desk.session(request) or "")
        await self._sessions.store()
        await self._note(request, Deed.DEVICE_ENDED, f"{count} other browsers")
        return self._desk.done(request, "/devices", "Every other browser is signed out.")

    # ---- the password ----------------------------------------------------------------------------------------------

    async def set_password(self, request: Request) -> Response:
        """Set the password, or change it."""
        try:
            await self._keys.set_password((await fields(request)).get("password", ""))
        except ConchError as fault:
            return await self._refused(request, fault)
        await self._note(request, Deed.PASSWORD_SET)
        return self._desk.done(request, "/devices", "Your password is set. Other browsers stay signed in.")

    async def remove_password(self, request: Request) -> Response:
        """Have no password."""
        try:
            await self._keys.remove_password()
        except ConchError as fault:
            return await self._refused(request, fault)
        await self._note(request, Deed.PASSWORD_REMOVED)
        return self._desk.done(request, "/devices", "There is no password any more.")

    # ---- passkeys --------------------------------------------------------------------------------------------------

    async def ask(self, request: Request) -> Response:
        """What a browser is to make."""
        place, session = self._signing.place_of(request), self._desk.session(request) or ""
        try:
            options = self._signing.passkeys.creation(place, session)
        except ConchError as fault:
            return JSONResponse({"detail": str(fault)}, 422)
        return Response(options, media_type="application/json")

    async def keep(self, request: Request, next: str = "/devices") -> Response:  # noqa: A002 - as at signing in
        """Keep what it made."""
        place, session = self._signing.place_of(request), self._desk.session(request) or ""
        try:
            given = await signed(request)
            passkey = await self._signing.passkeys.keep(place, session, given, str(given.get("name", "")))
        except ConchError as fault:
            return JSONResponse({"detail": str(fault)}, 422)
        await self._note(request, Deed.PASSKEY_ADDED, passkey.name)
        root = request.scope.get("root_path", "")
        self._desk.done(request, "/devices", f"The passkey “{passkey.name}” is there.")
        return Response(status_code=204, headers={"x-conch-go": f"{root}{next_path(next, root)}"})

    async def remove_passkey(self, request: Request) -> Response:
        """Forget one."""
        try:
            gone = await self._keys.remove_passkey((await fields(request)).get("passkey", ""))
        except ConchError as fault:
            return await self._refused(request, fault)
        await self._note(request, Deed.PASSKEY_REMOVED, gone.name)
        return self._desk.done(request, "/devices", f"The passkey “{gone.name}” is good for nothing any more.")

    # ---- tokens ----------------------------------------------------------------------------------------------------

    async def add_token(self, request: Request) -> Response:
        """A new one, which is shown once."""
        given = await fields(request)
        try:
            made = await self._tokens.add(given.get("name", ""), given.get("scope") != "full")
        except ConchError as fault:
            return await self._refused(request, fault)
        if (session := self._desk.session(request)) is not None:
            self._told[session] = made.token.get_secret_value()
            while len(self._told) > MOST_TOLD:
                self._told.popitem(last=False)
        return self._desk.done(request, "/devices#tokens", f"The token “{made.made.name}” is made.")

    async def revoke_token(self, request: Request) -> Response:
        """Turn away whoever uses it."""
        try:
            gone = await self._tokens.revoke((await fields(request)).get("name", ""))
        except ConchError as fault:
            return await self._refused(request, fault)
        return self._desk.done(request, "/devices#tokens", f"The token “{gone.name}” is good for nothing any more.")

    # ---- what is shown ---------------------------------------------------------------------------------------------

    async def _values(self, request: Request) -> Mapping[str, object]:
        session = self._desk.session(request) or ""
        mine, place = self._sessions.find(session), self._signing.place_of(request)
        return {
            "browsers": [
                (one, called(one.user_agent), mine is not None and one.id == mine.id) for one in self._sessions.all()
            ],
            "passkeys": self._keys.passkeys,
            "can_passkey": place.can,
            "host": place.name,
            "has_password": self._keys.has_password,
            "tokens": await self._tokens.list(),
            "token": self._told.pop(session, None),
        }

    async def _refused(self, request: Request, fault: ConchError) -> Response:
        return self._desk.refused(request, "console/devices.html", fault, **await self._values(request))

    async def _note(self, request: Request, what: Deed, about: str = "") -> None:
        await self._signing.audit.note(what, OWNER, about, device_of(request).address)
