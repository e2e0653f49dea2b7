"""Several programs that write to one PostgreSQL database at the same moment: what is promised to one holds for all.

(How they share the work, and hear of each other, is another matter; a server takes the database for itself.)
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from core.clock import ManualClock
from core.store.actions import ClaimActions, Denied, OfferActions
from core.store.channels import Channels
from core.store.database import Database
from core.store.inbox import Done, Received
from core.store.log import AlreadySent, Append, EventLog
from core.store.outbox import Claim, Kind, Post
from core.store.people import People, Role
from core.store.seats import Seat
from tests.core.event_logs import said

pytestmark = pytest.mark.postgres

ADA = Seat("telegram", "7", "", "7")


@pytest.fixture
async def writers(postgres_url: str, clock: ManualClock) -> AsyncIterator[tuple[Database, ...]]:
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(3):
            opened.append(await Database.open(postgres_url, clock, busy_timeout=10, shared=True))
            stack.push_async_callback(opened[-1].close)
        yield tuple(opened)


def post(key: str) -> Post:
    return Post(key, 0, 1, "telegram", "7", "private", None, "{}", Kind.ANSWER)


async def test_a_log_has_no_gaps_and_its_fold_is_its_own(writers: tuple[Database, ...]) -> None:
    await asyncio.gather(
        *(one.commit(Append(f"c{n % 5}", (said(str(n)),))) for n in range(100) for one in writers),
        *(one.commit(*(Append(f"c{n}", (said(),)) for n in order)) for one in writers for order in ((0, 4), (4, 0))),
    )

    log, count = EventLog(writers[0]), 0
    for conversation in await log.page(10):
        events = await log.read(conversation.id)
        count += len(events)
        assert [event.seq for event in events] == list(range(len(events)))
        assert await log.state(conversation.id) == await log.rebuild(conversation.id)
    assert count == 3 * (100 + 4)


async def test_a_message_is_accepted_once(writers: tuple[Database, ...]) -> None:
    results = await asyncio.gather(
        *(one.commit_one(Append("c", (said(),), (f"m{n}",))) for n in range(50) for one in writers)
    )

    assert sum(isinstance(result, tuple) for result in results) == 50
    assert sum(isinstance(result, AlreadySent) for result in results) == 100
    assert len(await EventLog(writers[0]).read("c")) == 50


async def test_an_update_is_new_once_and_done_once(writers: tuple[Database, ...]) -> None:
    new = await asyncio.gather(
        *(one.commit_one(Received("telegram", str(n), {})) for n in range(50) for one in writers)
    )
    done = await asyncio.gather(*(one.commit_one(Done("telegram", str(n))) for n in range(50) for one in writers))

    assert (sum(new), sum(done)) == (50, 50)


async def test_a_reply_is_posted_once_and_claimed_by_one(writers: tuple[Database, ...], clock: ManualClock) -> None:
    ids = await asyncio.gather(*(one.commit_one(post(str(n))) for n in range(50) for one in writers))
    lease = clock.now() + timedelta(minutes=1)
    posted = [id_ for id_ in ids if id_ is not None]

    claims = await asyncio.gather(
        *(
            one.commit(*(Claim(id_, str(place), lease) for id_ in posted[:: 1 - 2 * (place % 2)]))
            for place, one in enumerate(writers)
        )
    )

    assert len(posted) == 50
    assert sum(sum(theirs) for theirs in claims) == 50


async def test_of_a_thousand_presses_at_once_one_gets_the_actions(
    writers: tuple[Database, ...], clock: ManualClock
) -> None:
    await writers[0].commit(OfferActions(ADA, "a", "token", "undo", clock.now() + timedelta(minutes=10)))

    results = await asyncio.gather(
        *(
            one.commit_one(ClaimActions("token", ADA, f"{place}:{n}", "m"))
            for n in range(333)
            for place, one in enumerate(writers)
        )
    )

    assert results.count("undo") == 1
    assert results.count(Denied.USED) == len(results) - 1


async def test_of_many_let_in_at_once_one_is_the_owner(writers: tuple[Database, ...]) -> None:
    roles = await asyncio.gather(
        *(People(one).let_in("telegram", f"{place}", by="hello", name="A") for place, one in enumerate(writers))
    )

    assert sorted(roles) == [Role.OWNER, Role.PERSON, Role.PERSON]


async def test_the_same_bot_connected_by_all_is_one(writers: tuple[Database, ...]) -> None:
    results = await asyncio.gather(
        *(Channels(one).add(f"c{place}", "telegram", "77", "Conch", None, "s") for place, one in enumerate(writers))
    )

    assert [new for _, new in results].count(True) == 1
    assert len(await Channels(writers[0]).list()) == 1
