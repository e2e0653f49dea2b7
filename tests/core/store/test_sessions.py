"""Engine sessions: saved with the end of a turn, never ahead of the log."""

import asyncio

import pytest

from core.store.database import Database
from core.store.log import Append
from core.store.sessions import SavedSession, SaveSession, Sessions
from tests.core.event_logs import completed, said, started


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return Sessions(database)


async def test_a_session_has_seen_the_turn_that_it_is_saved_with(database: Database, sessions: Sessions) -> None:
    await database.commit(Append("c", (said(), started())))

    await database.commit(Append("c", (completed(),)), SaveSession("c", "demo", {"resume": "é", "n": [1, None]}))

    assert await sessions.get("c", "demo") == SavedSession(2, {"resume": "é", "n": [1, None]})


async def test_a_session_has_not_seen_what_came_after_its_turn_at_the_same_moment(
    database: Database, sessions: Sessions
) -> None:
    await database.commit(Append("c", (said(), started())))

    await asyncio.gather(
        database.commit(Append("c", (completed(),)), SaveSession("c", "demo", {})),
        database.commit(Append("c", (said("later"),))),
    )

    saved = await sessions.get("c", "demo")
    assert saved is not None
    assert saved.seq == 2


async def test_without_the_end_of_a_turn_a_session_has_seen_the_newest_event(
    database: Database, sessions: Sessions
) -> None:
    await database.commit(Append("c", (said(), said())))

    await database.commit(SaveSession("c", "demo", {}))

    assert await sessions.get("c", "demo") == SavedSession(1, {})


async def test_each_engine_remembers_for_itself_and_the_newest_memory_counts(
    database: Database, sessions: Sessions
) -> None:
    await database.commit(Append("c", (said(),)), SaveSession("c", "demo", {"n": 1}))

    await database.commit(SaveSession("c", "demo", {"n": 2}), SaveSession("c", "other", {"n": 3}))

    assert await sessions.get("c", "demo") == SavedSession(0, {"n": 2})
    assert await sessions.get("c", "other") == SavedSession(0, {"n": 3})
    assert await sessions.get("d", "demo") is None


async def test_a_session_that_took_part_in_nothing_new_has_seen_no_more_than_before(
    database: Database, sessions: Sessions
) -> None:
    await database.commit(Append("c", (said(), said())))

    await database.commit(Append("c", (said(),)), SaveSession("c", "demo", {}, seen=1))

    assert await sessions.get("c", "demo") == SavedSession(1, {})
