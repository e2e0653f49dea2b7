"""Signing in with an app: the page behind a connect link, the way to the app and back, and what came of it.

Whoever follows a link may never have come in here: what they may do, the ticket in its address says (`core.apps`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from commands.parsing import slash_in
from core.apps.links import PATH
from core.apps.signing_in import BACK, Fault, Finished, SignIns
from core.conversations import Conversations
from core.errors import StoreUnavailable
from core.events import UserMessage
from core.offers.carrying import Taken
from core.store.apps import TICKET_LIFE, digest
from core.store.audit import Audit, Deed
from core.store.log import EventLog
from web.pages import Templates
from web.security import Gate, read_cookie
from web.ways_back import WaysBack

BY: Final = "the sign-in page"
"""Who took the offer, as its card says it."""

_FRESH: Final = (
    "Send /status in the chat (in Slack: /conch status) for a fresh one, or run the command again if you began with"
    " one."
)


@dataclass(frozen=True, slots=True)
class Words:
    """What a page says when nothing was connected."""

    status: int
    title: str
    text: str


FAULTS: Final = {
    Fault.UNKNOWN: Words(404, "There is nothing behind this link", f"It may be cut off, or long over. {_FRESH}"),
    Fault.USED: Words(410, "This link was used", f"Each link works once. {_FRESH}"),
    Fault.EXPIRED: Words(410, "This link is over", f"It worked for ten minutes. {_FRESH}"),
    Fault.OTHER_BROWSER: Words(
        403,
        "Not in this browser",
        "The sign-in was begun in another browser, and only that one can finish it. Go on there, or send /status in"
        " the chat (in Slack: /conch status) for a fresh link.",
    ),
    Fault.REFUSED: Words(
        400,
        "That did not work",
        "The app did not accept the sign-in, so nothing was connected. Begin again with a"
        " fresh link: send /status in the chat (in Slack: /conch status).",
    ),
    Fault.AWAY: Words(
        503,
        "The app does not answer",
        "Nothing was connected. Begin again in a while with a fresh link: send /status in the chat"
        " (in Slack: /conch status).",
    ),
}

BACK_FAULTS: Final = {
    **FAULTS,
    Fault.USED: Words(
        410,
        "This sign-in is over",
        "It came to its end before, so nothing more happened. Go back to the chat and see how it went.",
    ),
    Fault.EXPIRED: Words(
        410,
        "That took too long",
        "A sign-in has ten minutes, so nothing was connected. Begin again with a fresh link: send /status in the chat"
        " (in Slack: /conch status).",
    ),
}
"""The same where a person comes back from the app's page."""


class ConnectPages:
    """The pages of a sign-in, up to its end in the chat."""

    def __init__(
        self,
        sign_ins: SignIns,
        conversations: Conversations,
        log: EventLog,
        audit: Audit,
        ways_back: WaysBack | None = None,
    ) -> None:
        self._sign_ins = sign_ins
        self._conversations = conversations
        self._log = log
        self._audit = audit
        self._ways_back = ways_back or WaysBack()
        self._gate: Gate
        self._templates: Templates

    def add_to(self, app: FastAPI, gate: Gate, templates: Templates) -> None:
        """Register the routes."""
        self._gate, self._templates = gate, templates
        app.add_api_route(BACK, self.back, methods=["GET"], response_model=None)
        app.add_api_route(f"{PATH}{{link}}", self.ask, methods=["GET"], response_model=None)
        app.add_api_route(f"{PATH}{{link}}", self.begin, methods=["POST"], response_model=None)

    async def ask(self, request: Request, link: str) -> Response:
        """Whether to begin. Looking uses nothing up: chat apps follow links by themselves to show what is behind."""
        found = await self._sign_ins.look(link)
        if isinstance(found, Fault):
            return self._fault(request, found)
        return self._templates.page(request, "connect.html", app=found)

    async def begin(self, request: Request, link: str) -> Response:
        """Go to the app's page, once."""
        begun = await self._sign_ins.begin(link)
        if isinstance(begun, Fault):
            return self._fault(request, begun)
        answer = RedirectResponse(begun.url, 303)
        answer.set_cookie(
            _cookie(begun.state),
            begun.browser,
            max_age=int(TICKET_LIFE.total_seconds()),
            path=f"{request.scope.get('root_path', '')}{PATH}",
            httponly=True,
            samesite="lax",
            secure=self._gate.is_secure(request.headers.get("host", ""), request.url.scheme),
        )
        return answer

    async def back(self, request: Request, state: str = "", code: str | None = None) -> Response:
        """The app's page sent the person back, with a code or with a no."""
        browser = read_cookie(request.headers, _cookie(state)) or ""
        if code:
            done = await self._sign_ins.finish(state, browser, code)
        else:
            done = await self._sign_ins.refuse(state, browser)
        if isinstance(done, Fault):
            return self._fault(request, done, BACK_FAULTS)
        answer = await (self._connected(request, done) if code else self._refused(request, done))
        answer.delete_cookie(_cookie(state), path=f"{request.scope.get('root_path', '')}{PATH}")
        return answer

    async def _connected(self, request: Request, done: Finished) -> Response:
        await self._audit.note(Deed.APP_CONNECTED, "The sign-in page", done.app.name, _address(request))
        place = await self._place(done)
        text = await self._carry_on(done, place)
        way = self._ways_back.of(done.conversation_id)
        return self._templates.page(request, "connected.html", app=done.app, text=text, way_back=way)

    async def _carry_on(self, done: Finished, place: str) -> str:
        """Take the offer that the sign-in was for, and say where it goes on."""
        if done.conversation_id is None or done.offer_id is None:
            return "You can close this page, and ask about it in any of your chats."
        try:
            taken = await self._conversations.accept_offer(done.conversation_id, done.offer_id, BY)
        except StoreUnavailable:
            return f"Go back to {place} and ask again: the answer could not go on by itself."
        if taken in (Taken.STARTED, Taken.QUEUED, Taken.DONE):
            return f"Go back to {place}: the answer to what you asked comes there by itself."
        return f"Go back to {place} and ask again: what you asked there is over by now."

    async def _refused(self, request: Request, done: Finished) -> Response:
        text = "Nothing was connected. You can close this page."
        if done.conversation_id is not None:
            place = await self._place(done)
            command = slash_in(place.lower(), "status")
            text = f"Nothing was connected. Go back to {place}."
            text += f" If you change your mind, {command} there brings a new link."
        title = f"{done.app.name} is not connected"
        way = self._ways_back.of(done.conversation_id)
        return self._templates.page(request, "not_connected.html", title=title, text=text, way_back=way)

    async def _place(self, done: Finished) -> str:
        """Where the person asked, in words."""
        if done.conversation_id is None:
            return "your chat"
        [*newest] = await self._log.newest(done.conversation_id, "user.message", 1)
        said = newest[0].data if newest else None
        return (said.origin.app if isinstance(said, UserMessage) else None) or "your chat"

    def _fault(self, request: Request, fault: Fault, said: Mapping[Fault, Words] = FAULTS) -> Response:
        words = said[fault]
        return self._templates.page(
            request, "not_connected.html", words.status, title=words.title, text=words.text, way_back=None
        )


def _address(request: Request) -> str | None:
    return request.client.host if request.client else None


def _cookie(state: str) -> str:
    """Each sign-in has a cookie of its own, so that two in one browser do not end each other."""
    return f"conch_connect_{digest(state)[:16]}"
