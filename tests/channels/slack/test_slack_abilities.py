"""What Slack can do, as the rest of the program asks for it."""

import pytest

from channels import abilities
from channels.base import Identity
from channels.reach import Pushes
from channels.slack.channel import SlackChannel
from channels.slack.kind import SlackKind
from core.clock import ManualClock


@pytest.fixture
def channel() -> SlackChannel:
    kind = SlackKind(ManualClock())
    keys = {"bot_token": "xoxb-pretend-key", "app_token": "xapp-1-pretend-key"}
    channel = kind.connect("sl", keys, Identity("UBOT", "Conch"))
    assert isinstance(channel, SlackChannel)
    return channel


@pytest.mark.parametrize(
    "ability",
    [
        abilities.Edits,
        abilities.Streams,
        abilities.Marks,
        abilities.Typing,
        abilities.Presses,
        abilities.Forms,
        abilities.Threads,
        abilities.Files,
        abilities.PrivateChats,
        abilities.History,
        Pushes,
    ],
)
def test_slack_can(channel: SlackChannel, ability: type[object]) -> None:
    assert isinstance(channel, ability)


@pytest.mark.parametrize("ability", [abilities.Drafts, abilities.NativeMenus, abilities.FormMessages])
def test_slack_cannot(channel: SlackChannel, ability: type[object]) -> None:
    assert not isinstance(channel, ability)
