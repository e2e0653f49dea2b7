"""Connecting: a key in whatever was pasted, addresses that keys may go to, and the hello link."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.abilities import Drafts, Edits, Files, NativeMenus, Presses, Typing
from channels.base import Channel, Identity
from channels.telegram.kind import TelegramKind
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, UsageError

SECRET = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
KEY = f"123456789:{SECRET}"
OLDER = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

BOTFATHER = f"""Done! Congratulations on your new bot. You will find it at t.me/conch_bot.

Use this token to access the HTTP API:
{KEY}
Keep your token secure and store it safely, it can be used by anyone to control your bot.

For a description of the Bot API, see this page: https://core.telegram.org/bots/api"""

IDENTITY = Identity("123456789", "Conch", "conch_bot")


@pytest.fixture
def kind() -> TelegramKind:
    return TelegramKind(ManualClock())


@pytest.mark.parametrize(
    "pasted",
    [
        KEY,
        BOTFATHER,
        f"  `{KEY}`  ",
        f"TELEGRAM_TOKEN={KEY}\n",
        f"https://api.telegram.org/bot{KEY}/getMe",
        f"old: {OLDER}\nnew: {KEY}.",
    ],
)
def test_the_key_is_found_in_whatever_was_pasted(kind: TelegramKind, pasted: str) -> None:
    assert kind.find_credentials(pasted) == {"token": KEY}


@pytest.mark.parametrize(
    "pasted",
    ["", "hello", "123456789", f"123:{SECRET}", f"123456789:{SECRET[:-1]}", "12:30:45", f"xoxb-{SECRET}", "9" * 5000],
)
def test_what_has_not_the_shape_of_a_key_is_none(kind: TelegramKind, pasted: str) -> None:
    assert kind.find_credentials(pasted) is None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="0123456789:Aa_- \n", max_size=200))
def test_a_found_key_has_the_shape_of_one(pasted: str) -> None:
    found = TelegramKind(ManualClock()).find_credentials(pasted)

    assert found is None or len(found["token"].partition(":")[2]) >= 35


def test_the_sdk_is_not_loaded_before_a_bot_is_used() -> None:
    look = "import sys; import channels.telegram.kind; print('telegram' in sys.modules)"

    printed = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "False"


async def test_what_is_not_shaped_like_a_key_is_never_sent(kind: TelegramKind) -> None:
    with pytest.raises(Refused) as refused:
        await kind.check({"token": "my dog's name"})

    assert refused.value.reason is RefusedReason.AUTH


@pytest.mark.parametrize(
    "address",
    ["https://api.telegram.org/bot", "http://127.0.0.1:8081/bot", "http://localhost/bot", "http://[::1]:9/bot"],
)
def test_keys_go_to_telegram_and_to_this_machine(address: str) -> None:
    assert TelegramKind(ManualClock(), base_url=address, base_file_url=address).kind == "telegram"


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/bot",
        "http://api.telegram.org/bot",
        "https://api.telegram.org.example.org/bot",
        "https://api.telegram.org@example.org/bot",
        "https://api.telegram.org:444/bot",
        "http://10.0.0.7/bot",
    ],
)
@pytest.mark.parametrize("which", ["base_url", "base_file_url"])
def test_keys_go_nowhere_else_unless_it_is_switched_on(which: str, address: str) -> None:
    with pytest.raises(UsageError):
        TelegramKind(ManualClock(), **{which: address})  # type: ignore[arg-type]  # one of two texts

    assert TelegramKind(ManualClock(), allow_remote=True, **{which: address})


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/bot", "api.telegram.org/bot", "", "http:///bot"])
def test_what_is_no_address_is_refused_even_when_switched_on(address: str) -> None:
    with pytest.raises(UsageError):
        TelegramKind(ManualClock(), base_url=address, allow_remote=True)


def test_the_hello_link_hands_the_code_over(kind: TelegramKind) -> None:
    assert kind.hello_link(IDENTITY, "k7Qx_-9") == "https://t.me/conch_bot?start=k7Qx_-9"


def test_without_a_username_there_is_no_link(kind: TelegramKind) -> None:
    assert kind.hello_link(Identity("1", "Conch"), "abc") is None


def test_a_connected_bot_can_do_what_telegram_can(kind: TelegramKind) -> None:
    channel: Channel = kind.connect("tg", {"token": KEY}, IDENTITY)

    assert channel.id == "tg"
    assert all(isinstance(channel, ability) for ability in (Edits, Drafts, Typing, Presses, Files, NativeMenus))


@pytest.mark.report("R121")
def test_a_key_shows_in_no_part_of_a_channel(kind: TelegramKind) -> None:
    channel = kind.connect("tg", {"token": KEY}, IDENTITY)

    assert SECRET not in f"{channel!r} {kind!r}"
