"""What every pretend app is made of: faults, the journal, the listener."""

import asyncio

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from channels.emulators.clock import SystemClock, wait_or
from channels.emulators.faults import Faults
from channels.emulators.journal import Journal
from channels.emulators.listener import Listener, cut, cut_in_mid_response
from core.clock import ManualClock

KINDS = frozenset({"slow", "flood", "cut"})


def struck(faults: Faults, method: str = "send", chat: int = 1) -> list[str]:
    return [fault.kind for fault in faults.strike(method, chat, KINDS)]


def test_a_fault_strikes_as_often_as_it_says() -> None:
    faults = Faults(KINDS)
    faults.add("flood", times=2)

    assert [struck(faults) for _ in range(3)] == [["flood"], ["flood"], []]


def test_a_fault_for_ever_goes_on_until_it_is_cleared() -> None:
    faults = Faults(KINDS)
    faults.add("flood", times=None)

    before = [struck(faults) for _ in range(3)]
    faults.clear()

    assert (before, struck(faults)) == ([["flood"]] * 3, [])


def test_the_oldest_fault_strikes_first_and_a_slow_one_with_it() -> None:
    faults = Faults(KINDS)
    for kind in ("cut", "slow", "flood"):
        faults.add(kind)

    assert [struck(faults) for _ in range(3)] == [["slow", "cut"], ["flood"], []]


def test_a_fault_keeps_to_its_method_and_chat() -> None:
    faults = Faults(KINDS)
    faults.add("cut", method="Send", chat=2)

    assert (struck(faults, "edit", 2), struck(faults, "send", 1), struck(faults, "SEND", 2)) == ([], [], ["cut"])


def test_a_kind_that_does_not_fit_the_call_waits() -> None:
    faults = Faults(KINDS)
    faults.add("cut")

    assert (faults.strike("send", 1, {"flood"}), struck(faults)) == ((), ["cut"])


@given(st.integers(1, 20), st.integers(0, 40), st.integers(-2, 45), st.integers(1, 10))
def test_a_journal_gives_what_it_still_has(limit: int, count: int, after: int, at_most: int) -> None:
    journal: Journal[int] = Journal(limit)
    for number in range(1, count + 1):
        journal.append(number)

    entries = journal.after(after, at_most)

    kept = [number for number in range(1, count + 1) if number > count - limit and number > after]
    assert entries == [(number, number) for number in kept[:at_most]]
    assert journal.last == count


async def test_everyone_who_waits_for_a_journal_wakes() -> None:
    journal: Journal[str] = Journal()
    waiting = [asyncio.create_task(journal.changed(0)) for _ in range(3)]
    await asyncio.sleep(0)

    journal.append("news")

    await asyncio.gather(*waiting)
    await journal.changed(0)


async def test_waiting_ends_with_whatever_comes_first() -> None:
    clock, done, never = ManualClock(), asyncio.get_running_loop().create_future(), asyncio.Future[None]()
    done.set_result(None)
    waiting = asyncio.create_task(wait_or(clock, never, 5))

    await clock.advance(5)

    assert (await wait_or(clock, done, 5), await waiting) == (True, False)


async def test_the_machines_clock_goes_on() -> None:
    clock = SystemClock()
    before = clock.monotonic(), clock.now()

    await clock.sleep(0)

    assert clock.monotonic() >= before[0]
    assert clock.now() >= before[1]


async def answer(request: web.BaseRequest) -> web.StreamResponse:
    """Good, cut before the answer, or cut within it."""
    if request.path == "/cut":
        return cut(request)
    if request.path == "/half":
        return await cut_in_mid_response(request)
    return web.Response(text="fine")


async def get(port: int, path: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
        return await response.text()


@pytest.mark.parametrize(
    ("path", "error"), [("/cut", aiohttp.ServerDisconnectedError), ("/half", aiohttp.ClientPayloadError)]
)
async def test_a_connection_is_cut_where_it_should_be(path: str, error: type[Exception]) -> None:
    listener = Listener(answer)
    await listener.start()

    with pytest.raises(error):
        await get(listener.port, path)

    assert await get(listener.port, "/") == "fine"
    await listener.stop()


async def test_a_listener_goes_away_and_comes_back_on_its_port() -> None:
    listener = Listener(answer)
    await listener.start()
    port = listener.port

    await listener.go_away()
    await listener.go_away()
    with pytest.raises(aiohttp.ClientConnectorError):
        await get(port, "/")
    await listener.come_back()
    await listener.come_back()

    assert (await get(port, "/"), listener.port) == ("fine", port)
    await listener.stop()
    assert not listener.reachable


async def test_a_listener_that_stops_while_away_gives_its_port_back() -> None:
    listener, second = Listener(answer), Listener(answer)
    await listener.start()
    await listener.go_away()

    await listener.stop()
    await second.start(listener.port)

    assert await get(second.port, "/") == "fine"
    await second.stop()


async def test_a_body_has_a_limit() -> None:
    async def read(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text=str(len(await request.read())))

    listener = Listener(read, max_body=100)
    await listener.start()
    url = f"http://127.0.0.1:{listener.port}/"

    async with aiohttp.ClientSession() as session:
        statuses = [(await session.post(url, data=bytes(size))).status for size in (100, 101)]

    assert statuses == [200, 413]
    await listener.stop()
