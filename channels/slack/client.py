"""Slack's Web API through slack-sdk: calls go out, JSON comes back, errors are Conch's own.

What is called with what is said in `render`, what a refusal means in `answers`; when to try again is the caller's
business: the SDK's own retrying is off, because after a lost receipt it would say things twice. Imported only when a
Slack bot is used, because the SDK is.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import yarl
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from channels.slack import answers, render
from channels.slack.addresses import is_this_machine
from channels.slack.render import ApiCall
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

CALL_SECONDS = 30
TRANSFER_SECONDS = 600.0
"""In which a file must have come or gone."""
HEARTBEAT_SECONDS = 10.0
"""Between two looks whether a quiet connection is still one."""
CHUNK = 64 * 1024

Json = Mapping[str, Any]


class SlackClient:
    """Calls with one bot's keys. `app_token` is only needed to listen by Socket Mode."""

    def __init__(self, bot_token: str, app_token: str | None, base_url: str) -> None:
        self._bot_token = bot_token
        self._app_token = app_token
        self._base_url = base_url
        self._session: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None
        self.scopes: frozenset[str] = frozenset()
        """What the bot is allowed, as Slack said with the newest answer; empty where it has not said."""

    async def open(self) -> None:
        """Make ready to call; nothing is sent. Harmless when it is open."""
        if self._session is not None:
            return
        on_loopback = is_this_machine(urlsplit(self._base_url).hostname or "")
        self._session = aiohttp.ClientSession(
            trust_env=not on_loopback, timeout=aiohttp.ClientTimeout(total=CALL_SECONDS)
        )
        self._web = AsyncWebClient(
            token=self._bot_token,
            base_url=self._base_url,
            timeout=CALL_SECONDS,
            session=self._session,
            retry_handlers=[],
        )
        self._web.proxy = None  # the session knows the environment's proxies, and what must not go through them

    async def close(self) -> None:
        """Let go of every connection. Harmless when it is closed."""
        session, self._session, self._web = self._session, None, None
        if session is not None:
            await session.close()

    async def call(self, call: ApiCall) -> Json:
        """Make the call and return Slack's answer.

        Raises:
            TryLater: surely not taken, or harmless to say again.
            MaybeDone: it went out, and no receipt came back.
            Refused: it will never work; `answers` has the finer kinds.
        """
        try:
            return await self._call(call)
        except MaybeDone as doubt:
            if call.repeatable:
                raise TryLater(str(doubt)) from doubt.__cause__
            raise

    async def _call(self, call: ApiCall) -> Json:
        if self._web is None:
            raise TryLater("There is no connection to Slack.")
        token = self._app_token if call.as_app else self._bot_token
        try:
            answer = await self._web.api_call(
                call.method,
                data={name: _encoded(value) for name, value in call.parameters.items()},
                headers={"Authorization": f"Bearer {token}"},
            )
        except SlackApiError as error:
            raise _explained(
                error, answers.APP_KEY if call.as_app else answers.BOT_KEY
            ) from None  # its words repeat the whole answer
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _unanswered(error) from error
        if not call.as_app and (scopes := answer.headers.get("x-oauth-scopes")):
            self.scopes = frozenset(scope.strip() for scope in scopes.split(","))
        data = answer.data
        return data if isinstance(data, dict) else {}

    # ---- what is not the Web API -----------------------------------------------------------------------------------

    async def connect(self) -> aiohttp.ClientWebSocketResponse:
        """A connection of Socket Mode.

        Raises:
            TryLater, Refused: as for `call`; a key that does not work is `AUTH`.
        """
        url = (await self.call(render.open_socket())).get("url")
        if not isinstance(url, str):
            raise TryLater("Slack does not say where to listen.")
        try:
            return await self._opened().ws_connect(url, heartbeat=HEARTBEAT_SECONDS, max_msg_size=0)
        except (aiohttp.ClientError, OSError) as error:
            raise TryLater(f"Slack's line for what comes in cannot be opened ({type(error).__name__}).") from None

    async def respond(self, url: str, body: Json) -> None:
        """Send an answer to a `response_url`.

        Raises:
            TryLater, MaybeDone, Refused: as for `call`; `GONE` where its uses or its time are over.
        """
        self._must_be_slacks(url)
        try:
            async with self._opened().post(url, json=body, allow_redirects=False) as answer:
                status, said = answer.status, await answer.text()
        except (aiohttp.ClientError, OSError) as error:
            raise _unanswered(error) from None
        if status == 404 or "used_url" in said or "expired_url" in said:
            raise Refused("The time for an answer there is over.", RefusedReason.GONE)
        if status != 200:
            raise answers.explain(status, _json(said), answer.headers.get("Retry-After"))

    async def upload(self, url: str, path: Path, name: str) -> None:
        """Bring a file's bytes to where Slack wants them; they are read while they are sent.

        Raises:
            TryLater, Refused: as for `call`; nobody sees the file yet, so it may be brought again.
        """
        self._must_be_slacks(url)
        timeout = aiohttp.ClientTimeout(total=TRANSFER_SECONDS)
        try:
            handle = await asyncio.to_thread(path.open, "rb")
        except OSError as error:
            raise Refused(f"The file {name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
        with handle:
            try:
                async with self._opened().post(url, data=handle, timeout=timeout, allow_redirects=False) as answer:
                    status, said = answer.status, await answer.text()
            except (aiohttp.ClientError, OSError) as error:
                raise TryLater(f"The file {name} could not be brought to Slack ({type(error).__name__}).") from None
        if status != 200:
            raise _harmless(answers.explain(status, _json(said), answer.headers.get("Retry-After")))

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        """The bytes of a file, by the address that Slack gave; the key goes to Slack's own hosts only.

        Raises:
            TryLater, Refused: as for `call`.
        """
        self._must_be_slacks(url)
        timeout = aiohttp.ClientTimeout(total=TRANSFER_SECONDS, sock_read=CALL_SECONDS)
        headers = {"Authorization": f"Bearer {self._bot_token}"}
        try:
            async with self._opened().get(url, headers=headers, timeout=timeout, allow_redirects=False) as answer:
                # Who may not read a file is sent to a page to sign in.
                if answer.status in (301, 302, 303, 307, 308, 401, 403):
                    raise answers.scope_missing(["files:read"])
                if answer.status == 404:
                    raise Refused("Slack does not have this file any more.", RefusedReason.GONE)
                if answer.status != 200:
                    raise _harmless(answers.explain(answer.status, None, answer.headers.get("Retry-After")))
                async for chunk in answer.content.iter_chunked(CHUNK):
                    yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise TryLater(f"The file could not be fetched from Slack ({type(error).__name__}).") from None

    def _must_be_slacks(self, url: str) -> None:
        """A key or a person's file goes to no other host, whatever an answer says."""
        target, base = yarl.URL(url), yarl.URL(self._base_url)
        host = target.host or ""
        ours = (host, target.port, target.scheme) == (base.host, base.port, base.scheme)
        slacks = target.scheme == "https" and (host == "slack.com" or host.endswith(".slack.com"))
        if not ours and not (slacks and not is_this_machine(base.host or "")):
            raise Refused("This address is not one of Slack's own.", RefusedReason.FORBIDDEN)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise TryLater("There is no connection to Slack.")
        return self._session


def _encoded(value: object) -> str:
    """As a form takes it: every method reads forms, and only some read JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _explained(error: SlackApiError, key: str) -> ConchError:
    response = error.response
    status: int = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
    data, headers = getattr(response, "data", None), getattr(response, "headers", {})
    return answers.explain(status, data if isinstance(data, dict) and data else None, headers.get("Retry-After"), key)


def _unanswered(error: Exception) -> ConchError:
    """No answer came: whether the call went out decides what that means."""
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return TryLater(f"Slack cannot be reached ({type(error).__name__}).")
    if isinstance(error, TimeoutError):
        return MaybeDone("Slack gave no answer in time.")
    return MaybeDone(f"The connection to Slack broke ({type(error).__name__}).")


def _harmless(error: ConchError) -> ConchError:
    return TryLater(str(error)) if isinstance(error, MaybeDone) else error


def _json(said: str) -> dict[str, Any] | None:
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
