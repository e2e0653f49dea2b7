"""How a Teams bot is connected: what is found in what was pasted, and what is said of keys that do not work."""

from typing import Any

import pytest

from channels.emulators.teams.pretend import PretendTeams
from channels.teams.addresses import Addresses, same
from channels.teams.kind import NO_ADDRESS, NO_APP, NO_SECRET, NO_TENANT, TeamsKind
from core.errors import Refused, RefusedReason, TryLater, UsageError
from tests.channels.teams.teams_rig import addresses_of, keys_of
from tests.journeys.living import FastClock

APP = "11111111-1111-4111-8111-111111111111"
TENANT = "22222222-2222-4222-8222-222222222222"
SECRET = "abc8Q~abcdefghijklmnopqrstuvwxyz012345.-"
ALL = {"app_id": APP, "tenant": TENANT, "secret": SECRET}
WHERE = "https://conch.example/channels/teams"


def kind_of(teams: PretendTeams, webhooks: str | None = WHERE) -> TeamsKind:
    return TeamsKind(FastClock(), addresses_of(teams), webhooks=webhooks)


# ---- what was pasted -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pasted",
    [
        f"{APP}\n{TENANT}\n{SECRET}",
        f"{SECRET} {APP} {TENANT}",
        f"Directory (tenant) ID: {TENANT}\nClient secret: {SECRET}\nApplication (client) ID: {APP}",
        f"MicrosoftAppId={APP}\nMicrosoftAppPassword={SECRET}\nMicrosoftAppTenantId={TENANT}",
        f"Application (client) ID\n{APP}\nObject ID\n33333333-3333-4333-8333-333333333333\n"
        f"Directory (tenant) ID\n{TENANT}\nValue {SECRET}\nSecret ID 44444444-4444-4444-8444-444444444444",
    ],
)
def test_the_keys_are_found_in_whatever_was_pasted(pasted: str) -> None:
    assert TeamsKind(FastClock()).find_credentials(pasted) == ALL


@pytest.mark.parametrize("pasted", ["", "hello", SECRET, "123456:AAaaBBbb"])
def test_without_an_id_there_is_no_key(pasted: str) -> None:
    assert TeamsKind(FastClock()).find_credentials(pasted) is None


def test_an_old_secret_of_no_shape_is_found_by_its_name() -> None:
    found = TeamsKind(FastClock()).find_credentials(f"{APP} {TENANT} secret: aB3$x/yZ09+=qwertyuiop")

    assert found == {**ALL, "secret": "aB3$x/yZ09+=qwertyuiop"}


# ---- checking it ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("missing", "words"), [("app_id", NO_APP), ("tenant", NO_TENANT), ("secret", NO_SECRET)])
async def test_what_is_missing_is_named_and_nothing_is_sent(missing: str, words: str) -> None:
    keys = {name: value for name, value in ALL.items() if name != missing}

    async with PretendTeams() as teams:
        with pytest.raises(Refused) as refusal:
            await kind_of(teams).check(keys)

        assert (str(refusal.value), teams.calls()) == (words, [])


async def test_without_an_address_of_ours_no_bot_is_connected() -> None:
    async with PretendTeams() as teams:
        with pytest.raises(Refused) as refusal:
            await kind_of(teams, webhooks=None).check(keys_of(teams))

    assert str(refusal.value) == NO_ADDRESS


@pytest.mark.report("R203")
async def test_good_keys_say_whose_they_are() -> None:
    async with PretendTeams() as teams:
        identity = await kind_of(teams).check(keys_of(teams))

    assert identity.bot_id == teams.bot.app_id


async def test_ids_that_were_pasted_the_other_way_round_work_all_the_same() -> None:
    async with PretendTeams(clock=FastClock()) as teams:
        kind, keys = kind_of(teams), keys_of(teams)
        turned = {**keys, "app_id": keys["tenant"], "tenant": keys["app_id"]}

        identity = await kind.check(turned)
        channel = kind.connect("tm", turned, identity)
        await channel.start()
        await channel.stop()

    assert identity.bot_id == teams.bot.app_id


@pytest.mark.parametrize(
    ("wrong", "box"),
    [
        ({"secret": "33333333-3333-4333-8333-333333333333"}, "Certificates & secrets"),
        ({"app_id": "33333333-3333-4333-8333-333333333333"}, "Application (client) ID"),
        ({"tenant": "33333333-3333-4333-8333-333333333333"}, "Directory (tenant) ID"),
    ],
)
async def test_a_wrong_key_names_the_box_to_look_at(wrong: dict[str, str], box: str) -> None:
    async with PretendTeams() as teams:
        with pytest.raises(Refused) as refusal:
            await kind_of(teams).check({**keys_of(teams), **wrong})

    assert refusal.value.reason is RefusedReason.AUTH
    assert box in str(refusal.value)
    assert teams.bot.password not in str(refusal.value)


async def test_a_sign_in_that_cannot_be_reached_is_tried_later() -> None:
    async with PretendTeams() as teams:
        kind, keys = kind_of(teams), keys_of(teams)
        async with teams.unreachable():
            with pytest.raises(TryLater):
                await kind.check(keys)


def test_the_messaging_endpoint_is_below_our_address() -> None:
    assert TeamsKind(FastClock(), webhooks=WHERE).endpoint("c1") == f"{WHERE}/c1/messages"


def places(name: str, address: str) -> dict[str, Any]:
    return {name: address}


# ---- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["login", "openid", "service"])
def test_keys_go_to_microsoft_or_this_machine_alone(name: str) -> None:
    with pytest.raises(UsageError, match=r"example\.org is not Microsoft"):
        Addresses(**places(name, "https://example.org/x"))

    here = Addresses(**places(name, "http://127.0.0.1:1/x"))
    anywhere = Addresses(**places(name, "https://example.org/x"), allow_remote=True)
    assert here != anywhere


@pytest.mark.parametrize(
    ("address", "is_microsofts"),
    [
        ("https://smba.trafficmanager.net/emea/", True),
        ("https://smba.infra.gcc.teams.microsoft.com/gcc/", True),
        ("http://smba.trafficmanager.net/emea/", False),
        ("https://smba.trafficmanager.net:444/emea/", False),
        ("https://smba.trafficmanager.net.example.org/", False),
        ("https://other.trafficmanager.net/", False),
        ("https://teams.microsoft.com.example.org/", False),
        ("http://127.0.0.1:9/", False),
        ("https://[::1", False),
    ],
)
def test_bots_write_to_addresses_of_microsoft_alone(address: str, is_microsofts: bool) -> None:
    assert Addresses().is_service(address) is is_microsofts


@pytest.mark.parametrize(
    ("address", "is_for_files"),
    [
        ("https://contoso-my.sharepoint.com/personal/ada/report.txt", True),
        ("https://evilsharepoint.com/report.txt", False),
        ("http://contoso.sharepoint.com/report.txt", False),
        ("http://127.0.0.1:9/report.txt", False),
        ("https://169.254.169.254/latest", False),
    ],
)
def test_files_are_fetched_from_microsofts_own_hosts_alone(address: str, is_for_files: bool) -> None:
    assert Addresses().is_for_files(address) is is_for_files


def test_a_slash_at_the_end_makes_no_other_place() -> None:
    assert same("https://smba.trafficmanager.net/amer", "https://SMBA.trafficmanager.net/amer/")
    assert not same("https://smba.trafficmanager.net/amer", "https://smba.trafficmanager.net/emea")
