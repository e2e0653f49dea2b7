"""Where a bot gets its tokens and Teams's keys: the token endpoint, the OpenID metadata, the key set.

Belongs here: those three over HTTP. It may run in a thread of its own (`apart`), for an SDK that asks for them without
letting go of its loop.
"""

import asyncio
import threading
import uuid
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from channels.emulators.clock import Clock, SystemClock
from channels.emulators.faults import SLOW, Faults
from channels.emulators.listener import HOST, Listener, cut, cut_in_mid_response
from channels.emulators.teams import limits
from channels.emulators.teams.people import Bot
from channels.emulators.teams.tokens import ISSUER, SCOPE, Tokens

METADATA = "/v1/.well-known/openidconfiguration"
KEYS = "/v1/.well-known/keys"
TOKEN = "/oauth2/v2.0/token"  # noqa: S105 an address

FAULT_KINDS = frozenset({SLOW, "cut", "lost", "server_error", "throttled"})

_REFUSED = (
    "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, "
    "not the client secret ID, for a secret added to app"
)

Log = Callable[[str, str, Mapping[str, Any], int, Mapping[str, Any]], None]
"""Writes down a call: who, which, with what, the status, the answer."""

BotOf = Callable[[str], Bot | None]


class SignIn:
    """The sign-in: a handler of requests, which can have a port and a thread of its own.

    `url` is where it is, without a path.
    """

    def __init__(self, tokens: Tokens, bot_of: BotOf, faults: Faults, clock: Clock, log: Log) -> None:
        self._tokens = tokens
        self._bot_of = bot_of
        self._faults = faults
        self._clock = clock
        self._log = log
        self._apart: Apart | None = None
        self.url = ""

    async def start_apart(self, port: int = 0) -> None:
        """Listen in a thread of its own, where a slow answer takes the machine's time."""
        self._clock = SystemClock()
        self._log = _in_loop(asyncio.get_running_loop(), self._log)
        self._apart = Apart(Listener(self))
        await self._apart.run(self._apart.listener.start, port)
        self.url = f"http://{HOST}:{self._apart.listener.port}"

    async def stop(self) -> None:
        """Give the port back, and the thread, if it has them."""
        if self._apart is not None:
            await self._apart.run(self._apart.listener.stop)
            self._apart.end()
            self._apart = None

    async def go_away(self) -> None:
        """Refuse connections, where it has a port of its own."""
        if self._apart is not None:
            await self._apart.run(self._apart.listener.go_away)

    async def come_back(self) -> None:
        """Take them again."""
        if self._apart is not None:
            await self._apart.run(self._apart.listener.come_back)

    # ---- answering -------------------------------------------------------------------------------------------------

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        name = name_of(request)
        if name is None:
            return web.Response(status=404)
        given = dict(await request.post()) if name == "token" else {}
        app_id = str(given.get("client_id", ""))
        lost = False
        for fault in self._faults.strike(name, None, FAULT_KINDS):
            if fault.kind == SLOW:
                await self._clock.sleep(fault.seconds)
            elif fault.kind == "cut":
                self._log(app_id, name, _shown(given), 0, {})
                return await cut_in_mid_response(request)
            elif fault.kind == "lost":
                lost = True
            else:
                status = 429 if fault.kind == "throttled" else fault.status
                self._log(app_id, name, _shown(given), status, {})
                headers = {"Retry-After": str(max(1, round(fault.seconds)))} if status == 429 else {}
                return web.Response(status=status, text="<html></html>", content_type="text/html", headers=headers)
        status, answer = self._answer(name, request, given)
        hidden = {key: value for key, value in answer.items() if key != "access_token"}
        self._log(app_id, name, _shown(given), 0 if lost else status, hidden)
        return cut(request) if lost else web.json_response(answer, status=status)

    def _answer(self, name: str, request: web.BaseRequest, given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        if name == "token":
            return self._token(request.path.split("/")[1], given)
        if name == "keys":
            return 200, {"keys": [key.jwk for key in self._tokens.published]}
        return 200, {
            "issuer": ISSUER,
            "authorization_endpoint": "https://invalid.botframework.com",
            "jwks_uri": self.url + KEYS,
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        }

    def _token(self, tenant: str, given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        app_id = str(given.get("client_id", ""))
        bot = self._bot_of(app_id)
        if given.get("grant_type") != "client_credentials":
            return 400, _refusal("unsupported_grant_type", 70003, "The app requested an unsupported grant type.")
        if given.get("scope") != SCOPE:
            words = f"The scope {given.get('scope')} is not valid."
            return 400, _refusal("invalid_scope", 70011, words)
        if bot is None:
            words = f"Application with identifier '{app_id}' was not found in the directory '{tenant}'."
            return 400, _refusal("unauthorized_client", 700016, words)
        if tenant not in (bot.tenant, "botframework.com"):
            return 400, _refusal("invalid_request", 90002, f"Tenant '{tenant}' not found.")
        if given.get("client_secret") != bot.password:
            words = f"{_REFUSED} '{app_id}'."
            return 401, _refusal("invalid_client", 7000215, words)
        seconds = limits.TOKEN_SECONDS
        about = {"token_type": "Bearer", "expires_in": seconds, "ext_expires_in": seconds}
        return 200, {**about, "access_token": self._tokens.issue(bot)}


class Apart:
    """A listener with a thread and a loop of its own."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pretend-teams", daemon=True)
        self._thread.start()

    async def run(self, act: Callable[..., Coroutine[Any, Any, None]], *given: int) -> None:
        """Do something of the listener's over there."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(act(*given), self._loop))

    def end(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        self._loop.close()


def _in_loop(loop: asyncio.AbstractEventLoop, log: Log) -> Log:
    def later(*about: Any) -> None:  # noqa: ANN401 whatever `log` takes
        loop.call_soon_threadsafe(log, *about)

    return later


def name_of(request: web.BaseRequest) -> str | None:
    """What a request asks of the sign-in; None where it is not for the sign-in at all."""
    if request.method == "POST" and request.path.endswith(TOKEN):
        return "token"
    if request.method == "GET":
        return {METADATA: "openid", KEYS: "keys"}.get(request.path)
    return None


def _shown(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != "client_secret"}


def _refusal(error: str, code: int, words: str) -> dict[str, Any]:
    """An error as Entra words it; of learn.microsoft.com/entra/identity-platform/reference-error-codes."""
    trace, correlation = str(uuid.uuid4()), str(uuid.uuid4())
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return {
        "error": error,
        "error_description": f"AADSTS{code}: {words} Trace ID: {trace} Correlation ID: {correlation} Timestamp: {at}",
        "error_codes": [code],
        "timestamp": at,
        "trace_id": trace,
        "correlation_id": correlation,
        "error_uri": f"https://login.microsoftonline.com/error?code={code}",
    }
