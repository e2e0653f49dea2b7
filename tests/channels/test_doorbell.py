"""The doorbell: which strangers the owner hears of, and when."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.base import Channel, ChatRef, InboundMessage, Sender
from channels.cards.places import CardPlaces
from channels.doorbell import Doorbell
from channels.gate import Gate
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.notices import Notices
from core.clock import ManualClock
from core.store.database import Database
from core.store.groups import Groups
from core.store.log import EventLog
from core.store.people import People
from core.store.seats import Seats


class Said(Notices):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.more = asyncio.Condition()

    async def say(self, channel: Channel, chat: ChatRef, key: str, words: str, *also: object, **how: object) -> None:
        async with self.more:
            self.words.setdefault(key, words)
            self.more.notify_all()

    async def lines(self, number: int) -> None:
        """Come back once so many lines were said."""
        async with asyncio.timeout(5), self.more:
            await self.more.wait_for(lambda: len(self.words) >= number)


class Door:
    """A bot that Ada owns, before which strangers come."""

    def __init__(self, database: Database, clock: ManualClock) -> None:
        people, groups, app = People(database), Groups(database), MemoryApp(clock)
        self.people, self.clock, self.said = people, clock, Said()
        self.gate = Gate(people, groups, clock)
        places = CardPlaces(EventLog(database), people, groups, Seats(database))
        self.bell = Doorbell(places, self.gate, self.said, clock)
        self.channel = MemoryChannel("c1", app, clock, key=app.key)

    async def comes(self, name: str) -> None:
        """A stranger writes, whose id is their name in lower case."""
        sender, at = Sender(name.lower(), name), self.clock.now()
        message = InboundMessage(ChatRef("c1", sender.id), sender, "1", "hello?", f"{name} {at}", at)
        if await self.gate.stranger("c1", message) is not None:
            await self.bell.ring(self.channel, message)
        await self.clock.advance(1)

    @property
    def told(self) -> list[str]:
        """How each line to the owner begins."""
        return [words.partition(" wrote to me")[0] for words in self.said.words.values()]


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    clock = ManualClock()
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    found = Door(database, clock)
    await found.people.let_in("c1", "ada", by="hello", name="Ada")
    yield found
    await found.bell.close()
    await database.close()


async def test_those_who_come_within_half_an_hour_are_told_of_together_after_it(door: Door) -> None:
    for name in ("Bob", "Cem", "Dora"):
        await door.comes(name)
    at_once = door.told

    await door.clock.advance(1800)
    await door.said.lines(2)

    assert at_once == ["Bob"]
    assert door.told == ["Bob", "Cem and Dora"]
    assert "`conch people let-in bob`" in next(iter(door.said.words.values()))


async def test_who_was_told_of_late_is_not_told_of_again(door: Door) -> None:
    await door.comes("Bob")
    await door.comes("Cem")

    await door.clock.advance(1800)
    await door.said.lines(2)
    await door.clock.advance(1800)
    await door.comes("Eve")

    assert door.told == ["Bob", "Cem", "Eve"]


async def test_many_are_counted(door: Door) -> None:
    for number in range(8):
        await door.comes(f"S{number}")

    await door.clock.advance(1800)
    await door.said.lines(2)

    assert door.told[-1] == "S1, S2, S3, S4, S5 and 2 more"
