"""Discord's API through discord.py: calls go out, raw JSON comes back, errors are Conch's own.

What is called with what is said in `render` and `replies`, what a refusal means in `answers`; when to try again is the
caller's business. Imported only when a Discord bot is used, because the SDK is.
"""

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import discord
from aiohttp import TraceConfig, TraceRequestEndParams
from discord.http import HTTPClient, Route

from channels.base import OutboundFile
from channels.discord import answers
from channels.discord.render import ApiCall, file_name
from core.clock import Clock
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

CALL_SECONDS, TRANSFER_SECONDS = 30.0, 300.0
LONGEST_WAIT = 30.0
"""Seconds for which a call waits by itself for the budget of its route; no less is possible with the SDK."""
CHUNK = 64 * 1024
CDN_HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
"""Where Discord's files lie [discord.com/developers/docs/reference, image formatting]."""


class Declined(Exception):
    """Discord answered, and not with success. Raised before the SDK would wait and try again by itself."""

    def __init__(self, status: int, answer: dict[str, Any] | None, retry_after: float | None) -> None:
        super().__init__(f"declined with {status}")
        self.status = status
        self.answer = answer
        self.retry_after = retry_after


class _Http(HTTPClient):
    """The SDK's own, with its budgets, at an address of its own; it would take one for the whole process."""

    def __init__(self, base_url: str) -> None:
        trace = TraceConfig()
        trace.on_request_end.append(self._note)
        trace.on_request_end.append(_decline)
        loop = asyncio.get_running_loop()
        super().__init__(loop, http_trace=trace, max_ratelimit_timeout=LONGEST_WAIT, proxy=_proxy_for(base_url))
        self._base_url = base_url
        self.date = ""

    async def _note(self, _: aiohttp.ClientSession, __: object, params: TraceRequestEndParams) -> None:
        self.date = params.response.headers.get("Date", "")

    async def request(
        self,
        route: Route,
        *,
        files: Sequence[discord.File] | None = None,
        form: Iterable[dict[str, Any]] | None = None,
        **kwargs: Any,  # noqa: ANN401 - as the SDK has it
    ) -> Any:  # noqa: ANN401 - as the SDK has it
        """As the SDK does it, but not elsewhere, and not for ever."""
        route.url = self._base_url + route.url.removeprefix(Route.BASE)
        seconds = TRANSFER_SECONDS if form else CALL_SECONDS
        kwargs |= {"allow_redirects": False, "timeout": aiohttp.ClientTimeout(total=seconds)}
        return await super().request(route, files=files, form=form, **kwargs)


class DiscordClient:
    """Calls with one bot's key."""

    def __init__(self, token: str, base_url: str, clock: Clock) -> None:
        self._token = token
        self._clock = clock
        self._held_until = 0.0
        self._base_url = base_url.rstrip("/")
        self._http: _Http | None = None

    async def open(self) -> object:
        """Make ready to call, and return whose key this is. What is being called meanwhile goes on.

        Raises:
            TryLater, Refused: as for `call`.
        """
        if self._http is not None:
            return await self.call(ApiCall("GET", "/users/@me", repeatable=True))
        http = _Http(self._base_url)
        try:
            me = await http.static_login(self._token)
        except BaseException as error:
            await http.close()
            if isinstance(error, Exception):
                raise _explained(error, repeatable=True) from error
            raise
        self._http = http
        return me

    async def close(self) -> None:
        """Let go of every connection. Harmless when it is closed."""
        http, self._http = self._http, None
        if http is not None:
            await http.close()

    @property
    def http(self) -> HTTPClient:
        """The SDK's, for the gateway.

        Raises:
            TryLater: it is not open.
        """
        if self._http is None:
            raise TryLater("There is no connection to Discord.")
        return self._http

    @property
    def told_time(self) -> datetime | None:
        """Discord's own time, to the second, when it last answered a call."""
        date = self._http.date if self._http else ""
        try:
            return parsedate_to_datetime(date).astimezone(UTC) if date else None
        except ValueError:
            return None

    async def call(self, call: ApiCall) -> object:
        """Make the call and return Discord's answer; None where it has none.

        Raises:
            TryLater: surely not taken, or harmless to say again.
            MaybeDone: it went out, and no receipt came back.
            Refused: it will never work; `answers` has the finer kinds.
        """
        http = self.http
        self._wait_for_all(call)
        route = Route(call.method, call.path, **dict(call.parameters))
        with ExitStack() as open_files:
            try:
                if call.file is not None:
                    return _read(await http.request(route, form=await _form(call, call.file, open_files)))
                body: dict[str, Any] = {} if call.json is None else {"json": call.json}
                return _read(await http.request(route, params=dict(call.query), **body))
            except ConchError:
                raise
            except Exception as error:
                self._hold(error)
                raise _explained(error, repeatable=call.repeatable) from error

    def _hold(self, error: Exception) -> None:
        """Where Discord wants nothing at all from this bot for a while, nothing is sent.

        10,000 refused calls in 10 minutes shut a machine out [discord.com/developers/docs/topics/rate-limits].
        """
        if isinstance(error, Declined) and error.status == 429 and (error.answer is None or error.answer.get("global")):
            reason = answers.explain(error.status, error.answer, error.retry_after)
            seconds = reason.retry_after if isinstance(reason, TryLater) else None
            self._held_until = self._clock.monotonic() + (seconds or 1.0)

    def _wait_for_all(self, call: ApiCall) -> None:
        """Interactions are not counted with the rest."""
        left = self._held_until - self._clock.monotonic()
        if left > 0 and not call.path.startswith("/interactions/"):
            raise TryLater("Discord takes nothing from this bot for now.", retry_after=left)

    async def stream(self, address: str) -> AsyncIterator[bytes]:
        """The bytes of a file, from Discord's own hosts only.

        Raises:
            Refused: it lies elsewhere, or is not there any more.
            TryLater: it cannot be read now.
        """
        if not self._is_discords(address):
            raise Refused("This file does not lie on Discord's own hosts.", RefusedReason.FORBIDDEN)
        timeout = aiohttp.ClientTimeout(total=TRANSFER_SECONDS, sock_read=CALL_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(address, allow_redirects=False, proxy=_proxy_for(address)) as response,
            ):
                if response.status != 200:
                    raise _no_file(response.status)
                async for chunk in response.content.iter_chunked(CHUNK):
                    yield chunk
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TryLater(f"The file cannot be fetched from Discord: {type(error).__name__}") from error

    def _is_discords(self, address: str) -> bool:
        parts, ours = urlsplit(address), urlsplit(self._base_url)
        if parts.scheme == "https" and parts.hostname in CDN_HOSTS and parts.port in (None, 443):
            return True
        return (parts.scheme, parts.netloc) == (ours.scheme, ours.netloc)


async def _decline(_: aiohttp.ClientSession, __: object, params: TraceRequestEndParams) -> None:
    """Let the outbox decide about a refusal; the SDK would sleep on it."""
    response = params.response
    if response.status < 300:
        return
    try:
        answer = json.loads(await response.read())
    except (ValueError, RecursionError):
        answer = None
    raise Declined(response.status, answer if isinstance(answer, dict) else None, _seconds(response.headers))


def _seconds(headers: Any) -> float | None:  # noqa: ANN401 - aiohttp's own kind of mapping
    try:
        return max(0.0, float(headers["Retry-After"]))
    except (KeyError, ValueError):
        return None


def _read(answer: object) -> object:
    """The SDK leaves JSON as text where its type is not named to the letter."""
    if isinstance(answer, str):
        try:
            return json.loads(answer) if answer else None
        except (ValueError, RecursionError):
            return None
    return answer


async def _form(call: ApiCall, file: OutboundFile, open_files: ExitStack) -> list[dict[str, Any]]:
    """A file is read while it is sent, never as a whole."""
    try:
        handle = open_files.enter_context(await asyncio.to_thread(file.path.open, "rb"))
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
    content = {"name": "files[0]", "value": handle, "filename": file_name(file.name), "content_type": file.mime}
    return [{"name": "payload_json", "value": json.dumps(call.json)}, content]


def _explained(error: Exception, *, repeatable: bool) -> ConchError:
    """Our error for the SDK's or the network's; a call that may be repeated is never in doubt."""
    if isinstance(error, Declined):
        explained = answers.explain(error.status, error.answer, error.retry_after)
    elif isinstance(error, discord.RateLimited):
        explained = TryLater("Discord takes no more for now.", retry_after=error.retry_after)
    elif isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        explained = TryLater("Discord cannot be reached.")
    elif isinstance(error, aiohttp.ClientError | OSError):
        explained = MaybeDone(f"The connection to Discord broke: {type(error).__name__}")
    else:
        explained = MaybeDone(f"Discord's answer could not be read: {type(error).__name__}")
    if repeatable and isinstance(explained, MaybeDone):
        return TryLater(str(explained))
    return explained


def _no_file(status: int) -> ConchError:
    if status in (403, 404, 410):
        return Refused("Discord does not have this file any more.", RefusedReason.GONE)
    return TryLater(f"Discord does not hand out the file now ({status}).")


def _proxy_for(address: str) -> str | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, ALL_PROXY, NO_PROXY); none to this machine."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host in ("127.0.0.1", "::1", "localhost") or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
