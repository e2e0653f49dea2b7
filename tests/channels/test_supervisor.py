"""The supervisor: a channel that breaks is started again, says how it is, and troubles no other."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from channels.base import ChatRef, Conflict, Form, HealthState, Press, Sender, Sink, Update
from channels.supervisor import CONFLICT_RETRY, Supervisor
from commands.values import ValueItem
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater

AROUND = 0.16


class Unsteady:
    """A channel whose every start plays the next of these: an error, or None to be online until it is cancelled."""

    id = "c1"

    def __init__(self, *plays: Exception | None) -> None:
        self._plays = list(plays)
        self.starts = 0

    async def start(self) -> None:
        self.starts += 1

    async def listen(self, sink: Sink) -> None:
        play = self._plays.pop(0) if self._plays else None
        if play is None:
            sink.online()
            await asyncio.Event().wait()
        else:
            raise play

    async def stop(self) -> None:
        pass


class Kept:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.updates: list[Update] = []

    async def store(self, updates: Sequence[Update]) -> None:
        self.updates += updates

    def online(self) -> None:
        pass

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()


def supervised(clock: ManualClock, *plays: Exception | None) -> tuple[Supervisor, Unsteady, list[str]]:
    channel, usable = Unsteady(*plays), list[str]()
    supervisor = Supervisor(channel, Kept(), clock, on_usable=lambda: usable.append("now"))  # type: ignore[arg-type]
    return supervisor, channel, usable


async def test_a_channel_that_connects_is_online_and_usable() -> None:
    clock = ManualClock()
    supervisor, _, usable = supervised(clock, None)

    supervisor.start()
    await clock.advance(0)
    state = supervisor.health.state
    await supervisor.stop()

    assert (state, usable) == (HealthState.ONLINE, ["now"])
    assert supervisor.health.state is HealthState.OFF


@pytest.mark.report("R133")
async def test_the_waits_grow_and_start_anew_once_it_was_online() -> None:
    clock = ManualClock()
    broken = TryLater("no route")
    supervisor, channel, _ = supervised(clock, broken, broken, broken, None)
    waits = []

    supervisor.start()
    for _ in range(3):
        await clock.advance(0)
        health = supervisor.health
        assert health.retry_at is not None
        waits.append((health.retry_at - clock.now()).total_seconds())
        await clock.advance(waits[-1] + 0.01)
    state = supervisor.health.state
    await supervisor.stop()

    assert (state, channel.starts) == (HealthState.ONLINE, 4)
    assert waits == [pytest.approx(expected, rel=AROUND) for expected in (1, 2, 5)]


async def test_the_time_that_the_app_gave_is_waited_out() -> None:
    clock = ManualClock()
    supervisor, channel, _ = supervised(clock, TryLater("flood", retry_after=300.0), None)

    supervisor.start()
    await clock.advance(299)
    before = channel.starts
    await clock.advance(2)
    after = channel.starts
    await supervisor.stop()

    assert (before, after) == (1, 2)


@pytest.mark.report("R123")
async def test_a_conflict_is_tried_again_every_minute() -> None:
    clock = ManualClock()
    supervisor, channel, _ = supervised(clock, Conflict("other"), Conflict("other"), None)

    supervisor.start()
    await clock.advance(0)
    state, detail = supervisor.health.state, supervisor.health.detail
    await clock.advance(CONFLICT_RETRY)
    await clock.advance(CONFLICT_RETRY)
    healed = supervisor.health.state
    await supervisor.stop()

    assert state is HealthState.CONFLICT
    assert detail is not None
    assert "Another program" in detail
    assert (healed, channel.starts) == (HealthState.ONLINE, 3)


@pytest.mark.parametrize(
    ("reason", "state"),
    [(RefusedReason.AUTH, HealthState.NEEDS_TOKEN), (RefusedReason.FORBIDDEN, HealthState.ERROR)],
)
async def test_a_refusal_is_not_tried_again(reason: RefusedReason, state: HealthState) -> None:
    clock = ManualClock()
    supervisor, channel, _ = supervised(clock, Refused("no", reason))

    supervisor.start()
    await clock.advance(3600)
    health = supervisor.health
    await supervisor.stop()

    assert (health.state, channel.starts) == (state, 1)
    assert health.detail


async def test_a_fault_nobody_foresaw_is_told_and_tried_again() -> None:
    clock = ManualClock()
    supervisor, _channel, _ = supervised(clock, ZeroDivisionError("oops"), None)

    supervisor.start()
    await clock.advance(0)
    first = supervisor.health
    await clock.advance(2)
    second = supervisor.health
    await supervisor.stop()

    assert (first.state, second.state) == (HealthState.ERROR, HealthState.ONLINE)
    assert first.detail is not None
    assert "oops" not in first.detail


@pytest.mark.report("R131")
async def test_health_tells_when_the_app_last_said_something_useful() -> None:
    clock = ManualClock()
    supervisor, _, _ = supervised(clock, None)
    supervisor.start()
    await clock.advance(60)

    await supervisor.store([Update("1", payload())])
    at = supervisor.health.last_event
    await supervisor.store([])
    await supervisor.stop()

    assert at == clock.now()


async def test_what_comes_when_nothing_is_to_be_received_is_not_taken() -> None:
    supervisor, _, _ = supervised(ManualClock(), None)
    before = await _outcome(supervisor)
    supervisor.start()
    meanwhile = await _outcome(supervisor)
    await supervisor.stop()
    after = await _outcome(supervisor)

    assert (before, meanwhile, after) == ("later", "taken", "later")
    assert supervisor.health.state is HealthState.OFF


async def _outcome(supervisor: Supervisor) -> str:
    """What becomes of an update that an app brings."""
    try:
        await supervisor.store([Update("1", payload())])
    except TryLater:
        return "later"
    supervisor.online()
    return "taken"


def payload() -> Mapping[str, Any]:
    return {"text": "hello"}
