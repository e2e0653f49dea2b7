from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.web_sessions import WebSessionRows
from web.sessions import LINK_LIFE, MOST_LINKS, MOST_SESSIONS, SEEN_EVERY, SESSION_LIFE, Device, Sessions


@pytest.fixture
def sessions(clock: ManualClock) -> Sessions:
    return Sessions(clock)


def test_a_link_is_exchanged_once(sessions: Sessions) -> None:
    token = sessions.new_link_token()

    first, second = sessions.exchange(token), sessions.exchange(token)

    assert first is not None
    assert sessions.knows(first)
    assert second is None


def test_a_links_token_is_no_session(sessions: Sessions) -> None:
    assert not sessions.knows(sessions.new_link_token())


def test_a_session_is_no_links_token(sessions: Sessions) -> None:
    session = sessions.exchange(sessions.new_link_token())

    assert session is not None
    assert sessions.exchange(session) is None


@pytest.mark.parametrize("token", ["", "x", "é", "\ud800"])
def test_what_was_never_handed_out_is_not_known(sessions: Sessions, token: str) -> None:
    assert sessions.exchange(token) is None
    assert not sessions.knows(token)


async def test_a_link_ends_in_time(sessions: Sessions, clock: ManualClock) -> None:
    token = sessions.new_link_token()

    await clock.advance(LINK_LIFE.total_seconds())

    assert sessions.exchange(token) is None


async def test_a_session_ends_in_time(sessions: Sessions, clock: ManualClock) -> None:
    session = sessions.exchange(sessions.new_link_token()) or ""

    await clock.advance(SESSION_LIFE.total_seconds())

    assert not sessions.knows(session)


def test_links_are_few_and_the_oldest_goes(sessions: Sessions) -> None:
    tokens = [sessions.new_link_token() for _ in range(MOST_LINKS + 1)]

    assert sessions.exchange(tokens[0]) is None
    assert sessions.exchange(tokens[1]) is not None


def test_sessions_are_bounded(sessions: Sessions) -> None:
    held = [sessions.exchange(sessions.new_link_token()) or "" for _ in range(MOST_SESSIONS + 1)]

    assert not sessions.knows(held[0])
    assert sessions.knows(held[-1])


def test_only_hashes_are_kept(sessions: Sessions) -> None:
    token = sessions.new_link_token()

    assert token not in repr(vars(sessions._links))


# ---- signing out, and what a page shows ------------------------------------------------------------------------------


def test_a_session_that_was_ended_is_good_for_nothing(sessions: Sessions) -> None:
    mine, other = sessions.begin(), sessions.begin()

    sessions.end(mine)

    assert not sessions.knows(mine)
    assert sessions.knows(other)


def test_all_others_are_ended(sessions: Sessions) -> None:
    others = [sessions.begin() for _ in range(3)]
    mine = sessions.begin()

    assert sessions.end_others(mine) == 3
    assert [sessions.knows(one) for one in (*others, mine)] == [False, False, False, True]


async def test_the_browser_seen_last_stands_first(sessions: Sessions, clock: ManualClock) -> None:
    first = sessions.begin(Device("10.0.0.1", "Firefox"))
    sessions.begin(Device("10.0.0.2", "Chrome"))
    await clock.advance(SEEN_EVERY.total_seconds())

    await sessions.seen(first)

    assert [(one.address, one.user_agent) for one in sessions.all()] == [
        ("10.0.0.1", "Firefox"),
        ("10.0.0.2", "Chrome"),
    ]
    assert sessions.end_by_id(sessions.all()[0].id)
    assert not sessions.end_by_id("nobody")
    assert not sessions.knows(first)


# ---- what outlives the process ---------------------------------------------------------------------------------------


@pytest.fixture
async def database(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    yield database
    await database.close()


async def test_a_restart_signs_nobody_out(database: Database, clock: ManualClock) -> None:
    before = Sessions(clock, WebSessionRows(database))
    kept, ended = before.begin(Device("::1", "x" * 400)), before.begin()
    before.end(ended)
    await before.store()

    after = Sessions(clock, WebSessionRows(database))
    await after.load()

    assert (after.knows(kept), after.knows(ended)) == (True, False)
    assert after.is_recent(kept)
    assert len(after.all()[0].user_agent) == 300


async def test_what_a_browser_keeps_is_not_in_the_database(database: Database, clock: ManualClock) -> None:
    sessions = Sessions(clock, WebSessionRows(database))
    session = sessions.begin()
    await sessions.store()

    [kept] = await WebSessionRows(database).standing()

    assert session not in repr(kept)


async def test_a_store_that_is_away_locks_nobody_out(database: Database, clock: ManualClock) -> None:
    sessions = Sessions(clock, WebSessionRows(database))
    await database.close()

    session = sessions.begin()
    await sessions.store()

    assert sessions.knows(session)


async def test_a_session_that_ended_in_time_is_not_taken_up(database: Database, clock: ManualClock) -> None:
    before = Sessions(clock, WebSessionRows(database))
    before.begin()
    await before.store()
    await clock.advance(SESSION_LIFE.total_seconds())

    after = Sessions(clock, WebSessionRows(database))
    await after.load()

    assert after.all() == []
