"""When a Slack bot's keys, scopes or switches are not as they must be; and what must never show."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.base import Health, HealthState
from conch.app import App
from core.errors import Refused
from tests.journeys.apps import SlackUnderTest, said, under_test
from tests.journeys.living import FastClock, until


@pytest.fixture
async def slack() -> AsyncIterator[SlackUnderTest]:
    async with under_test("slack") as app:
        assert isinstance(app, SlackUnderTest)
        yield app


async def in_state(app: App, channel_id: str, state: HealthState) -> Health:
    """Come back when the bot is in this state, with what is said of it."""
    await until(lambda: app.registry.health()[channel_id].state is state, within=20)
    return app.registry.health()[channel_id]


@pytest.mark.report("R133", "R135")
async def test_socket_mode_that_is_turned_off_is_named_in_the_bots_health(
    tmp_path: Path, slack: SlackUnderTest
) -> None:
    async with slack.living(tmp_path, clock=FastClock()) as app:
        channel_id = await slack.connect(app)
        await slack.pretend.disconnect("link_disabled")
        health = await in_state(app, channel_id, HealthState.ERROR)

    assert health.detail is not None
    assert "Socket Mode is off. Turn it on" in health.detail


@pytest.mark.report("R129", "R135")
async def test_keys_that_are_taken_back_while_it_runs_are_named(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, clock=FastClock()) as app:
        channel_id = await slack.connect(app)
        slack.pretend.bot.revoked = True
        await slack.pretend.disconnect("refresh_requested")
        health = await in_state(app, channel_id, HealthState.NEEDS_TOKEN)

    assert health.detail is not None
    assert "key" in health.detail


@pytest.mark.parametrize(
    ("wrong", "named"),
    [("xapp-1-A000-wrongwrongwrong {bot}", "the app's key"), ("{app} xoxb-wrong-wrongwrong", "the bot's key")],
)
async def test_a_wrong_key_is_refused_when_it_is_added_and_named(
    tmp_path: Path, slack: SlackUnderTest, wrong: str, named: str
) -> None:
    pasted = wrong.format(bot=slack.pretend.bot.token, app=slack.pretend.bot.app_token)
    async with slack.living(tmp_path, clock=FastClock()) as app:
        with pytest.raises(Refused) as refusal:
            await app.registry.add("slack", pasted)

    assert named in str(refusal.value)
    assert "wrongwrong" not in str(refusal.value)


async def test_a_scope_that_is_missing_is_named_when_the_bot_is_added(tmp_path: Path, slack: SlackUnderTest) -> None:
    slack.pretend.bot.scopes.discard("reactions:write")
    async with slack.living(tmp_path, clock=FastClock()) as app:
        with pytest.raises(Refused, match="lacks the scope reactions:write"):
            await app.registry.add("slack", slack.keys)


async def test_the_first_answer_is_given_where_signs_are_not_allowed(tmp_path: Path, slack: SlackUnderTest) -> None:
    async with slack.living(tmp_path, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        slack.pretend.faults.add("missing_scope", method="reactions.add", times=None)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: hello"]


def everything_in(folder: Path) -> bytes:
    """All bytes that were left on disk."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.report("R121", "R113")
async def test_no_key_and_no_address_of_an_answer_is_in_any_log_or_store(
    tmp_path: Path, slack: SlackUnderTest, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    bot = slack.pretend.bot
    async with slack.living(tmp_path, clock=FastClock()) as app:
        ada = await slack.owner_of(app)
        elsewhere = slack.pretend.channel("elsewhere", [ada.player], bots=[]).screen(ada.player)
        for fault in ("cut", "server_error", "invalid_blocks", "lost"):
            slack.pretend.faults.add(fault, method="chat.postMessage")
        slack.pretend.faults.add("cut", method="apps.connections.open")
        slack.pretend.faults.add("server_error", method="response_url")
        await ada.chat.say("hello")
        await slack.pretend.disconnect("refresh_requested")
        await until(lambda: any("hello" in text for text in said(ada.chat)), within=20)
        await in_state(app, ada.channel_id, HealthState.ONLINE)
        await slack.pretend.connected()
        await elsewhere.slash("/conch", "what now?")
        await until(lambda: "what now?" in str(elsewhere.answers + ada.chat.answers), within=20)
        health = str(app.registry.health())
    written = capsys.readouterr()
    addresses = [str(one.payload["response_url"]) for one in slack.pretend.envelopes("slash_commands")]

    assert addresses
    for secret in (bot.token, bot.app_token, bot.signing_secret, *addresses):
        assert secret.encode() not in everything_in(tmp_path)
        assert secret not in caplog.text + written.out + written.err + health
