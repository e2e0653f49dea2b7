"""Clocks: the system's goes on by itself, the manual one only by hand."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from core.clock import Clock, ManualClock, SystemClock, to_milliseconds


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()], ids=["system", "manual"])
async def test_every_clock_tells_utc_in_whole_milliseconds(clock: Clock) -> None:
    now = clock.now()

    await clock.sleep(0)

    assert now.tzinfo is UTC
    assert now.microsecond % 1000 == 0
    assert clock.monotonic() >= 0


def test_a_moment_in_another_zone_is_the_same_moment_in_utc() -> None:
    tokyo = datetime(2026, 1, 1, 9, 0, 0, 123_999, tzinfo=timezone(timedelta(hours=9)))

    assert to_milliseconds(tokyo) == datetime(2026, 1, 1, 0, 0, 0, 123_000, tzinfo=UTC)


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock = ManualClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        group.create_task(sleeper("late", 3))
        group.create_task(sleeper("early", 1))
        await clock.advance(10)

    assert woken == [("early", 1.0), ("late", 3.0)]


async def test_who_sleeps_again_within_the_time_wakes_again() -> None:
    clock = ManualClock()
    woken: list[float] = []

    async def ticking() -> None:
        for _ in range(3):
            await clock.sleep(2)
            woken.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        group.create_task(ticking())
        await clock.advance(6)

    assert woken == [2.0, 4.0, 6.0]


async def test_a_sleep_that_is_not_over_goes_on_sleeping() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep(5))

    await clock.advance(4.9)
    still_asleep = not task.done()
    await clock.advance(0.1)
    await task

    assert still_asleep
    assert clock.sleeping == 0
