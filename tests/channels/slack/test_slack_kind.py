"""How a Slack bot is connected: keys by their shape in whatever was pasted, and what is wrong with them in words."""

import inspect
import re

import pytest

from channels.base import Identity
from channels.emulators.slack.methods.table import METHODS
from channels.emulators.slack.pretend import PretendSlack
from channels.slack import limits, render
from channels.slack.answers import APP_KEY, BOT_KEY
from channels.slack.kind import NO_ADDRESS, NO_APP_KEY, NO_BOT_KEY, SlackKind
from channels.slack.manifest import manifest
from commands.menus import native_menu
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, UsageError
from tests.journeys.living import FastClock

BOT, APP, SECRET = "xoxb-1234567890-abcDEF", "xapp-1-A0001-123-" + "0a" * 32, "0123456789abcdef0123456789abcdef"
KIND = SlackKind(ManualClock())


@pytest.mark.parametrize(
    "pasted",
    [
        f"{BOT}\n{APP}",
        f"{APP} {BOT}",
        f"Bot User OAuth Token: {BOT}\nApp-Level Token\n{APP}\n",
        f'SLACK_BOT_TOKEN="{BOT}" SLACK_APP_TOKEN="{APP}"',
    ],
)
def test_the_two_keys_are_found_in_either_order(pasted: str) -> None:
    assert KIND.find_credentials(pasted) == {"bot_token": BOT, "app_token": APP}


def test_a_signing_secret_is_found_beside_a_key() -> None:
    assert KIND.find_credentials(f"{SECRET}\n{BOT}") == {"bot_token": BOT, "signing_secret": SECRET}


def test_of_secrets_that_look_the_same_the_named_one_counts() -> None:
    found = KIND.find_credentials(f"{BOT} Signing Secret: {SECRET} Client Secret: {'f' * 32}")

    assert found is not None
    assert found["signing_secret"] == SECRET


@pytest.mark.parametrize("pasted", ["", "hello", "xoxp-1234567890-abc", SECRET, "123456:ABC", "xoxb-short"])
def test_what_is_no_key_is_not_taken_for_one(pasted: str) -> None:
    assert KIND.find_credentials(pasted) is None


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"app_token": APP}, NO_BOT_KEY),
        ({"bot_token": BOT}, NO_APP_KEY),
        ({"bot_token": BOT, "signing_secret": SECRET}, NO_ADDRESS),
    ],
)
async def test_a_missing_key_is_named_without_asking_slack(keys: dict[str, str], words: str) -> None:
    with pytest.raises(Refused) as refusal:
        await KIND.check(keys)

    assert str(refusal.value) == words


@pytest.mark.parametrize("address", ["https://example.org/api/", "ftp://slack.com/api/", "slack.com"])
def test_keys_go_to_nobody_else(address: str) -> None:
    with pytest.raises(UsageError):
        SlackKind(ManualClock(), base_url=address)


async def test_the_bot_is_known_by_its_user() -> None:
    async with PretendSlack() as slack:
        identity = await _kind(slack).check(_keys(slack))

        assert identity == Identity(slack.bot.user_id, f"{identity.username} in Pretend", identity.username)


@pytest.mark.parametrize(("wrong", "named"), [("bot_token", BOT_KEY), ("app_token", APP_KEY)])
async def test_which_key_does_not_work_is_said(wrong: str, named: str) -> None:
    async with PretendSlack() as slack:
        keys = _keys(slack) | {wrong: {"bot_token": BOT, "app_token": APP}[wrong]}

        with pytest.raises(Refused) as refusal:
            await _kind(slack).check(keys)

    assert refusal.value.reason is RefusedReason.AUTH
    assert named in str(refusal.value)
    assert keys[wrong] not in f"{refusal.value!r} {refusal.value.__cause__!r} {refusal.value.__context__!r}"


async def test_a_missing_scope_is_named_with_where_to_add_it() -> None:
    async with PretendSlack() as slack:
        slack.bot.scopes.discard("reactions:write")

        with pytest.raises(Refused, match=r"lacks the scope reactions:write\. Add it under OAuth & Permissions"):
            await _kind(slack).check(_keys(slack))


# ---- the manifest ----------------------------------------------------------------------------------------------------


def test_the_manifest_has_the_one_command_of_the_registry() -> None:
    (command,) = manifest()["features"]["slash_commands"]
    (entry,) = native_menu("slack").default

    assert (command["command"], command["description"]) == ("/conch", entry.description)
    assert command["usage_hint"] == entry.argument_hint


def test_an_app_from_the_manifest_is_let_to_do_all_that_the_bot_does() -> None:
    made = manifest()

    assert made["features"]["app_home"]["messages_tab_enabled"] is True
    assert {"im:history", "chat:write", "reactions:write"} <= set(made["oauth_config"]["scopes"]["bot"])
    assert {"message.im", "app_mention"} <= set(made["settings"]["event_subscriptions"]["bot_events"])
    assert made["settings"]["socket_mode_enabled"] is True


EVENT_SCOPES: dict[str, set[str]] = {
    "app_mention": {"app_mentions:read"},
    "channel_left": {"channels:read"},
    "group_left": {"groups:read"},
    "member_joined_channel": {"channels:read", "groups:read"},
    "member_left_channel": {"channels:read", "groups:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "app_home_opened": set(),
}
"""Without these Slack does not tell of an event [docs.slack.dev/reference/events]."""
UNSEEN = {"files.delete": ("files:write",)}
"""What is called and the pretend Slack does not play, with what it wants [docs.slack.dev/reference/methods]."""


def _called() -> set[str]:
    """Every method that the adapter calls: all calls are made in one place."""
    return set(re.findall(r'ApiCall\(\s*"([\w.]+)"', inspect.getsource(render)))


def test_the_manifests_scopes_let_every_call_be_made_and_every_event_be_told() -> None:
    scopes = set(manifest()["oauth_config"]["scopes"]["bot"])
    wanted = {name: METHODS[name].scopes for name in _called() - UNSEEN.keys()} | UNSEEN

    assert "chat.postMessage" in wanted
    assert [name for name, any_of in wanted.items() if any_of and scopes.isdisjoint(any_of)] == []
    assert [event for event in limits.EVENTS if not scopes >= EVENT_SCOPES[event]] == []


def test_with_an_address_slack_is_told_it_everywhere() -> None:
    made = manifest("https://conch.example/channels/slack/x")

    addresses = (
        made["features"]["slash_commands"][0]["url"],
        made["settings"]["event_subscriptions"]["request_url"],
        made["settings"]["interactivity"]["request_url"],
    )
    assert set(addresses) == {"https://conch.example/channels/slack/x"}
    assert made["settings"]["socket_mode_enabled"] is False


def _kind(slack: PretendSlack) -> SlackKind:
    return SlackKind(FastClock(), base_url=slack.base_url)


def _keys(slack: PretendSlack) -> dict[str, str]:
    return {"bot_token": slack.bot.token, "app_token": slack.bot.app_token}
