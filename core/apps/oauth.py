"""Asking an app for tokens, through Authlib: the addresses, PKCE and what the answers come to."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client

from core.apps.app import SignIn, TokenEndpoint, Tokens
from core.clock import Clock
from core.errors import NotAllowed, TryLater

TIMEOUT: Final = 20.0
"""Seconds that an app has to give tokens."""

_PUBLIC: Final = "none"
"""Its way to prove itself (RFC 7591, 2): a public client has no secret."""

_Ask = Callable[[AsyncOAuth2Client], Awaitable[Mapping[str, Any]]]

_REFUSED: Final = "The app did not accept the sign-in."
_AWAY: Final = "The app cannot be asked now. Try again soon."


def authorize_url(how: SignIn, base: str, *, redirect_uri: str, state: str, verifier: str) -> str:
    """Where the person says yes; `base` is our own address."""
    client = AsyncOAuth2Client(how.client_id, scope=how.scope, redirect_uri=redirect_uri, code_challenge_method="S256")
    page = f"{base}{how.authorize_url}" if how.authorize_url.startswith("/") else how.authorize_url
    url, _ = client.create_authorization_url(page, state=state, code_verifier=verifier)
    return str(url)


async def fetched(how: SignIn, clock: Clock, *, code: str, redirect_uri: str, verifier: str) -> Tokens:
    """The tokens for a code.

    Raises:
        NotAllowed: the app refused.
        TryLater: it could not be asked; the code may be used up.
    """
    asked = {"code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
    return await _asked(how, clock, None, lambda client: client.fetch_token(how.token_url, **asked))


async def renewed(how: SignIn, clock: Clock, tokens: Tokens) -> Tokens:
    """New tokens for old ones that have a `refresh`.

    Raises:
        NotAllowed: the app takes the connection no more.
        TryLater: it could not be asked.
    """
    if tokens.refresh is None:
        raise NotAllowed(_REFUSED)
    return await _asked(
        how, clock, tokens.refresh, lambda client: client.refresh_token(how.token_url, refresh_token=tokens.refresh)
    )


async def _asked(how: SignIn, clock: Clock, refresh: str | None, ask: _Ask) -> Tokens:
    transport = _Nearby(how.endpoint) if how.endpoint else None
    try:
        async with AsyncOAuth2Client(
            how.client_id, token_endpoint_auth_method=_PUBLIC, transport=transport, timeout=TIMEOUT
        ) as client:
            answer = await ask(client)
    except httpx2.HTTPError:  # what it says may repeat what was sent
        raise TryLater(_AWAY) from None
    except (AuthlibBaseError, ValueError):
        raise NotAllowed(_REFUSED) from None
    access, seconds = answer.get("access_token"), answer.get("expires_in")
    if not isinstance(access, str) or not access:
        raise NotAllowed(_REFUSED)
    until = clock.now() + timedelta(seconds=seconds) if isinstance(seconds, int | float) else None
    return Tokens(access, answer.get("refresh_token") or refresh, until)


class _Nearby(httpx2.AsyncBaseTransport):
    """Leads to a token address in this process, with the very requests and answers that the network would see."""

    def __init__(self, endpoint: TokenEndpoint) -> None:
        self._endpoint = endpoint

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One request."""
        fields = dict(parse_qsl((await request.aread()).decode("utf-8", "replace")))
        status, answer = await self._endpoint(fields)
        return httpx2.Response(status, json=dict(answer), request=request)
