"""How a Discord bot is connected: keys are found by their shape, checked with Discord, and go nowhere else."""

import pytest

from channels.base import Identity
from channels.discord.kind import DiscordKind
from channels.emulators.discord.pretend import PretendDiscord
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater, UsageError

KEY = "MTEwMDAwMDAwMDAwMDAwMDAwMQ" + ".GaBcDe." + "abcdefghij_klmnopqrst-uvwxyz0123456789"


@pytest.fixture
def kind() -> DiscordKind:
    return DiscordKind(ManualClock())


@pytest.mark.parametrize(
    "pasted", [KEY, f"  {KEY}\n", f"DISCORD_TOKEN={KEY}", f'"{KEY}"', f"Bot {KEY}", f"token: {KEY}."]
)
def test_the_key_is_found_in_whatever_was_pasted(kind: DiscordKind, pasted: str) -> None:
    assert kind.find_credentials(pasted) == {"token": KEY}


@pytest.mark.parametrize(
    "pasted", ["", "hello", "123456:ABC", KEY[:30], f"x{KEY}x" * 3, "eyJhbGciOi.eyJzdWIiOiIxMjM0NTY3ODkw.c2lnbmF0dXJl"]
)
def test_what_is_no_key_is_sent_nowhere(kind: DiscordKind, pasted: str) -> None:
    assert kind.find_credentials(pasted) is None


async def test_discord_says_whose_key_it_is(discord: PretendDiscord) -> None:
    kind = DiscordKind(ManualClock(), base_url=discord.base_url)

    identity = await kind.check({"token": discord.bot.token})

    assert identity == Identity(discord.bot.id, "pretend_bot", "pretend_bot")


async def test_a_key_that_does_not_work_is_refused(discord: PretendDiscord) -> None:
    kind = DiscordKind(ManualClock(), base_url=discord.base_url)

    with pytest.raises(Refused) as refused:
        await kind.check({"token": KEY})

    assert refused.value.reason is RefusedReason.AUTH
    assert KEY not in f"{refused.value!r}{refused.value.__cause__!r}"


async def test_a_discord_that_is_away_is_tried_later(discord: PretendDiscord) -> None:
    kind = DiscordKind(ManualClock(), base_url=discord.base_url)

    async with discord.unreachable():
        with pytest.raises(TryLater):
            await kind.check({"token": discord.bot.token})


async def test_a_bot_whose_presses_go_elsewhere_is_found_out(discord: PretendDiscord) -> None:
    kind = DiscordKind(ManualClock(), base_url=discord.base_url)
    healthy = await kind.probe("dc", {"token": discord.bot.token})

    discord.bot.identifies_left = 0
    probe = await kind.probe("dc", {"token": discord.bot.token})

    assert (healthy.identity.bot_id, healthy.troubles) == (discord.bot.id, ())
    assert healthy.clock is not None
    assert "too often" in probe.troubles[0]


def test_a_bot_is_brought_into_a_server_by_a_link(kind: DiscordKind) -> None:
    link = kind.invite_link(Identity("1100000000000000001", "Conch"))

    assert link.startswith("https://discord.com/oauth2/authorize?client_id=1100000000000000001&")
    assert "scope=bot+applications.commands" in link
    assert kind.hello_link(Identity("1", "Conch"), "code") is None


@pytest.mark.parametrize("address", ["https://evil.example/api/v10", "https://discord.com.evil.example/api/v10"])
def test_keys_go_to_no_other_host(address: str) -> None:
    with pytest.raises(UsageError):
        DiscordKind(ManualClock(), base_url=address)

    assert DiscordKind(ManualClock(), base_url=address, allow_remote=True).kind == "discord"


@pytest.mark.parametrize("address", ["wss://evil.example/", "https://gateway.discord.gg/", "nonsense"])
def test_nor_is_listened_elsewhere(address: str) -> None:
    with pytest.raises(UsageError):
        DiscordKind(ManualClock(), gateway_url=address)
