"""The demo calendar's own sign-in: a small OAuth 2 server, so that connecting an app can be tried without one.

Authorization code with PKCE (RFC 6749, 4.1; RFC 7636) for one public client, which is Conch. Its page is the web
side's. Codes are good once; tokens are sealed text, so that nothing of them has to be kept here.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from core.clock import Clock
from core.errors import NotAllowed, UsageError
from core.safety.secrets import SecretBox
from core.store.apps import Step, Ticket, Tickets

APP_ID: Final = "demo-calendar"
CLIENT_ID: Final = "conch"
SCOPE: Final = "calendar"
KEY_LIFE: Final = timedelta(hours=1)
CONNECTED_LIFE: Final = timedelta(days=365)

Kind = Literal["access", "refresh"]
Answer = tuple[int, Mapping[str, str | int]]


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What the page at the authorization address is asked for; all of it comes from outside."""

    response_type: str
    client_id: str
    redirect_uri: str
    scope: str
    state: str
    code_challenge: str
    code_challenge_method: str


class DemoAccount:
    """Gives codes to who said yes, tokens for codes, and knows its own tokens. `redirect_uri` is the client's only."""

    def __init__(self, tickets: Tickets, secrets: SecretBox, clock: Clock, redirect_uri: str) -> None:
        self._tickets = tickets
        self._secrets = secrets
        self._clock = clock
        self._redirect_uri = redirect_uri

    def accepts(self, asked: AuthorizationRequest) -> bool:
        """Whether our client makes such a request. Another is not even sent back to where it says it came from."""
        return (
            asked.response_type == "code"
            and asked.client_id == CLIENT_ID
            and asked.redirect_uri == self._redirect_uri
            and asked.scope == SCOPE
            and bool(asked.state)
            and asked.code_challenge_method == "S256"
            and bool(asked.code_challenge)
        )

    async def code(self, asked: AuthorizationRequest) -> str:
        """The person said yes to a request that was accepted."""
        return await self._tickets.make(
            Ticket(Step.CODE, APP_ID, sealed=self._secrets.encrypt(json.dumps(asked.code_challenge)))
        )

    async def token(self, asked: Mapping[str, str]) -> Answer:
        """The token address (RFC 6749, 3.2)."""
        if asked.get("client_id") != CLIENT_ID:
            return 401, {"error": "invalid_client"}
        match asked.get("grant_type"):
            case "authorization_code":
                good = await self._takes(asked)
            case "refresh_token":
                good = self._good(asked.get("refresh_token", ""), "refresh")
            case _:
                return 400, {"error": "unsupported_grant_type"}
        return (200, self.granted()) if good else (400, {"error": "invalid_grant"})

    def granted(self) -> Mapping[str, str | int]:
        """New tokens for whoever proved that they may have some (RFC 6749, 5.1)."""
        return {
            "access_token": self._sealed("access", KEY_LIFE),
            "refresh_token": self._sealed("refresh", CONNECTED_LIFE),
            "token_type": "Bearer",
            "expires_in": int(KEY_LIFE.total_seconds()),
            "scope": SCOPE,
        }

    def check(self, access: str) -> None:
        """Whether an access token opens the calendar.

        Raises:
            NotAllowed: it does not, or not any more.
        """
        if not self._good(access, "access"):
            raise NotAllowed("The calendar does not know this token.")

    async def _takes(self, asked: Mapping[str, str]) -> bool:
        """A wrong verifier uses the code up: whoever guesses has one try."""
        ticket = await self._tickets.claim(Step.CODE, asked.get("code", ""))
        if not isinstance(ticket, Ticket) or ticket.sealed is None or asked.get("redirect_uri") != self._redirect_uri:
            return False
        challenge: str = json.loads(self._secrets.decrypt(ticket.sealed))
        made = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        given = base64.urlsafe_b64encode(made).rstrip(b"=").decode()
        return hmac.compare_digest(given, challenge.encode("ascii", "replace").decode())

    def _sealed(self, kind: Kind, life: timedelta) -> str:
        return self._secrets.encrypt(json.dumps([APP_ID, kind, (self._clock.now() + life).isoformat()]))

    def _good(self, token: str, kind: Kind) -> bool:
        try:
            app_id, what, until = json.loads(self._secrets.decrypt(token))
            return (app_id, what) == (APP_ID, kind) and datetime.fromisoformat(until) > self._clock.now()
        except (UsageError, ValueError, TypeError):
            return False
