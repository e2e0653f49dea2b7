"""Messages on their way into the core: handed over in order, and nobody is remembered who is quiet."""

import asyncio
from datetime import UTC, datetime

import pytest

from channels.arrivals import TOGETHER, Arrivals, Batch
from channels.base import ChatRef, InboundMessage, Sender
from core.clock import ManualClock
from core.preferences import Preferences
from core.settings import Settings
from core.store.seats import Seat

MINUTE = 61.0


class Way:
    """Arrivals whose core takes a batch as soon as `open` is set."""

    def __init__(self, **settings: int) -> None:
        self.clock = ManualClock()
        self.open = asyncio.Event()
        self.open.set()
        self.batches: list[list[str]] = []
        self.preferences = Preferences(
            Settings.model_validate({"gather_ms": 700, "messages_per_minute": 20, **settings})
        )
        self.arrivals = Arrivals(self._take, self._fault, self.preferences, self.clock)

    def say(self, person: str, text: str = "hello") -> bool:
        message = InboundMessage(
            chat=ChatRef("bot", person),
            sender=Sender(person, "Ada"),
            message_id=text,
            text=text,
            update_id=text,
            at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        return self.arrivals.take(Seat("bot", person, "", person), message)

    async def _take(self, batch: Batch) -> None:
        await self.open.wait()
        self.batches.append([message.text for message in batch.messages])

    @property
    def taken(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def _fault(self, _: Seat, fault: BaseException) -> None:
        raise fault


async def test_what_one_person_writes_is_taken_in_order() -> None:
    way = Way(gather_ms=0)

    for number in range(5):
        way.say("ada", str(number))
        await way.clock.advance(0)

    assert way.taken == list("01234")


async def test_what_waits_for_the_core_goes_as_one() -> None:
    way = Way(gather_ms=0, messages_per_minute=0)
    way.open.clear()
    way.say("ada", "first")
    await way.clock.advance(0)

    for number in range(TOGETHER + 1):
        way.say("ada", str(number))
    way.open.set()
    await way.clock.advance(0)

    assert way.batches == [["first"], [str(number) for number in range(TOGETHER)], [str(TOGETHER)]]


async def test_of_what_goes_as_one_nothing_that_was_dropped_goes_along() -> None:
    way = Way(gather_ms=0, messages_per_minute=0)
    way.open.clear()
    for text in ("first", "second"):
        way.say("ada", text)
        await way.clock.advance(0)

    dropped = way.arrivals.drop_person("bot", "ada")
    way.say("ada", "third")
    way.open.set()
    await way.clock.advance(0)

    assert [message.text for message in dropped] == ["first", "second"]
    assert way.batches == [["first"], ["third"]]


async def test_nobody_is_remembered_who_was_quiet_for_a_minute() -> None:
    way = Way()
    for person in range(1_000):
        way.say(str(person))
    await way.clock.advance(MINUTE)

    for _ in range(1_000):
        way.say("the same")

    assert len(way.arrivals) == 1
    await way.arrivals.close()


async def test_whoever_wrote_a_moment_ago_is_remembered() -> None:
    way = Way(messages_per_minute=2)
    way.say("ada", "1")
    way.say("ada", "2")
    await way.clock.advance(MINUTE / 2)
    way.say("bob")

    told_to_slow_down = way.say("ada", "3")

    assert told_to_slow_down
    await way.arrivals.close()


@pytest.mark.parametrize("why", ["still being taken", "still held"])
async def test_nobody_is_forgotten_whose_message_is_on_its_way(why: str) -> None:
    way = Way(messages_per_minute=1)
    if why == "still being taken":
        way.open.clear()
    way.say("ada", "1")
    await way.clock.advance(30.0)
    if why == "still held":
        way.say("ada", "2")
    await way.clock.advance(29.0)

    for person in range(10):
        way.say(str(person))
    dropped = way.arrivals.drop_person("bot", "ada")

    assert [message.text for message in dropped] == ["1" if why == "still being taken" else "2"]
    await way.arrivals.close()


@pytest.mark.parametrize(("changed", "told"), [({}, True), ({"messages_per_minute": 0}, False)])
async def test_a_setting_that_is_changed_counts_from_the_next_message_on(changed: dict[str, int], told: bool) -> None:
    way = Way(messages_per_minute=1, gather_ms=0)
    way.say("ada", "first")

    await way.preferences.change(changed)
    slow_down = way.say("ada", "second")

    assert slow_down is told
    await way.arrivals.close()
