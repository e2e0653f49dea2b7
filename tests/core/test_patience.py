"""Trying again: longer each time, never for ever in vain, only while the database cannot take anything."""

import asyncio
import random
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import Refused, RefusedReason, StoreUnavailable
from core.patience import JITTER, STEPS, backoff, patiently


@given(st.integers())
def test_waits_grow_and_then_stay_and_are_never_all_the_same(seed: int) -> None:
    waits = list(islice(backoff(source=random.Random(seed)), 20))

    expected = [*STEPS, *[STEPS[-1]] * (20 - len(STEPS))]
    assert all(abs(wait - step) <= step * JITTER for wait, step in zip(waits, expected, strict=True))
    assert len(set(waits)) > 1


def test_waits_can_have_steps_of_their_own() -> None:
    waits = list(islice(backoff((0.1, 10.0)), 3))

    assert waits == [pytest.approx(step, rel=JITTER) for step in (0.1, 10.0, 10.0)]


async def test_what_works_is_done_once() -> None:
    clock, calls = ManualClock(), 0

    async def work() -> str:
        nonlocal calls
        calls += 1
        return "done"

    assert await patiently(work, clock) == "done"
    assert (calls, clock.monotonic()) == (1, 0)


async def test_it_is_tried_until_the_database_takes_it() -> None:
    clock = ManualClock()
    tries: list[float] = []

    async def work() -> str:
        tries.append(clock.monotonic())
        if len(tries) < 4:
            raise StoreUnavailable("locked")
        return "done"

    trying = asyncio.create_task(patiently(work, clock))
    await clock.advance(60)

    assert await trying == "done"
    waits = [after - before for before, after in pairwise(tries)]
    assert waits == [pytest.approx(step, rel=JITTER + 0.01) for step in (1, 2, 5)]


async def test_it_waits_as_long_as_the_database_says() -> None:
    clock = ManualClock()
    tries: list[float] = []

    async def work() -> None:
        tries.append(clock.monotonic())
        if len(tries) == 1:
            raise StoreUnavailable("restarting", retry_after=20)

    trying = asyncio.create_task(patiently(work, clock))
    await clock.advance(21)
    await trying

    assert tries == [0, 20]


async def test_what_will_never_work_is_not_tried_again() -> None:
    calls = 0

    async def work() -> None:
        nonlocal calls
        calls += 1
        raise Refused("no", RefusedReason.BAD_PAYLOAD)

    with pytest.raises(Refused):
        await patiently(work, ManualClock())

    assert calls == 1
