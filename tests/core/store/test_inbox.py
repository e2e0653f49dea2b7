"""The inbox: every update once, in order, until it is done."""

import asyncio

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.inbox import Done, Inbox, InboxCounts, Poisoned, Received
from tests.core.store.conftest import Open

TELEGRAM = "telegram"


@pytest.fixture
def inbox(database: Database) -> Inbox:
    return Inbox(database)


def received(*update_ids: str, channel_id: str = TELEGRAM) -> list[Received]:
    return [Received(channel_id, update_id, {"update_id": update_id}) for update_id in update_ids]


async def pending(inbox: Inbox, channel_id: str = TELEGRAM) -> list[str]:
    return [update.update_id for update in await inbox.pending(channel_id)]


@pytest.mark.report("R031")
async def test_an_update_is_new_once(database: Database, inbox: Inbox) -> None:
    first = await database.commit(*received("1", "2"))
    again = await database.commit(*received("2", "3", "3"))

    assert (first, again) == ((True, True), (False, True, False))
    assert await pending(inbox) == ["1", "2", "3"]


async def test_of_many_deliveries_at_once_one_is_new(database: Database) -> None:
    results = await asyncio.gather(*(database.commit_one(received("1")[0]) for _ in range(10)))

    assert sorted(results) == [False] * 9 + [True]


async def test_channels_do_not_share_update_ids(database: Database, inbox: Inbox) -> None:
    assert await database.commit(*received("1"), *received("1", channel_id="discord")) == (True, True)

    assert await pending(inbox, "discord") == ["1"]


async def test_a_payload_comes_back_as_it_was(database: Database, inbox: Inbox, clock: ManualClock) -> None:
    payload = {"message": {"text": "é\u2028 'x' \"y\"", "ids": [1, 2.5, None, True]}}

    await database.commit(Received(TELEGRAM, "1", payload))

    (update,) = await inbox.pending(TELEGRAM)
    assert (update.payload, update.at) == (payload, clock.now())


@pytest.mark.parametrize("odd", ["half of a \ud83d", "nothing: \0"])
async def test_a_payload_that_is_hardly_text_is_stored_and_comes_back(
    database: Database, inbox: Inbox, odd: str
) -> None:
    await database.commit(Received(TELEGRAM, "1", {"text": odd}))

    (update,) = await inbox.pending(TELEGRAM)
    assert update.payload == {"text": odd}


@pytest.mark.report("R025")
async def test_what_is_not_done_is_taken_up_after_a_restart_in_the_order_of_arrival(
    database: Database, reopen: Open
) -> None:
    await database.commit(*received("9", "10", "2"))
    await database.commit(Done(TELEGRAM, "10"))
    await database.close()

    again = Inbox(await reopen())

    assert await pending(again) == ["9", "2"]


async def test_an_update_is_done_once(database: Database, inbox: Inbox) -> None:
    await database.commit(*received("1"))

    results = await asyncio.gather(*(database.commit_one(Done(TELEGRAM, "1")) for _ in range(3)))

    assert results == [True, False, False]
    assert await database.commit_one(Done(TELEGRAM, "1")) is False
    assert await pending(inbox) == []


async def test_an_update_that_never_came_cannot_be_done(database: Database) -> None:
    assert await database.commit(Done(TELEGRAM, "1"), Poisoned(TELEGRAM, "2", "odd")) == (False, False)


async def test_a_done_update_that_comes_again_stays_done(database: Database, inbox: Inbox) -> None:
    await database.commit(*received("1"))
    await database.commit(Done(TELEGRAM, "1"))

    again = await database.commit_one(received("1")[0])

    assert (again, await pending(inbox)) == (False, [])


async def test_a_poisoned_update_is_skipped_and_counted(database: Database, inbox: Inbox) -> None:
    await database.commit(*received("1", "2", "3"))

    results = await database.commit(Poisoned(TELEGRAM, "1", "not a message"), Poisoned(TELEGRAM, "1", "again"))

    assert results == (True, False)
    assert await pending(inbox) == ["2", "3"]
    assert await inbox.counts(TELEGRAM) == InboxCounts(pending=2, poisoned=1)
    assert await inbox.counts("discord") == InboxCounts(pending=0, poisoned=0)


async def test_done_and_poisoned_exclude_each_other(database: Database, inbox: Inbox) -> None:
    await database.commit(*received("1"))

    assert await database.commit(Done(TELEGRAM, "1"), Poisoned(TELEGRAM, "1", "odd")) == (True, False)
    assert await inbox.counts(TELEGRAM) == InboxCounts(pending=0, poisoned=0)


async def test_pending_updates_come_in_pages(database: Database, inbox: Inbox) -> None:
    await database.commit(*received(*(str(number) for number in range(150))))

    first = await inbox.pending(TELEGRAM, limit=100)
    second = await inbox.pending(TELEGRAM, after=first[-1].arrival, limit=100)

    assert [update.update_id for update in (*first, *second)] == [str(number) for number in range(150)]
