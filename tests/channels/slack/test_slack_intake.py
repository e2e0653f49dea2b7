"""What is stored of what Slack tells: no secret, nothing without a meaning, and what cannot be read all the same."""

from typing import Any

import pytest

from channels.slack.client import SlackClient
from channels.slack.intake import Intake
from channels.slack.known import Workspace
from channels.slack.parse import EVENT, INTERACTIVE, SLASH, Parser
from channels.slack.responding import Responses
from core.clock import ManualClock

CLOCK = ManualClock()
MESSAGE = {"type": "message", "user": "U1", "channel": "D1", "channel_type": "im", "text": "hello", "ts": "7.000100"}


@pytest.fixture
def intake() -> Intake:
    client = SlackClient("xoxb-pretend-key", None, "http://127.0.0.1:9/api/")
    return Intake(Parser("sl", "UBOT"), client, Workspace(client, CLOCK), Responses(CLOCK), None)


def test_a_message_is_stored_by_its_place_though_nobody_can_be_asked_for_a_name(intake: Intake) -> None:
    update = intake.update(EVENT, {"event": MESSAGE, "event_id": "Ev1", "token": "secret"})

    assert update is not None
    assert update.update_id == "D1:7.000100"
    assert "token" not in update.payload["payload"]


def test_where_to_answer_a_command_is_not_stored(intake: Intake) -> None:
    slash = {"channel_id": "C9", "user_id": "U1", "trigger_id": "1.2", "text": "hi", "response_url": "https://x"}
    update = intake.update(SLASH, slash)

    assert update is not None
    assert "response_url" not in update.payload["payload"]


@pytest.mark.parametrize("more", [{"bot_id": "B1"}, {"subtype": "channel_join"}, {"user": "UBOT"}, {"text": ""}])
def test_what_means_nothing_is_not_stored(intake: Intake, more: dict[str, Any]) -> None:
    assert intake.update(EVENT, {"event": {**MESSAGE, **more}, "event_id": "Ev1"}) is None


def test_what_cannot_be_read_is_stored_for_who_looks_into_it(intake: Intake) -> None:
    update = intake.update(EVENT, {"event": {**MESSAGE, "ts": 7}, "event_id": "Ev7"})

    assert update is not None
    assert update.update_id == "odd:Ev7"


@pytest.mark.parametrize(("bot", "kept"), [("UBOT", True), ("UBOT2", False)])
def test_what_was_said_in_another_workspace_is_nobodys_here(intake: Intake, bot: str, kept: bool) -> None:
    installed = [{"team_id": "T2", "user_id": bot, "is_bot": True, "is_enterprise_install": False}]

    update = intake.update(EVENT, {"event": MESSAGE, "event_id": "Ev1", "team_id": "T2", "authorizations": installed})

    assert (update is not None) is kept


def test_an_app_that_also_acts_for_a_person_is_still_heard(intake: Intake) -> None:
    installed = [{"team_id": "T1", "user_id": "U7", "is_bot": False, "is_enterprise_install": False}]

    assert intake.update(EVENT, {"event": MESSAGE, "event_id": "Ev1", "authorizations": installed}) is not None


@pytest.mark.parametrize(("team", "kept"), [("T1", True), ("T2", False)])
def test_a_command_or_press_of_another_workspace_is_nobodys_here(intake: Intake, team: str, kept: bool) -> None:
    intake.is_in("T1")
    slash = {"channel_id": "C9", "user_id": "U1", "trigger_id": "1.2", "text": "hi", "team_id": team}
    press = {
        "type": "block_actions",
        "team": {"id": team, "domain": "w"},
        "user": {"id": "U1", "username": "ada"},
        "channel": {"id": "D1"},
        "container": {"type": "message", "message_ts": "7.000100", "channel_id": "D1"},
        "trigger_id": "1.3",
        "actions": [{"action_id": "a", "block_id": "b", "type": "button", "value": "t", "action_ts": "8.1"}],
    }

    assert [(intake.update(kind, payload) is not None) for kind, payload in ((SLASH, slash), (INTERACTIVE, press))] == [
        kept,
        kept,
    ]
