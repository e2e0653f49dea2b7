"""Receiving by HTTP: Slack brings what comes in to an address of ours, each request signed with the app's secret.

The address is public, so nothing of a request is looked at before its signature is right and fresh; Bolt reads what is
inside first, so that is done before it. Then Bolt says what it is (`dispatch`), and `intake` sees to it. Listening
without an address is `socket`'s.
Source: docs.slack.dev/authentication/verifying-requests-from-slack,
docs.slack.dev/apis/events-api/using-http-request-urls.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import Clock as SignatureClock
from slack_sdk.signature import SignatureVerifier

from channels.base import Sink
from channels.reach import Pushed
from channels.slack import render
from channels.slack.client import SlackClient
from channels.slack.dispatch import Dispatch
from core.clock import Clock
from core.errors import NotAllowed, TryLater

LOOK_SECONDS: Final = 300.0
"""Between two looks whether the bot's key still works: with nothing to hear, nobody else would notice."""
_TAKEN: Final = 200


class HttpReceiver:
    """The one receiver of a bot's requests."""

    def __init__(self, secret: str, client: SlackClient, dispatch: Dispatch, clock: Clock) -> None:
        self._verifier = SignatureVerifier(secret, clock=_SecondsOf(clock))
        self._client = client
        self._dispatch = dispatch
        self._clock = clock
        self._sink: Sink | None = None

    async def run(self, sink: Sink) -> NoReturn:
        """Take what is brought until cancelled.

        Raises:
            TryLater: Slack cannot be reached.
            Refused: the bot's key stopped working.
        """
        self._sink = sink
        self._dispatch.begin(sink)
        try:
            while True:
                await self._client.call(render.who_am_i())
                sink.online()
                await self._clock.sleep(LOOK_SECONDS)
        finally:
            self._sink = None
            self._dispatch.end()

    async def take(self, request: Pushed) -> Mapping[str, Any] | None:
        """Store what Slack brought; see `channels.reach.Pushes`."""
        body = await request.body()
        if not self._is_signed(body, request.headers):
            raise NotAllowed("Nothing proves that Slack sent this.")
        read = _read(body, request.headers.get("content-type", ""))
        if "ssl_check" in read.body:  # Slack looks now and then whether the address still has a certificate
            return None
        answer = await self._dispatch.answer(read)
        if answer.status != _TAKEN:
            raise TryLater("Nothing was stored.")
        if self._sink is not None:
            self._sink.online()
        return _told(answer.body)

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


def _read(body: bytes, content_type: str) -> AsyncBoltRequest:
    """What was signed, as Bolt reads it.

    Raises:
        ValueError: it is nothing that Slack sends.
    """
    try:
        read = AsyncBoltRequest(body=body.decode("utf-8"), headers={"content-type": content_type})
    except (AttributeError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValueError("this is not Slack's") from error
    if not isinstance(read.body, dict) or not read.body:
        raise ValueError("what Slack sends is an object")
    return read


def _told(body: str) -> Mapping[str, Any] | None:
    """What an answer of Bolt's carries."""
    found = json.loads(body) if body else None
    return found if isinstance(found, dict) else None
