"""Asking Telegram about a bot without changing anything: its key, its time, and whether messages can come in."""

from datetime import UTC, datetime
from typing import Any

import pytest

from channels.base import Identity
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.reach import Probe, Probes
from channels.telegram.kind import TelegramKind
from channels.telegram.webhook import WebhookAddress
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater
from tests.channels.telegram import servers
from tests.channels.telegram.connected import Connected, listening
from tests.channels.telegram.servers import TOKEN, Reaction, ScriptedServer

KEY = {"token": TOKEN}
ME = {"id": 123456789, "is_bot": True, "first_name": "Conch", "username": "conch_bot"}
BASE = "https://conch.example/channels/telegram"


def kind_at(server: ScriptedServer, webhooks: str | None = None) -> TelegramKind:
    return TelegramKind(ManualClock(), base_url=server.base_url, base_file_url=server.base_file_url, webhooks=webhooks)


def state(**info: Any) -> Reaction:
    return servers.success({"url": "", "pending_update_count": 0} | info)


def dated(result: bytes, date: str) -> Reaction:
    return servers.raw(200, b'{"ok":true,"result":' + result + b"}", Date=date)


async def test_telegram_says_whose_key_it_is_and_what_waits(server: ScriptedServer) -> None:
    server.expect("getMe", servers.success(ME))
    server.expect("getWebhookInfo", state(pending_update_count=3))
    kind = kind_at(server)
    assert isinstance(kind, Probes)

    probe = await kind.probe("c1", KEY)

    assert probe.identity == Identity("123456789", "Conch", "conch_bot")
    assert (probe.waiting, probe.troubles) == (3, ())
    assert [call.method for call in server.received] == ["getme", "getwebhookinfo"]


@pytest.mark.parametrize(
    ("date", "clock"),
    [
        ("Thu, 01 Jan 2026 12:00:30 GMT", datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)),
        ("Thu, 01 Jan 2026 14:00:30 +0200", datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)),
        ("yesterday", None),
    ],
)
async def test_telegrams_own_time_is_told(server: ScriptedServer, date: str, clock: datetime | None) -> None:
    server.expect("getMe", servers.success(ME))
    server.expect("getWebhookInfo", dated(b'{"url":""}', date))

    assert (await kind_at(server).probe("c1", KEY)).clock == clock


@pytest.mark.report("R125")
async def test_an_address_that_telegram_does_not_reach_is_a_trouble(server: ScriptedServer) -> None:
    url = WebhookAddress.of(BASE, "c1", TOKEN).url
    server.expect("getMe", servers.success(ME))
    server.expect(
        "getWebhookInfo",
        state(url=url, pending_update_count=2, last_error_date=1, last_error_message="Connection refused"),
    )

    [trouble] = (await kind_at(server, BASE).probe("c1", KEY)).troubles

    assert f"cannot deliver to {url} (Connection refused); 2 waiting" in trouble


@pytest.mark.parametrize(
    ("webhooks", "url"), [(None, "https://other.example/x"), (BASE, "https://other.example/x"), (BASE, "")]
)
async def test_messages_that_go_elsewhere_are_a_trouble(server: ScriptedServer, webhooks: str | None, url: str) -> None:
    server.expect("getMe", servers.success(ME))
    server.expect("getWebhookInfo", state(url=url))

    assert len((await kind_at(server, webhooks).probe("c1", KEY)).troubles) == 1


async def test_a_key_that_does_not_work_is_refused(server: ScriptedServer) -> None:
    server.expect("getMe", servers.refusal(401, "Unauthorized"))

    with pytest.raises(Refused) as refused:
        await kind_at(server).probe("c1", KEY)

    assert refused.value.reason is RefusedReason.AUTH


async def test_a_telegram_that_is_away_is_a_matter_of_time(server: ScriptedServer) -> None:
    server.expect("getMe", servers.lose)

    with pytest.raises(TryLater):
        await kind_at(server).probe("c1", KEY)


async def test_a_look_does_not_get_in_the_way_of_a_bot_that_receives(connected: Connected) -> None:
    async with listening(connected) as ear:
        probe = await connected.kind.probe("tg", {"token": DEFAULT_BOT})
        await connected.chat.say("still there?")
        await ear.message("still there?")

    assert (probe.waiting, probe.troubles) == (0, ())


async def test_the_pretend_telegram_is_asked_like_the_real_one(telegram: PretendTelegram) -> None:
    kind = TelegramKind(ManualClock(), base_url=telegram.base_url, base_file_url=telegram.base_file_url)

    probe = await kind.probe("tg", {"token": DEFAULT_BOT})

    assert isinstance(probe, Probe)
    assert (probe.identity.username, probe.waiting) == ("pretend_bot", 0)
    assert probe.clock is not None
