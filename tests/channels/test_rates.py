"""The rate scheduler: finals before edits, each chat its own pace, no chat held by another."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.base import ChatRef, Pace
from channels.emulators.telegram.flood import Bucket
from channels.rates import SLACK, Rates
from core.clock import ManualClock
from core.events import ChatKind

PACE = Pace(per_chat=1.0, per_group=0.5, overall=10.0, burst=1)
ADA, BOB = ChatRef("bot", "ada"), ChatRef("bot", "bob")
TEAM = ChatRef("bot", "team", ChatKind.GROUP)


async def times_of(rates: Rates, clock: ManualClock, chat: ChatRef, count: int) -> list[float]:
    times: list[float] = []

    async def sender() -> None:
        for _ in range(count):
            await rates.final(chat)
            times.append(clock.monotonic())

    task = asyncio.create_task(sender())
    await clock.advance(60)
    await task
    return times


async def test_messages_to_one_chat_keep_its_pace() -> None:
    clock = ManualClock()

    times = await times_of(Rates(PACE, clock), clock, ADA, 4)

    assert times == pytest.approx([0, 1, 2, 3])


async def test_a_group_has_a_pace_of_its_own() -> None:
    clock = ManualClock()

    times = await times_of(Rates(PACE, clock), clock, TEAM, 3)

    assert times == pytest.approx([0, 2, 4])


async def test_no_rate_means_no_waiting() -> None:
    clock = ManualClock()

    times = await times_of(Rates(Pace(0, 0, 0), clock), clock, ADA, 50)

    assert times == [0.0] * 50


async def test_many_chats_share_the_bots_budget() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    times: list[float] = []

    async def sender(number: int) -> None:
        await rates.final(ChatRef("bot", str(number)))
        times.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(sender(number))
        await clock.advance(10)

    assert sum(1 for at in times if at == 0) == 10 - 10 * SLACK
    assert max(times) == pytest.approx(2.2)


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, SLACK)), min_size=1, max_size=80))
@settings(max_examples=30)
async def test_what_leaves_within_the_budgets_arrives_within_them(sends: list[tuple[int, float]]) -> None:
    clock = ManualClock()
    rates = Rates(Pace(per_chat=1.0, per_group=0.5, overall=10.0, burst=3), clock)
    arrivals: list[tuple[float, int]] = []

    async def sender(chat: int) -> None:
        for delay in [delay for to, delay in sends if to == chat]:
            await rates.final(ChatRef("bot", str(chat)))
            arrivals.append((clock.monotonic() + delay, chat))

    async with asyncio.TaskGroup() as group:
        for chat in range(5):
            group.create_task(sender(chat))
        await clock.advance(100)

    overall, chats = Bucket(10, 10.0), [Bucket(3, 1.0) for _ in range(5)]
    for at, chat in sorted(arrivals):
        assert (overall.wait(at), chats[chat].wait(at)) == (0, 0)
        overall.take(at)
        chats[chat].take(at)


@pytest.mark.report("R063")
async def test_a_chat_that_must_wait_does_not_hold_another() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    rates.hold(ADA, 30)

    bob = await times_of(rates, clock, BOB, 2)

    assert bob == pytest.approx([0, 1])


@pytest.mark.report("R059")
async def test_a_held_chat_waits_out_the_time_that_the_app_gave() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    rates.hold(ADA, 30)
    rates.hold(ADA, 5)

    ada = await times_of(rates, clock, ADA, 1)

    assert ada == pytest.approx([30])


@pytest.mark.report("R055")
async def test_edits_give_way_to_a_waiting_final() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    await rates.final(ADA)
    waiting = asyncio.create_task(rates.final(ADA))
    await clock.advance(0.5)

    while_waiting = rates.edit(BOB)
    await clock.advance(0.5)
    await waiting

    assert (while_waiting, rates.edit(BOB)) == (False, True)


@pytest.mark.report("R055")
async def test_edits_stop_before_the_budget_is_used_up() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)

    granted = sum(rates.edit(ADA) for _ in range(20))
    await rates.final(ADA)

    assert granted == 5
    assert clock.monotonic() == 0.0


@pytest.mark.report("R065")
async def test_no_edit_goes_to_a_chat_that_must_wait() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    rates.hold(ADA, 3)

    early = rates.edit(ADA)
    await clock.advance(3)

    assert (early, rates.edit(ADA)) == (False, True)


async def test_a_place_is_taken_at_once_only_where_nobody_waits_for_one() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)

    first, again = rates.final_now(ADA), rates.final_now(ADA)
    waiting = asyncio.create_task(rates.final(ADA))
    await clock.advance(0.5)
    while_ada_waits = rates.final_now(BOB)
    await clock.advance(0.5)
    await waiting

    assert (first, again, while_ada_waits, rates.final_now(BOB)) == (True, False, False, True)


async def test_another_pace_is_kept_from_the_next_message_on() -> None:
    clock = ManualClock()
    rates = Rates(PACE, clock)
    await rates.final(ADA)
    rates.keep(PACE)
    by_the_old = rates.final_now(ADA)

    rates.keep(replace(PACE, per_chat=0))

    assert not by_the_old
    assert rates.final_now(ADA)
