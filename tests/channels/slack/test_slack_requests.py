"""Slack by HTTP: nothing of a request is looked at before it is signed, and freshly; it is stored before the 200."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_sdk.signature import SignatureVerifier

from channels.base import Identity
from channels.reach import Pushed
from channels.slack.channel import SlackChannel
from channels.slack.kind import SlackKind
from core.clock import ManualClock
from core.errors import NotAllowed, TryLater

SECRET = "0123456789abcdef0123456789abcdef"
CLOCK = ManualClock()
NOW = int(CLOCK.now().timestamp())
CHALLENGE = {"type": "url_verification", "challenge": "3eZbrw1a", "token": "x"}


def signed(body: bytes, at: int = NOW, secret: str = SECRET, kind: str = "application/json") -> Pushed:
    """A request as Slack signs it."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=str(at), body=body)
    assert signature is not None
    return pushed(body, {"x-slack-request-timestamp": str(at), "x-slack-signature": signature, "content-type": kind})


def pushed(body: bytes, headers: Mapping[str, str]) -> Pushed:
    async def read() -> bytes:
        return body

    return Pushed({"content-type": "application/json", **headers}, read)


def as_json(payload: object) -> bytes:
    return json.dumps(payload).encode()


@pytest.fixture
async def channel() -> AsyncIterator[SlackChannel]:
    kind = SlackKind(CLOCK, base_url="http://127.0.0.1:9/api/", webhooks="http://127.0.0.1:9/channels/slack")
    keys = {"bot_token": "xoxb-pretend-key", "signing_secret": SECRET}
    channel = kind.connect("sl", keys, Identity("U0BOT", "Conch"))
    assert isinstance(channel, SlackChannel)
    yield channel
    await channel.stop()


async def test_slack_is_told_its_own_challenge(channel: SlackChannel) -> None:
    told = await channel.pushed(signed(as_json(CHALLENGE)))

    assert told == {"challenge": "3eZbrw1a"}


@pytest.mark.usefixtures("channel")
@pytest.mark.parametrize("ours", ["conch", "core", "channels", "web", "commands"])
def test_a_bot_in_slack_silences_nobody_else(ours: str) -> None:
    logger = logging.getLogger(ours)

    assert (logger.level, logger.disabled) == (logging.NOTSET, False)


BODY = as_json(CHALLENGE)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(pushed(BODY, {}), id="not signed"),
        pytest.param(signed(BODY, secret="f" * 32), id="by somebody else"),
        pytest.param(signed(BODY, at=NOW - 301), id="replayed after five minutes"),
        pytest.param(pushed(b"{}", signed(BODY).headers), id="another body"),
        pytest.param(
            pushed(BODY, {**signed(BODY).headers, "x-slack-request-timestamp": str(NOW + 1)}), id="another time"
        ),
        pytest.param(pushed(BODY, {**signed(BODY).headers, "x-slack-request-timestamp": "now"}), id="no time"),
        pytest.param(pushed(b"\xff\xfe", signed(BODY).headers), id="no text"),
    ],
)
async def test_what_slack_did_not_sign_is_not_looked_at(channel: SlackChannel, request_: Pushed) -> None:
    with pytest.raises(NotAllowed):
        await channel.pushed(request_)


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b'"text"', b"[" * 100_000])
async def test_what_is_signed_and_no_payload_is_refused_as_such(channel: SlackChannel, body: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        await channel.pushed(signed(body))


async def test_a_bot_that_does_not_listen_yet_takes_nothing(channel: SlackChannel) -> None:
    event: dict[str, Any] = {"type": "event_callback", "event_id": "Ev1", "event": {"type": "app_mention"}}

    with pytest.raises(TryLater):
        await channel.pushed(signed(as_json(event)))


async def test_a_form_in_a_form_is_read(channel: SlackChannel) -> None:
    body = urlencode({"payload": json.dumps({"type": "shortcut", "trigger_id": "1"})}).encode()

    with pytest.raises(TryLater):
        await channel.pushed(signed(body, kind="application/x-www-form-urlencoded"))


async def test_a_bot_that_listens_by_socket_is_brought_nothing() -> None:
    kind = SlackKind(CLOCK, base_url="http://127.0.0.1:9/api/")
    keys = {"bot_token": "xoxb-pretend-key", "app_token": "xapp-1-pretend-key", "signing_secret": SECRET}
    channel = kind.connect("sl", keys, Identity("U0BOT", "Conch"))
    assert isinstance(channel, SlackChannel)

    with pytest.raises(NotAllowed):
        await channel.pushed(signed(as_json(CHALLENGE)))
