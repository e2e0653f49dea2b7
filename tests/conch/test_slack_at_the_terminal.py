"""Slack at the command line: the manifest that makes an app, and its two keys."""

import json
from pathlib import Path

from channels.emulators.slack.pretend import PretendSlack
from tests.conch.programs import run


async def test_the_manifest_is_printed_as_it_is_pasted(tmp_path: Path) -> None:
    printed = await run(tmp_path, "channels", "manifest", "slack")

    assert printed.code == 0
    assert json.loads(printed.out)["settings"]["socket_mode_enabled"] is True


async def test_a_bot_is_connected_with_both_keys_and_named_in_the_other_manifest(tmp_path: Path) -> None:
    async with PretendSlack() as slack:
        address = {"CONCH_SLACK_BASE_URL": slack.base_url, "CONCH_PUBLIC_URL": "https://conch.example"}
        keys = f"{slack.bot.app_token}\n{slack.bot.token}\n"
        added = await run(tmp_path, "channels", "add", "slack", given=keys, **address)
        printed = await run(tmp_path, "channels", "manifest", "slack", "pretend", **address)

    assert "@pretend (pretend in Pretend) is connected." in added.out
    assert slack.bot.token not in added.out + added.err
    request_url = json.loads(printed.out)["settings"]["event_subscriptions"]["request_url"]
    assert request_url.startswith("https://conch.example/channels/slack/")


async def test_an_address_that_is_not_slacks_is_refused_when_the_program_starts(tmp_path: Path) -> None:
    refused = await run(tmp_path, "channels", "list", CONCH_SLACK_BASE_URL="https://example.org/api/")

    assert refused.code != 0
    assert "example.org is not Slack" in refused.err
