"""Request URLs: what an app without Socket Mode is posted, signed with its secret.

Belongs here: the signature, the three bodies, what an answer means. Sources: docs.slack.dev/authentication/
verifying-requests-from-slack, docs.slack.dev/apis/events-api.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import aiohttp

from channels.emulators.clock import Clock
from channels.emulators.slack.envelopes import EVENTS, INTERACTIVE, Envelope, NotTaken
from channels.emulators.slack.people import Bot

_PATIENCE = aiohttp.ClientTimeout(total=60)


def signed(secret: str, timestamp: int, body: bytes) -> str:
    """The `X-Slack-Signature` of a body sent at `timestamp`, in seconds since 1970."""
    return "v0=" + hmac.new(secret.encode(), b"v0:%d:%b" % (timestamp, body), hashlib.sha256).hexdigest()


class Requests:
    """Posts to the apps that have a request URL."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None

    async def verify(self, bot: Bot, url: str) -> None:
        """Ask the address to repeat a challenge, as the app's page does before it takes one.

        Raises:
            ValueError: it did not.
        """
        challenge = secrets.token_urlsafe(24)
        body = json.dumps({"token": "pretend", "challenge": challenge, "type": "url_verification"}).encode()
        status, _, answer = await self._post(bot, url, body, "application/json", {})
        if status != 200 or challenge not in answer.decode(errors="replace"):
            raise ValueError(f"Your URL didn't respond with the value of the challenge parameter (HTTP {status}).")

    async def send(self, envelope: Envelope) -> Mapping[str, Any]:
        """Post it; what the answer carried.

        Raises:
            NotTaken: anything but a 2xx.
        """
        body, kind = _body(envelope)
        again = {}
        if envelope.attempt:
            again = {"X-Slack-Retry-Num": str(envelope.attempt), "X-Slack-Retry-Reason": envelope.reason}
        try:
            status, headers, answer = await self._post(envelope.bot, envelope.bot.request_url or "", body, kind, again)
        except TimeoutError as late:
            raise NotTaken("http_timeout") from late
        except aiohttp.ClientError as gone:
            raise NotTaken("connection_failed") from gone
        if not 200 <= status < 300:
            raise NotTaken("http_error", final=headers.get("X-Slack-No-Retry") == "1")
        return _answer(headers.get("Content-Type", ""), answer)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _post(
        self, bot: Bot, url: str, body: bytes, kind: str, more: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_PATIENCE)
        at = int(self._clock.now().timestamp())
        headers = {
            "Content-Type": kind,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": str(at),
            "X-Slack-Signature": signed(bot.signing_secret, at, body),
            **more,
        }
        async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            return response.status, response.headers, await response.read()


def _body(envelope: Envelope) -> tuple[bytes, str]:
    form = "application/x-www-form-urlencoded"
    if envelope.kind == EVENTS:
        return json.dumps(envelope.payload).encode(), "application/json"
    if envelope.kind == INTERACTIVE:
        return urlencode({"payload": json.dumps(envelope.payload)}).encode(), form
    return urlencode(envelope.payload).encode(), form


def _answer(kind: str, body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        return {}
    if "json" in kind:
        found = json.loads(body)
        return found if isinstance(found, dict) else {}
    return {"text": body.decode(errors="replace")}
