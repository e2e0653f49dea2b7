"""Lanes: order within a key, none between keys, nothing left when there is no work."""

import asyncio

from core.lanes import Lanes


def unexpected(key: str, fault: BaseException) -> None:
    raise AssertionError(f"lane {key} failed") from fault


async def test_things_of_one_key_are_handled_in_order_and_one_at_a_time() -> None:
    handled: list[int] = []
    inside = 0

    async def handler(_: str, items: list[int]) -> None:
        nonlocal inside
        inside += 1
        assert inside == 1
        await asyncio.sleep(0)
        handled.extend(items)
        inside -= 1

    lanes = Lanes(handler, unexpected)

    for number in range(20):
        lanes.put("chat", number)
    await lanes.settled()

    assert handled == list(range(20))


async def test_a_key_that_waits_does_not_hold_another() -> None:
    gate, quick = asyncio.Event(), asyncio.Event()
    handled: list[str] = []

    async def handler(key: str, items: list[str]) -> None:
        if key == "slow":
            await gate.wait()
        handled.extend(items)
        quick.set()

    lanes = Lanes(handler, unexpected)

    lanes.put("slow", "slow")
    lanes.put("quick", "quick")
    await quick.wait()
    gate.set()
    await lanes.settled()

    assert handled == ["quick", "slow"]


async def test_what_waits_is_handled_together_up_to_the_limit() -> None:
    batches: list[list[int]] = []

    async def handler(_: str, items: list[int]) -> None:
        batches.append(items)

    lanes = Lanes(handler, unexpected, at_once=3)

    for number in range(7):
        lanes.put("chat", number)
    await lanes.settled()

    assert batches == [[0, 1, 2], [3, 4, 5], [6]]


async def test_a_lane_goes_on_after_its_handler_failed() -> None:
    faults: list[str] = []
    handled: list[int] = []

    async def handler(_: str, items: list[int]) -> None:
        if items == [1]:
            raise ValueError("one")
        handled.extend(items)

    lanes = Lanes(handler, lambda key, fault: faults.append(f"{key}: {fault}"))

    for number in range(3):
        lanes.put("chat", number)
    await lanes.settled()

    assert handled == [0, 2]
    assert faults == ["chat: one"]


async def test_an_idle_lane_leaves_nothing_behind() -> None:
    async def handler(_: str, items: list[int]) -> None:
        await asyncio.sleep(0)

    lanes = Lanes(handler, unexpected)

    for number in range(100):
        lanes.put(f"chat {number}", number)
    busy = len(lanes)
    await lanes.settled()

    assert (busy, len(lanes)) == (100, 0)


async def test_closing_ends_lanes_where_they_stand() -> None:
    started = asyncio.Event()
    finished: list[int] = []

    async def handler(_: str, items: list[int]) -> None:
        started.set()
        await asyncio.Event().wait()
        finished.extend(items)

    lanes = Lanes(handler, unexpected)
    lanes.put("chat", 1)
    await started.wait()

    await lanes.close()

    assert (finished, len(lanes)) == ([], 0)


async def test_a_lane_is_busy_until_its_last_thing_is_handled() -> None:
    gate = asyncio.Event()

    async def handler(_: str, __: list[int]) -> None:
        await gate.wait()

    lanes = Lanes(handler, unexpected)
    lanes.put("chat", 1)
    await asyncio.sleep(0)
    handling, other = lanes.busy("chat"), lanes.busy("another")
    gate.set()
    await lanes.settled()

    assert (handling, other, lanes.busy("chat")) == (True, False, False)
