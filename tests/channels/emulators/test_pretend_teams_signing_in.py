"""Tokens of the pretend Teams: those that a bot gets, those that it must check, and ten that it must not let in."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from botbuilder.core import TurnContext

from channels.emulators.teams.forger import GOOD, KINDS
from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from core.clock import ManualClock
from tests.channels.emulators.teams_rig import SdkBot, on_sdk, on_wire, take, token_request


@pytest.fixture
async def teams(clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, apart=True, key=teams_key) as teams:
        yield teams


@pytest.fixture
async def heard() -> list[str]:
    return []


@pytest.fixture
async def sdk(teams: PretendTeams, heard: list[str]) -> AsyncIterator[SdkBot]:
    async def turn(context: TurnContext) -> None:
        heard.append(context.activity.text)

    async with on_sdk(teams, turn) as bot:
        yield bot


async def sign_in(teams: PretendTeams, tenant: str = "", **over: str) -> tuple[int, Any]:
    url = f"{teams.login_url}/{tenant or teams.bot.tenant}/oauth2/v2.0/token"
    given = token_request(teams.bot.app_id, teams.bot.password) | over
    async with aiohttp.ClientSession() as session, session.post(url, data=given) as response:
        return response.status, await response.json()


async def test_the_sdk_lets_in_a_good_token(teams: PretendTeams, sdk: SdkBot, heard: list[str]) -> None:
    status, _ = await teams.forger.post(teams.person("Ann"), "hello", GOOD)

    assert (status, heard) == (200, ["hello"])


@pytest.mark.parametrize("kind", KINDS)
async def test_the_sdk_lets_in_no_bad_token(teams: PretendTeams, sdk: SdkBot, heard: list[str], kind: str) -> None:
    status, _ = await teams.forger.post(teams.person("Ann"), "hello", kind)

    assert (status, heard) == (401, [])


def test_there_are_ten_kinds_of_bad_tokens() -> None:
    assert len(set(KINDS)) == 10


async def test_an_unknown_kind_of_token_is_refused(teams: PretendTeams) -> None:
    with pytest.raises(ValueError, match="no kind 'fine'"):
        await teams.forger.post(teams.person("Ann"), "hello", "fine")


async def test_keys_roll_over_with_the_old_one_still_published(teams: PretendTeams) -> None:
    old = teams.world.tokens.key.id

    new = teams.world.tokens.roll_over().id
    async with aiohttp.ClientSession() as session, session.get(teams.openid_url) as response:
        address = (await response.json())["jwks_uri"]
        async with session.get(address) as keys:
            published = [key["kid"] for key in (await keys.json())["keys"]]

    assert published == [old, new]
    assert old != new


async def test_an_old_key_may_be_gone_at_once(teams: PretendTeams) -> None:
    new = teams.world.tokens.roll_over(keep_old=False)

    assert teams.world.tokens.published == [new]


async def test_a_bot_signs_in_and_may_call(teams: PretendTeams) -> None:
    chat = teams.person("Ann").private_chat()

    status, answer = await sign_in(teams)
    async with on_wire(teams, take) as wire:
        body = {"type": "message", "text": "hi"}
        path = f"conversations/{chat.chat.id}/activities"
        sent, _ = await wire.call("POST", path, body, token=answer["access_token"])
        refused, why = await wire.call("POST", path, body, token="made up")

    assert (status, answer["expires_in"], answer["token_type"]) == (200, 3599, "Bearer")
    assert (sent, refused) == (201, 401)
    assert why == {"message": "Authorization has been denied for this request."}


async def test_a_token_is_worth_nothing_once_it_is_revoked(teams: PretendTeams) -> None:
    chat = teams.person("Ann").private_chat()
    async with on_wire(teams, take) as wire:
        teams.world.tokens.revoke()

        status, _ = await wire.send(chat.chat.id, "hi")

    assert status == 401


@pytest.mark.parametrize(
    ("over", "status", "error", "code"),
    [
        ({"client_secret": "wrong"}, 401, "invalid_client", "AADSTS7000215"),
        ({"client_id": "00000000-0000-4000-8000-000000000000"}, 400, "unauthorized_client", "AADSTS700016"),
        ({"scope": "https://graph.microsoft.com/.default"}, 400, "invalid_scope", "AADSTS70011"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type", "AADSTS70003"),
        ({"tenant": "33333333-3333-4333-8333-333333333333"}, 400, "invalid_request", "AADSTS90002"),
    ],
)
async def test_signing_in_wrongly_says_what_is_wrong(
    teams: PretendTeams, over: dict[str, str], status: int, error: str, code: str
) -> None:
    given = dict(over)

    refused, answer = await sign_in(teams, given.pop("tenant", ""), **given)

    assert (refused, answer["error"]) == (status, error)
    assert answer["error_description"].startswith(f"{code}: ")


async def test_no_secret_is_kept_of_a_sign_in(teams: PretendTeams) -> None:
    await sign_in(teams)
    await sign_in(teams, client_secret="wrong")

    # The thread writes them down in our loop, which has its turn here.
    await asyncio.sleep(0)

    assert [call.status for call in teams.calls("token")] == [200, 401]
    assert teams.bot.password not in repr(teams.calls("token"))
    assert "access_token" not in repr(teams.calls("token"))


async def test_the_sign_in_is_away_with_the_rest(teams: PretendTeams) -> None:
    async with teams.unreachable():
        with pytest.raises(aiohttp.ClientConnectionError):
            await sign_in(teams)
    status, _ = await sign_in(teams)

    assert status == 200


async def test_the_sign_in_breaks_on_demand(teams: PretendTeams) -> None:
    teams.faults.add("throttled", method="token", seconds=7)
    teams.faults.add("cut", method="openid")
    url = f"{teams.login_url}/{teams.bot.tenant}/oauth2/v2.0/token"

    async with aiohttp.ClientSession() as session:
        async with session.post(url, data={}) as response:
            throttled = response.status, response.headers["Retry-After"]
        with pytest.raises(aiohttp.ClientError):
            async with session.get(teams.openid_url) as response:
                await response.read()

    assert throttled == (429, "7")
