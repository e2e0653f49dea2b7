"""Where a bot gets its tokens and Teams's keys: the token endpoint, the OpenID metadata, the key set.

Belongs here: those three over HTTP. It may run in a thread of its own (`apart`), for an SDK that asks for them without
letting go of its loop.
"""

import asyncio
import threading
import uuid
from collections.abc import Callable, Mapping
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
    """The sign-in behind a port of its own."""

    def __init__(self, tokens: Tokens, bot_of: BotOf, faults: Faults, clock: Clock, log: Log) -> None:
        self._tokens = tokens
        self._bot_of = bot_of
        self._faults = faults
        self._clock = clock
        self._log = log
        self._listener = Listener(self._handle)
        self._apart: _Thread | None = None

    @property
    def url(self) -> str:
        """Where it is, without a path."""
        return f"http://{HOST}:{self._listener.port}"

    async def start(self, port: int = 0, *, apart: bool = False) -> None:
        """Listen; `apart` in a thread of its own, where a slow answer takes the machine's time."""
        if apart:
            self._apart, self._clock = _Thread(), SystemClock()
            self._log = _in_loop(asyncio.get_running_loop(), self._log)
        await self._there(self._listener.start, port)

    async def stop(self) -> None:
        """Give the port back, and the thread."""
        await self._there(self._listener.stop)
        if self._apart is not None:
            self._apart.stop()
            self._apart = None

    async def go_away(self) -> None:
        """Refuse connections."""
        await self._there(self._listener.go_away)

    async def come_back(self) -> None:
        """Take them again."""
        await self._there(self._listener.come_back)

    async def _there(self, act: Callable[..., Any], *given: int) -> None:
        if self._apart is None:
            await act(*given)
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(act(*given), self._apart.loop))

    # ---- answering -------------------------------------------------------------------------------------------------

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        name = _name(request)
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


class _Thread:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="pretend-teams", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=5)
        self.loop.close()


def _in_loop(loop: asyncio.AbstractEventLoop, log: Log) -> Log:
    def later(*about: Any) -> None:  # noqa: ANN401 whatever `log` takes
        loop.call_soon_threadsafe(log, *about)

    return later


def _name(request: web.BaseRequest) -> str | None:
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
