import pytest

from core.clock import ManualClock
from web.sessions import LINK_LIFE, MOST_LINKS, MOST_SESSIONS, SESSION_LIFE, Sessions


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
