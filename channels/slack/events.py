"""Receiving by HTTP: Slack brings what comes in to an address of ours, each request signed with the app's secret.

The address is public, so nothing of a request is looked at before its signature is right and fresh. What is done with
what is inside says `intake`. Listening without an address is `socket`'s.
Source: docs.slack.dev/authentication/verifying-requests-from-slack,
docs.slack.dev/apis/events-api/using-http-request-urls.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn
from urllib.parse import parse_qs

from slack_sdk.signature import Clock as SignatureClock
from slack_sdk.signature import SignatureVerifier

from channels.base import Sink
from channels.reach import Pushed
from channels.slack import render
from channels.slack.client import SlackClient
from channels.slack.intake import Intake
from channels.slack.parse import EVENT, INTERACTIVE, SLASH
from core.clock import Clock
from core.errors import NotAllowed, TryLater

LOOK_SECONDS: Final = 300.0
"""Between two looks whether the bot's key still works: with nothing to hear, nobody else would notice."""


class HttpReceiver:
    """The one receiver of a bot's requests."""

    def __init__(self, secret: str, client: SlackClient, intake: Intake, clock: Clock) -> None:
        self._verifier = SignatureVerifier(secret, clock=_SecondsOf(clock))
        self._client = client
        self._intake = intake
        self._clock = clock
        self._sink: Sink | None = None

    async def run(self, sink: Sink) -> NoReturn:
        """Take what is brought until cancelled.

        Raises:
            TryLater: Slack cannot be reached.
            Refused: the bot's key stopped working.
        """
        self._sink = sink
        try:
            while True:
                await self._client.call(render.who_am_i())
                sink.online()
                await self._clock.sleep(LOOK_SECONDS)
        except asyncio.CancelledError:
            self._sink = None
            raise

    async def take(self, request: Pushed) -> Mapping[str, Any] | None:
        """Store what Slack brought; see `channels.reach.Pushes`."""
        body = await request.body()
        if not self._is_signed(body, request.headers):
            raise NotAllowed("Nothing proves that Slack sent this.")
        kind, payload = _read(body, request.headers.get("content-type", ""))
        if payload.get("type") == "url_verification":
            return {"challenge": str(payload.get("challenge", ""))}
        if "ssl_check" in payload:  # Slack looks now and then whether the address still has a certificate
            return None
        if self._sink is None:
            raise TryLater("This bot does not receive yet.")
        if self._intake.is_for_now(kind, payload):
            return await self._intake.answer(kind, payload, self._sink)
        if (update := await self._intake.update(kind, payload)) is not None:
            await self._sink.store([update])
        self._sink.online()
        return None

    def _is_signed(self, body: bytes, headers: Mapping[str, str]) -> bool:
        try:
            return self._verifier.is_valid_request(body, dict(headers))
        except ValueError:  # a time that is none, a body that is no text
            return False


class _SecondsOf(SignatureClock):
    """Our clock as the SDK asks it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.now().timestamp()


def _read(body: bytes, content_type: str) -> tuple[str, Mapping[str, Any]]:
    """The kind of envelope and its payload.

    Raises:
        ValueError: it is nothing that Slack sends.
    """
    words = body.decode("utf-8")
    if content_type.startswith("application/x-www-form-urlencoded"):
        fields = {name: values[0] for name, values in parse_qs(words, keep_blank_values=True).items()}
        if "payload" not in fields:
            return SLASH, fields
        return INTERACTIVE, _object(fields["payload"])
    return EVENT, _object(words)


def _object(words: str) -> Mapping[str, Any]:
    try:
        found = json.loads(words)
    except RecursionError as error:
        raise ValueError("too deep to be Slack's") from error
    if not isinstance(found, dict):
        raise ValueError("what Slack sends is an object")
    return found
