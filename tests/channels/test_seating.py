"""Seats are looked at and changed by one at a time, and nothing is kept of those that nobody looks at."""

import asyncio
import gc
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from channels.seating import Seating
from core.clock import ManualClock
from core.store.database import Database
from core.store.seats import Seat, SeatRecord

ADA = Seat("bot", "7", "", "7")
BOB = Seat("bot", "8", "", "8")


@pytest.fixture
async def seating(tmp_path: Path) -> AsyncIterator[Seating]:
    database = await Database.open(f"sqlite:///{tmp_path}/conch.db", ManualClock())
    yield Seating(database)
    await database.close()


async def test_who_looks_second_sees_what_the_first_one_chose(seating: Seating) -> None:
    async def count() -> None:
        async with seating.alone(ADA) as record:
            goal = record.pending_goal if record else None
            await seating.hold(SeatRecord(ADA, "private", None, str(int(goal or 0) + 1)))

    await asyncio.gather(*(count() for _ in range(10)))

    async with seating.alone(ADA) as after:
        assert after == SeatRecord(ADA, "private", None, "10")


async def test_another_seat_does_not_wait(seating: Seating) -> None:
    async with seating.alone(ADA) as ada, seating.alone(BOB) as bob:
        assert (ada, bob) == (None, None)


async def test_a_fault_lets_the_next_one_in(seating: Seating) -> None:
    with pytest.raises(ValueError, match="broken"):
        async with seating.alone(ADA):
            raise ValueError("broken")

    async with seating.alone(ADA) as record:
        assert record is None


async def test_what_waits_is_replaced_as_a_whole(seating: Seating) -> None:
    async with seating.alone(ADA):
        waiting = SeatRecord(ADA, "private", None, "sleep", pending_plan=True)
        await seating.hold(waiting)
        await seating.hold(replace(waiting, pending_goal=None))

    async with seating.alone(ADA) as record:
        assert record == SeatRecord(ADA, "private", None, None, pending_plan=True)


async def test_many_seats_leave_nothing_behind(seating: Seating) -> None:
    for number in range(200):
        async with seating.alone(Seat("bot", str(number), "", "7")):
            pass

    gc.collect()
    assert not [kept for kept in gc.get_objects() if type(kept).__name__ == "_Turnstile"]
