"""The demo calendar's OAuth server: who gets tokens, and for what."""

import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.apps.demo_account import AuthorizationRequest, DemoAccount
from core.clock import ManualClock
from core.errors import NotAllowed
from core.safety.secrets import SecretBox
from core.store.apps import Tickets
from core.store.database import Database

BACK = "http://127.0.0.1:7654/connect/back"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ASKED = AuthorizationRequest("code", "conch", BACK, "calendar", "state", CHALLENGE, "S256")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def account(folder: Path, clock: ManualClock) -> AsyncIterator[DemoAccount]:
    database = await Database.open(f"sqlite:///{folder / 'conch.db'}", clock)
    yield DemoAccount(Tickets(database), SecretBox("k" * 32), clock, BACK)
    await database.close()


def for_code(good: str, **other: str) -> Mapping[str, str]:
    asked = {"client_id": "conch", "grant_type": "authorization_code", "code": good, "redirect_uri": BACK}
    return {**asked, "code_verifier": VERIFIER, **other}


async def test_a_code_is_good_for_tokens_once(account: DemoAccount) -> None:
    code = await account.code(ASKED)

    (first, tokens), (second, refusal) = await account.token(for_code(code)), await account.token(for_code(code))

    account.check(str(tokens["access_token"]))
    assert (first, second, refusal) == (200, 400, {"error": "invalid_grant"})


@pytest.mark.parametrize(
    "other", [{"code_verifier": "w" * 64}, {"redirect_uri": "https://evil.example.com/"}, {"code": "guessed"}]
)
async def test_a_code_without_its_proof_is_good_for_nothing(account: DemoAccount, other: dict[str, str]) -> None:
    code = await account.code(ASKED)

    assert await account.token(for_code(code, **other)) == (400, {"error": "invalid_grant"})


async def test_a_code_is_good_for_ten_minutes(account: DemoAccount, clock: ManualClock) -> None:
    code = await account.code(ASKED)

    await clock.advance(600)

    assert await account.token(for_code(code)) == (400, {"error": "invalid_grant"})


async def test_a_foreign_client_and_a_foreign_wish_are_refused(account: DemoAccount) -> None:
    assert await account.token({"client_id": "evil"}) == (401, {"error": "invalid_client"})
    assert await account.token({"client_id": "conch"}) == (400, {"error": "unsupported_grant_type"})


async def test_an_access_token_ends_and_the_refresh_token_brings_another(
    account: DemoAccount, clock: ManualClock
) -> None:
    tokens = account.granted()
    await clock.advance(timedelta(hours=1).total_seconds())

    refresh = {"client_id": "conch", "grant_type": "refresh_token", "refresh_token": str(tokens["refresh_token"])}
    status, news = await account.token(refresh)

    with pytest.raises(NotAllowed):
        account.check(str(tokens["access_token"]))
    account.check(str(news["access_token"]))
    assert status == 200


async def test_a_refresh_token_opens_no_calendar(account: DemoAccount) -> None:
    with pytest.raises(NotAllowed):
        account.check(str(account.granted()["refresh_token"]))


@pytest.mark.parametrize(
    "other",
    [
        {"response_type": "token"},
        {"client_id": "evil"},
        {"redirect_uri": f"{BACK}/../x"},
        {"scope": "everything"},
        {"state": ""},
        {"code_challenge_method": "plain"},
        {"code_challenge": ""},
    ],
)
async def test_the_page_accepts_only_what_our_client_asks(account: DemoAccount, other: dict[str, str]) -> None:
    assert account.accepts(ASKED)
    assert not account.accepts(replace(ASKED, **other))
