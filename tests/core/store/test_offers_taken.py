"""An offer that many take at once: one of them does, and one turn waits for it; also where several programs write."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from core.cards import Offer, OfferKind, TakenOffer
from core.clock import ManualClock
from core.decisions import Clear
from core.events import OfferResolved, OfferShown
from core.offers.carrying import ResolveOffer, TakeOffer, carrying_on
from core.store.database import Database
from core.store.log import Append, Decide, EventLog
from core.store.queue import MAX_WAITING, Enqueue, Queue
from tests.core.event_logs import completed, said, started
from tests.core.lives import message

OFFER = Offer(
    offer_id="o", kind=OfferKind.APP, target="gmail", name="Gmail", description="d", why="w", by="cue", request="r"
)
TAKE = TakeOffer("c", ResolveOffer("o", "accepted", "Ada"), carrying_on(TakenOffer(offer=OFFER), None))
ASKED = Append("c", (said(), started(), OfferShown(offer=OFFER), completed()))


async def outcomes(database: Database) -> list[str]:
    events = await EventLog(database).read("c")
    return [event.data.outcome for event in events if isinstance(event.data, OfferResolved)]


async def test_of_many_that_take_it_one_does(database: Database) -> None:
    await database.commit_one(ASKED)

    taken = await asyncio.gather(*(database.commit_one(TAKE) for _ in range(100)))

    assert sum(taken) == 1
    assert len(await Queue(database).waiting("c")) == 1
    assert await outcomes(database) == ["accepted"]
    assert await EventLog(database).state("c") == await EventLog(database).rebuild("c")


async def test_what_waits_is_read_as_it_was_put(database: Database) -> None:
    await database.commit(ASKED, TAKE)

    [item] = await Queue(database).waiting("c")

    assert item.message == TAKE.message
    assert item.message.carries == TakenOffer(offer=OFFER)


async def test_it_waits_also_where_as_many_messages_wait_as_may(database: Database) -> None:
    await database.commit_one(ASKED)
    for number in range(MAX_WAITING):
        await database.commit_one(Enqueue("c", message(str(number))))

    taken = await database.commit_one(TAKE)

    assert taken
    assert len(await Queue(database).waiting("c")) == MAX_WAITING + 1


@pytest.mark.parametrize(
    "ends", [Decide("c", ResolveOffer("o", "dismissed", "Ada")), Decide("c", Clear()), Append("c", ())]
)
async def test_what_is_not_open_leaves_nothing_waiting(database: Database, ends: Append | Decide) -> None:
    shown = ends != Append("c", ())
    await database.commit_one(ASKED if shown else Append("c", (said(), started(), completed())))
    await database.commit_one(ends)

    taken = await database.commit_one(TAKE)

    assert not taken
    assert await Queue(database).waiting("c") == ()


@pytest.fixture
async def writers(postgres_url: str, clock: ManualClock) -> AsyncIterator[tuple[Database, ...]]:
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(3):
            opened.append(await Database.open(postgres_url, clock, busy_timeout=10, shared=True))
            stack.push_async_callback(opened[-1].close)
        yield tuple(opened)


@pytest.mark.postgres
async def test_of_many_on_several_programs_one_does(writers: tuple[Database, ...]) -> None:
    await writers[0].commit_one(ASKED)

    taken = await asyncio.gather(*(one.commit_one(TAKE) for _ in range(40) for one in writers))

    assert sum(taken) == 1
    assert len(await Queue(writers[0]).waiting("c")) == 1
    assert await outcomes(writers[0]) == ["accepted"]
