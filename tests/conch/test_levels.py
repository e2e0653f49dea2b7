"""What there is at a moment, over a whole Conch; and that no figure says who."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from channels.memory.app import MemoryApp
from conch.admin import Admin
from conch.app import App
from conch.health import HealthLook
from conch.home import Home
from conch.levels import FRESH_SECONDS, LevelsLook
from core.clock import ManualClock
from core.store.inbox import Poisoned, Received
from core.store.outbox import Kind, Post


@pytest.fixture
def look(built: App) -> LevelsLook:
    return LevelsLook(built, HealthLook(built.database, built.registry, built.clock))


def post(channel_id: str) -> Post:
    return Post("k", 0, 1, channel_id, "chat", "private", None, "{}", Kind.NOTICE)


async def test_bots_updates_and_messages_are_counted_by_app_and_state(
    look: LevelsLook, built: App, shell: MemoryApp, clock: ManualClock
) -> None:
    await built.start()
    channel = (await Admin(built).add_channel("shell", shell.key)).channel
    await clock.advance(0)
    await built.database.commit(Received(channel.id, "1", {}), Received(channel.id, "2", {}))
    await clock.advance(90)
    await built.database.commit(Received(channel.id, "3", {}), Poisoned(channel.id, "2", "odd"), post("elsewhere"))

    levels = await look()
    await built.drain()

    assert dict(levels.channels) == {("shell", "online"): 1}
    assert dict(levels.inbox) == {("shell", "pending"): 2, ("shell", "poisoned"): 1}
    assert dict(levels.oldest) == {"shell": 90.0}
    assert levels.outbox == {"pending": 1, "sending": 0, "unknown": 0, "failed": 0, "expired": 0}
    assert (levels.can_store, levels.turns, levels.queued) == (True, 0, 0)


async def test_nothing_waits_in_a_fresh_program(look: LevelsLook) -> None:
    levels = await look()

    assert (dict(levels.channels), dict(levels.inbox), dict(levels.oldest)) == ({}, {}, {})
    assert sum(levels.outbox.values()) == 0


async def test_whoever_asks_without_end_gets_the_same_for_a_second(
    look: LevelsLook, built: App, clock: ManualClock
) -> None:
    first = await asyncio.gather(look(), look())
    await built.database.commit(post("c"))

    at_once = await look()
    await clock.advance(FRESH_SECONDS)
    later = await look()

    assert at_once is first[0] is first[1]
    assert later.outbox["pending"] == 1


async def test_a_database_that_takes_nothing_is_told(look: LevelsLook, place: Home) -> None:
    with closing(sqlite3.connect(place.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        levels = await look()

    assert not levels.can_store
    assert levels.queued == 0, "it can still be read"


async def test_a_database_that_is_gone_leaves_what_is_known_without_it(look: LevelsLook, built: App) -> None:
    await built.database.close()

    levels = await look()

    assert not levels.can_store
    assert levels.queued is None
    assert levels.outbox == {}
