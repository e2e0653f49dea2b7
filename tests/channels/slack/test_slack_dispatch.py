"""What Bolt makes of what Slack brings: it knows what it is, and trips over nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from channels.base import ChatRef, Form, Press, Sender, Sink, Update
from channels.slack.client import SlackClient
from channels.slack.dispatch import Dispatch
from channels.slack.intake import Intake
from channels.slack.known import Workspace
from channels.slack.parse import Parser
from channels.slack.responding import Responses
from commands.values import ValueItem
from core.clock import ManualClock

CLOCK = ManualClock()
ADA = {"user": {"id": "U1", "username": "ada"}, "trigger_id": "1.1"}
EVENT = {"type": "message", "user": "U1", "channel": "D1", "channel_type": "im", "text": "hello", "ts": "7.000100"}
BUTTON = {"action_id": "b", "value": "key", "action_ts": "7.000100"}
PLACE = {"container": {"channel_id": "D1", "message_ts": "5.000100"}, "message": {"ts": "5.000100"}}


class Kept(Sink):
    """What was stored."""

    def __init__(self) -> None:
        self.updates: list[Update] = []

    async def store(self, updates: Sequence[Update]) -> None:
        self.updates += updates

    def online(self) -> None:
        return

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()


class Strict(Dispatch):
    """Takes nothing on the way that is there for what Bolt trips over."""

    async def _failed(self, error: Exception, body: dict[str, Any]) -> BoltResponse | None:
        return None


def made(kind: type[Dispatch] = Dispatch) -> Dispatch:
    client = SlackClient("xoxb-pretend-key", None, "http://127.0.0.1:9/api/")
    return kind(Intake(Parser("sl", "UBOT"), client, Workspace(client, CLOCK), Responses(CLOCK), None), "UBOT")


async def brought(dispatch: Dispatch, payload: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The status that Slack is told, and what was stored."""
    sink = Kept()
    dispatch.begin(sink)
    answer = await dispatch.answer(AsyncBoltRequest(mode="socket_mode", body=dict(payload)))
    return answer.status, [update.update_id for update in sink.updates]


@pytest.mark.parametrize(
    ("payload", "stored"),
    [
        ({"type": "event_callback", "event_id": "Ev1", "event": EVENT}, "D1:7.000100"),
        ({"command": "/conch", "text": "hi", "user_id": "U1", "channel_id": "D1", "trigger_id": "1.1"}, "slash:1.1"),
        ({"type": "block_actions", "actions": [BUTTON], **ADA, **PLACE}, "press:1.1"),
    ],
)
async def test_bolt_hands_over_what_it_knows_without_a_fault(payload: dict[str, Any], stored: str) -> None:
    assert await brought(made(Strict), payload) == (200, [stored])


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "view_submission", **ADA, "view": {"id": "V1", "callback_id": "form"}},
        {"type": "view_submission", **ADA, "view": {}},
        {"type": "block_actions", **ADA, "actions": [{}]},
        {"type": "block_actions", **ADA, "actions": []},
        {"type": "event_callback", "event": {}},
        {"type": "message_action", **ADA},
        {"type": "nothing that Slack has"},
    ],
)
async def test_what_is_odd_is_acknowledged_and_not_brought_again_for_ever(payload: dict[str, Any]) -> None:
    status, _ = await brought(made(), payload)

    assert status == 200
