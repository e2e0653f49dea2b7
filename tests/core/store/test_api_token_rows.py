"""Tokens of the API, as rows: told once, known by their hash, forgotten when revoked."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import ManualClock
from core.errors import NotFound, UsageError
from core.store import tables, tokens
from core.store.database import Database
from core.store.tokens import ApiTokens, TokenRecord, TokenScope


@pytest.fixture
def rows(database: Database) -> ApiTokens:
    return ApiTokens(database)


async def test_a_token_is_known_by_its_name_and_what_it_may_do(rows: ApiTokens, clock: ManualClock) -> None:
    token, record = await rows.add(" laptop ", TokenScope.READ)

    known = await rows.known(token)

    assert known == record == TokenRecord(record.id, "laptop", TokenScope.READ, clock.now(), None)
    assert token.startswith("conch_")
    assert len(token) - len("conch_") >= 192 / 6


async def test_of_a_token_only_the_hash_is_kept(rows: ApiTokens, database: Database) -> None:
    token, _ = await rows.add("laptop", TokenScope.FULL)

    stored = await database.read(lambda connection: connection.execute(select(tables.api_token)).all())

    assert token.removeprefix("conch_") not in str(stored)


@pytest.mark.parametrize("wrong", ["", "conch_", "conch_guess", "\ud800", "\0"])
async def test_a_token_that_nobody_was_given_is_nobodys(rows: ApiTokens, wrong: str) -> None:
    await rows.add("laptop", TokenScope.FULL)

    assert await rows.known(wrong) is None


async def test_two_tokens_are_never_the_same(rows: ApiTokens) -> None:
    first, _ = await rows.add("one", TokenScope.FULL)
    second, _ = await rows.add("two", TokenScope.FULL)

    assert first != second


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "two\nlines", "bell\x07"])
async def test_a_name_is_a_short_line(rows: ApiTokens, name: str) -> None:
    with pytest.raises(UsageError, match="name of up to 40"):
        await rows.add(name, TokenScope.FULL)


async def test_a_name_belongs_to_one_token(rows: ApiTokens) -> None:
    await rows.add("Laptop", TokenScope.FULL)

    with pytest.raises(UsageError, match="Revoke it first"):
        await rows.add("laptop", TokenScope.READ)


async def test_there_are_only_so_many(rows: ApiTokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 1)
    await rows.add("one", TokenScope.FULL)

    with pytest.raises(UsageError, match="Revoke one first"):
        await rows.add("two", TokenScope.FULL)


async def test_a_revoked_token_is_nobodys_and_its_name_is_free(rows: ApiTokens) -> None:
    token, record = await rows.add("laptop", TokenScope.FULL)

    revoked = await rows.revoke("LAPTOP")

    assert revoked == record
    assert await rows.known(token) is None
    assert not await rows.stands(record.id)
    await rows.add("laptop", TokenScope.FULL)


async def test_only_what_is_there_can_be_revoked(rows: ApiTokens) -> None:
    with pytest.raises(NotFound, match="conch tokens list"):
        await rows.revoke("laptop")


async def test_when_it_was_used_is_known_to_a_minute(rows: ApiTokens, clock: ManualClock) -> None:
    _, record = await rows.add("laptop", TokenScope.FULL)
    first = clock.now()
    await rows.note_use(record)

    await clock.advance(59)
    [early] = await rows.list()
    await rows.note_use(early)
    [still] = await rows.list()
    await clock.advance(1)
    await rows.note_use(still)
    [later] = await rows.list()

    assert (early.last_used, still.last_used) == (first, first)
    assert later.last_used == first + timedelta(minutes=1)
