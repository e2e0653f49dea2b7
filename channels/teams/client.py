"""The Bot Connector over HTTP: calls go out, JSON comes back, errors are Conch's own.

What is called with what is said in `render`, what a refusal means in `answers`. The SDK's own client is not used to
call: it asks for tokens without letting go of the loop, opens connections anew for each turn, and its transport says a
POST again whose answer was lost or was a 5xx, which would say things twice. When to try again is the caller's business.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from channels.teams import answers
from channels.teams.addresses import ISSUER, Addresses, is_this_machine
from channels.teams.render import ApiCall
from core.clock import Clock
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

CALL_SECONDS = 30
TRANSFER_SECONDS = 600.0
"""In which a file must have come or gone."""
CHUNK = 64 * 1024
RENEW_BEFORE = 300.0
"""Seconds before a token is over that a new one is asked for."""

Json = Mapping[str, Any]


class TeamsClient:
    """Calls with one bot's keys."""

    def __init__(self, app_id: str, tenant: str, secret: str, addresses: Addresses, clock: Clock) -> None:
        self.app_id = app_id
        self.addresses = addresses
        self._tenant = tenant
        self._secret = secret
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._token = ""
        self._good_until = 0.0
        self._asking = asyncio.Lock()

    async def open(self) -> None:
        """Make ready to call; nothing is sent. Harmless when it is open."""
        if self._session is None:
            on_loopback = is_this_machine(urlsplit(self.addresses.login).hostname or "")
            timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
            self._session = aiohttp.ClientSession(trust_env=not on_loopback, timeout=timeout)

    async def close(self) -> None:
        """Let go of every connection. Harmless when it is closed."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    # ---- signing in ------------------------------------------------------------------------------------------------

    async def sign_in(self) -> None:
        """Ask for a token, whatever is known of the last one.

        Raises:
            TryLater, Refused: as for `token`.
        """
        await self.token(instead_of=self._token)

    async def token(self, *, instead_of: str | None = None) -> str:
        """A token for the Connector, a new one where the last is over or was refused (`instead_of`).

        Raises:
            TryLater: Microsoft could not be reached.
            Refused: the key does not work (`AUTH`), with which box to look at.
        """
        async with self._asking:
            if self._token and self._token != instead_of and self._clock.monotonic() < self._good_until:
                return self._token
            answer = await self._ask_for_token()
            token, seconds = answer.get("access_token"), answer.get("expires_in")
            if not isinstance(token, str) or not token:
                raise TryLater("Microsoft's answer holds no token.")
            lasts = float(seconds) if isinstance(seconds, int | float) else 0.0
            self._token, self._good_until = token, self._clock.monotonic() + lasts - min(RENEW_BEFORE, lasts / 2)
            return token

    async def _ask_for_token(self) -> Json:
        form = {
            "grant_type": "client_credentials",
            "client_id": self.app_id,
            "client_secret": self._secret,
            "scope": f"{ISSUER}/.default",
        }
        try:
            async with self._opened().post(
                self.addresses.token(self._tenant), data=form, allow_redirects=False
            ) as answer:
                status, said = answer.status, _json(await answer.text())
                wait = answer.headers.get("Retry-After")
        except (aiohttp.ClientError, OSError) as error:
            raise TryLater(f"Microsoft's sign-in cannot be reached ({type(error).__name__}).") from None
        if status != 200 or said is None:
            raise answers.explain_sign_in(status, said, wait)
        return said

    # ---- calling ---------------------------------------------------------------------------------------------------

    async def call(self, service_url: str, call: ApiCall) -> Json:
        """Make the call and return the answer.

        Raises:
            TryLater: surely not taken, or harmless to say again.
            MaybeDone: it went out, and no receipt came back.
            Refused: it will never work; `answers` has the finer kinds.
        """
        try:
            return await self._call(service_url, call)
        except MaybeDone as doubt:
            if call.repeatable:
                raise TryLater(str(doubt)) from doubt.__cause__
            raise

    async def _call(self, service_url: str, call: ApiCall) -> Json:
        if not self.addresses.is_service(service_url):
            raise Refused("This chat's address is not one of Microsoft's own.", RefusedReason.FORBIDDEN)
        token = await self.token()
        status, said, wait = await self._send(service_url, call, token)
        if status == 401:  # surely not taken: the token may have been taken back
            status, said, wait = await self._send(service_url, call, await self.token(instead_of=token))
        if not 200 <= status < 300:
            raise answers.explain(status, said, wait)
        return said or {}

    async def _send(self, service_url: str, call: ApiCall, token: str) -> tuple[int, dict[str, Any] | None, str | None]:
        try:
            async with self._opened().request(
                call.method,
                f"{service_url.rstrip('/')}{call.path}",
                json=call.json,
                headers={"Authorization": f"Bearer {token}"},
                allow_redirects=False,
            ) as answer:
                return answer.status, _json(await answer.text()), answer.headers.get("Retry-After")
        except (aiohttp.ClientError, OSError) as error:
            raise _unanswered(error) from error

    async def fetch_json(self, url: str) -> Json:
        """A public document.

        Raises:
            TryLater: it cannot be read now.
        """
        try:
            async with self._opened().get(url, allow_redirects=False) as answer:
                found = _json(await answer.text()) if answer.status == 200 else None
        except (aiohttp.ClientError, OSError) as error:
            raise TryLater(f"Microsoft's keys cannot be reached ({type(error).__name__}).") from None
        if found is None:
            raise TryLater("Microsoft's keys cannot be read now.")
        return found

    # ---- files -----------------------------------------------------------------------------------------------------

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        """The bytes of a file; the token goes to the Connector's own hosts only.

        Raises:
            TryLater, Refused: as for `call`.
        """
        headers = {}
        if self.addresses.is_service(url):
            headers = {"Authorization": f"Bearer {await self.token()}"}
        elif not self.addresses.is_for_files(url):
            raise Refused("This file does not lie on Microsoft's own hosts.", RefusedReason.FORBIDDEN)
        timeout = aiohttp.ClientTimeout(total=TRANSFER_SECONDS, sock_read=CALL_SECONDS)
        try:
            async with self._opened().get(url, headers=headers, timeout=timeout, allow_redirects=False) as answer:
                if answer.status in (401, 403, 404, 410):
                    raise Refused("Teams does not hand out this file any more.", RefusedReason.GONE)
                if answer.status != 200:
                    raise TryLater(f"Teams does not hand out the file now ({answer.status}).")
                async for chunk in answer.content.iter_chunked(CHUNK):
                    yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise TryLater(f"The file could not be fetched from Teams ({type(error).__name__}).") from None

    async def upload(self, url: str, path: Path, size: int) -> None:
        """Bring a file's bytes to where the person let them go; they are read while they are sent.

        Raises:
            TryLater, Refused: as for `call`; saying it again is harmless.
        """
        if not self.addresses.is_for_files(url):
            raise Refused("This is no address of Microsoft's for files.", RefusedReason.FORBIDDEN)
        try:
            handle = await asyncio.to_thread(path.open, "rb")
        except OSError as error:
            raise Refused("The file cannot be read.", RefusedReason.BAD_PAYLOAD) from error
        headers = {"Content-Range": f"bytes 0-{size - 1}/{size}", "Content-Length": str(size)}
        timeout = aiohttp.ClientTimeout(total=TRANSFER_SECONDS)
        with handle:
            try:
                async with self._opened().put(
                    url, data=handle, headers=headers, timeout=timeout, allow_redirects=False
                ) as answer:
                    status = answer.status
            except (aiohttp.ClientError, OSError) as error:
                raise TryLater(f"The file could not be brought to Teams ({type(error).__name__}).") from None
        if not 200 <= status < 300:
            raise TryLater(f"Teams did not take the file ({status}).")

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise TryLater("There is no connection to Teams.")
        return self._session


def _unanswered(error: Exception) -> ConchError:
    """No answer came: whether the call went out decides what that means."""
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return TryLater(f"Teams cannot be reached ({type(error).__name__}).")
    if isinstance(error, TimeoutError):
        return MaybeDone("Teams gave no answer in time.")
    return MaybeDone(f"The connection to Teams broke ({type(error).__name__}).")


def _json(said: str) -> dict[str, Any] | None:
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
