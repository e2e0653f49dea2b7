"""Signing in with an app: from a link to a connection, a step at a time, each once.

    (link) ──begin──▶ the app's page ──yes──▶ finish ──▶ connected
                             └──no──▶ refuse ──▶ (nothing)

The `state` that goes to the app's page and comes back is sealed, and names the chat and the offer that it was made for.
Only the browser that began can come back with it: that has a secret of its own, of which the hash is kept.
"""

import hmac
import json
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from core.apps.app import App
from core.apps.connections import Apps
from core.apps.links import PATH
from core.clock import Clock
from core.errors import NotAllowed, TryLater, UsageError
from core.safety.secrets import SecretBox
from core.store.apps import Step, Ticket, TicketFault, Tickets, digest

BACK: Final = f"{PATH}back"
"""Where an app's page leads back to."""


class Fault(StrEnum):
    """Why a step was not taken; nothing happened then."""

    UNKNOWN = "unknown"
    """It is forged, or no step of a sign-in."""
    USED = "used"
    EXPIRED = "expired"
    OTHER_BROWSER = "other-browser"
    """Another browser began it, which can still go on."""
    REFUSED = "refused"
    """The app gave no keys for it."""
    AWAY = "away"
    """The app could not be asked."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that was begun: the app's page, and the secret that the browser keeps."""

    url: str = field(repr=False)
    state: str = field(repr=False)
    browser: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Finished:
    """A sign-in that came to its end, and what it was for."""

    app: App
    conversation_id: str | None
    offer_id: str | None


class SignIns:
    """Leads a person through one. `base` is our own address, as browsers know it."""

    def __init__(self, tickets: Tickets, apps: Apps, secrets: SecretBox, clock: Clock, base: str) -> None:
        self._tickets = tickets
        self._apps = apps
        self._secrets = secrets
        self._clock = clock
        self._back = f"{base}{BACK}"
        self._base = base

    async def look(self, link: str) -> App | Fault:
        """Which app a link is for, without using it up: what shows a preview of a link only looks, too."""
        ticket = await self._tickets.look(Step.LINK, link)
        return self._app(ticket) if isinstance(ticket, Ticket) else Fault(ticket)

    async def begin(self, link: str) -> Begun | Fault:
        """Use a link up and go to the app's page.

        Raises:
            StoreUnavailable: it can be tried again.
        """
        ticket = await self._tickets.claim(Step.LINK, link)
        if isinstance(ticket, TicketFault):
            return Fault(ticket)
        app = self._app(ticket)
        if isinstance(app, Fault):
            return app
        browser, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
        state = self._secrets.encrypt(json.dumps([*_purpose(ticket), secrets.token_urlsafe(16)]))
        await self._tickets.make(
            Ticket(
                Step.STATE,
                app.id,
                ticket.conversation_id,
                ticket.offer_id,
                browser=digest(browser),
                sealed=self._secrets.encrypt(verifier),
            ),
            state,
        )
        # Imported when it is first needed: Authlib and what it stands on take long, and most Conches connect no app.
        from core.apps import oauth  # noqa: PLC0415

        url = oauth.authorize_url(app.sign_in, self._base, redirect_uri=self._back, state=state, verifier=verifier)
        return Begun(url, state, browser)

    async def finish(self, state: str, browser: str, code: str) -> Finished | Fault:
        """The person said yes: get the keys and keep them.

        Raises:
            StoreUnavailable: nothing is connected.
        """
        ticket = await self._claim(state, browser)
        if isinstance(ticket, Fault):
            return ticket
        app = self._app(ticket)
        if isinstance(app, Fault) or ticket.sealed is None:
            return Fault.UNKNOWN
        from core.apps import oauth  # noqa: PLC0415 - as in `begin`

        verifier = self._secrets.decrypt(ticket.sealed)
        try:
            tokens = await oauth.fetched(
                app.sign_in, self._clock, code=code, redirect_uri=self._back, verifier=verifier
            )
        except NotAllowed:
            return Fault.REFUSED
        except TryLater:
            return Fault.AWAY
        await self._apps.connect(app, tokens)
        return Finished(app, ticket.conversation_id, ticket.offer_id)

    async def refuse(self, state: str, browser: str) -> Finished | Fault:
        """The person said no, or the app did: nothing is connected, and an offer stays as it is."""
        ticket = await self._claim(state, browser)
        if isinstance(ticket, Fault):
            return ticket
        app = self._app(ticket)
        return app if isinstance(app, Fault) else Finished(app, ticket.conversation_id, ticket.offer_id)

    async def _claim(self, state: str, browser: str) -> Ticket | Fault:
        """Looked at before it is used up, so that another browser cannot take it from the right one."""
        try:
            *purpose, _ = json.loads(self._secrets.decrypt(state))
        except (UsageError, ValueError, UnicodeError):
            return Fault.UNKNOWN
        seen = await self._tickets.look(Step.STATE, state)
        if isinstance(seen, TicketFault):
            return Fault(seen)
        if not hmac.compare_digest(seen.browser or "", digest(browser)):
            return Fault.OTHER_BROWSER
        if tuple(purpose) != _purpose(seen):
            return Fault.UNKNOWN
        claimed = await self._tickets.claim(Step.STATE, state)
        return Fault(claimed) if isinstance(claimed, TicketFault) else claimed

    def _app(self, ticket: Ticket) -> App | Fault:
        return self._apps.find(ticket.app_id) if ticket.app_id in self._apps.ids else Fault.UNKNOWN


def _purpose(ticket: Ticket) -> tuple[str, str | None, str | None]:
    return ticket.app_id, ticket.conversation_id, ticket.offer_id
