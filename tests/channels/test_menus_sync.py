"""Native menus: sent in the background, when they differ from what the app has, and never twice for nothing."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from channels.base import Capabilities, ChatRef, Inbound, MessageRef, OutboundMessage, Pace, Sink
from channels.memory.channel import CAPABILITIES
from channels.menus_sync import TROUBLE, MenuSync
from channels.outbox import Outbox
from channels.rates import Rates
from commands.menus import NativeMenu, native_menu
from core.checkpoints import NO_CHECKPOINTS
from core.clock import ManualClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store.channels import Channels
from core.store.database import Database


class Shelf:
    """An app whose menu can be set; `faults` are raised one after the other before it takes one."""

    def __init__(self, channel_id: str) -> None:
        self.id = channel_id
        self.asked = 0
        self.menus: list[NativeMenu] = []
        self.faults: list[Exception] = []

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    async def set_menu(self, menu: NativeMenu) -> None:
        self.asked += 1
        if self.faults:
            raise self.faults.pop(0)
        self.menus.append(menu)

    async def start(self) -> None: ...

    async def listen(self, sink: Sink) -> None: ...

    async def stop(self) -> None: ...

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        return ()

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        raise AssertionError("nothing is said here")


class Drawer(Shelf):
    """An app without menus of its own."""

    set_menu = None  # type: ignore[assignment]


class Place:
    """An outbox with bots, and lives of the sync over one database."""

    def __init__(self, database: Database, outbox: Outbox, clock: ManualClock) -> None:
        self.database, self.outbox, self.clock = database, outbox, clock
        self.records = Channels(database)
        self._syncs: list[MenuSync] = []

    async def connect(self, *channels: Shelf) -> None:
        """Bots whose keys work."""
        for channel in channels:
            await self.outbox.connect(channel, Rates(Pace(0, 0, 0), self.clock))
            self.outbox.open(channel.id)

    def live(self, **more: Any) -> MenuSync:
        """Begin to look, as after a start."""
        sync = MenuSync(self.outbox, self.records, self.clock, **more)
        sync.start()
        self._syncs.append(sync)
        return sync

    async def end(self) -> None:
        for sync in self._syncs:
            await sync.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def place(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Place]:
    database = await Database.open(f"sqlite:///{tmp_path}/conch.db", clock)
    place = Place(database, Outbox(database=database, clock=clock, checkpoints=NO_CHECKPOINTS, owner="me"), clock)
    yield place
    await place.end()
    await database.close()


async def asked(place: Place, shelf: Shelf, times: int) -> None:
    """Come back when the app was given a menu so often, and what came of it is noted."""
    async with asyncio.timeout(10):
        while shelf.asked < times:  # noqa: ASYNC110 - what is looked at is a picture
            await asyncio.sleep(0)
    await place.clock.advance(0)


async def kept(place: Place, channel_id: str, digest: str | None = None) -> None:
    """Come back when this is known to be what the app has."""
    wanted = digest or native_menu("memory").digest()
    async with asyncio.timeout(10):
        while await place.records.menu_digest(channel_id) != wanted:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)


@pytest.mark.report("R057", "R165")
async def test_a_menu_is_sent_once_however_often_the_program_starts(place: Place) -> None:
    shelf = Shelf("c1")
    first = place.live()
    await place.connect(shelf)
    await kept(place, "c1")
    await first.close()

    place.live()
    for _ in range(20):
        place.outbox.open("c1")
        await place.clock.advance(1)

    assert shelf.menus == [native_menu("memory")]


@pytest.mark.report("R165")
async def test_a_menu_that_a_new_release_changed_is_sent_again(place: Place) -> None:
    shelf = Shelf("c1")
    await place.connect(shelf)
    first = place.live()
    await kept(place, "c1")
    await first.close()
    newer = NativeMenu("memory", native_menu("memory").default[:1])

    place.live(menu_for=lambda _: newer)
    await kept(place, "c1", newer.digest())

    assert shelf.menus == [native_menu("memory"), newer]


async def test_a_bot_that_is_connected_later_gets_its_menu(place: Place) -> None:
    shelf = Shelf("c1")
    place.live()
    await place.clock.advance(5)

    await place.connect(shelf)
    await kept(place, "c1")

    assert shelf.asked == 1


async def test_an_app_without_menus_is_left_alone(place: Place) -> None:
    drawer, shelf = Drawer("c1"), Shelf("c2")
    place.live()

    await place.connect(drawer, shelf)
    await kept(place, "c2")

    assert await place.records.menu_digest("c1") is None


@pytest.mark.report("R057")
@pytest.mark.parametrize(
    ("fault", "wait"),
    [(TryLater("busy", retry_after=300), 300), (TryLater("away"), TROUBLE), (MaybeDone("no receipt"), TROUBLE)],
    ids=["told when", "away", "no receipt"],
)
async def test_a_menu_that_is_not_taken_now_is_sent_when_the_app_says(
    place: Place, fault: Exception, wait: float
) -> None:
    shelf = Shelf("c1")
    shelf.faults.append(fault)
    place.live()
    await place.connect(shelf)
    await asked(place, shelf, 1)
    await place.clock.advance(wait - 1)
    place.outbox.open("c1")
    await place.clock.advance(0)
    too_early = shelf.asked

    await place.clock.advance(2)
    await asked(place, shelf, 2)
    await kept(place, "c1")

    assert (too_early, shelf.asked) == (1, 2)


async def test_one_bots_trouble_is_not_anothers(place: Place) -> None:
    poor, rich = Shelf("c1"), Shelf("c2")
    poor.faults += [TryLater("busy", retry_after=10_000), RuntimeError("broken")]
    place.live()

    await place.connect(poor, rich)
    await kept(place, "c2")

    assert poor.menus == []


async def test_a_menu_that_will_never_be_taken_is_not_sent_over_and_over(place: Place) -> None:
    shelf = Shelf("c1")
    shelf.faults.append(Refused("no", RefusedReason.BAD_PAYLOAD))
    place.live()
    await place.connect(shelf)
    await asked(place, shelf, 1)

    for _ in range(20):
        await place.clock.advance(TROUBLE)
        place.outbox.open("c1")

    assert shelf.asked == 1
    assert await place.records.menu_digest("c1") is None


async def test_a_menu_that_a_wrong_key_kept_from_being_sent_goes_with_the_right_one(place: Place) -> None:
    shelf = Shelf("c1")
    shelf.faults.append(Refused("who?", RefusedReason.AUTH))
    place.live()
    await place.connect(shelf)
    await asked(place, shelf, 1)

    place.outbox.open("c1")
    await kept(place, "c1")

    assert shelf.asked == 2


async def test_a_bot_that_is_taken_away_while_its_menu_waits_is_forgotten(place: Place) -> None:
    shelf = Shelf("c1")
    shelf.faults.append(TryLater("busy", retry_after=30))
    place.live()
    await place.connect(shelf)
    await asked(place, shelf, 1)

    place.outbox.disconnect("c1")
    await place.clock.advance(60)

    assert shelf.asked == 1
