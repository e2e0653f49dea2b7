"""Connected bots as rows."""

import asyncio
from datetime import timedelta

import pytest

from core.clock import ManualClock
from core.errors import NotFound
from core.store.channels import ChannelRecord, Channels
from core.store.database import Database
from core.store.inbox import Inbox, Received
from core.store.log import Append, EventLog
from core.store.outbox import Kind, OutboxRows, Post
from core.store.people import People
from core.store.seats import Seat, Seats, TakeSeat
from tests.core.event_logs import said


@pytest.fixture
def channels(database: Database) -> Channels:
    return Channels(database)


async def test_a_bot_is_kept_with_its_sealed_key(channels: Channels, clock: ManualClock) -> None:
    record, new = await channels.add("c1", "telegram", "77", "Conch", "conch_bot", "sealed")

    assert new
    assert record == ChannelRecord("c1", "telegram", "77", "Conch", "conch_bot", "sealed", True, clock.now())
    assert await channels.get("c1") == record
    assert await channels.list() == (record,)


async def test_the_same_bot_again_gets_the_new_key_and_keeps_its_id(channels: Channels, clock: ManualClock) -> None:
    first, _ = await channels.add("c1", "telegram", "77", "Conch", None, "sealed")
    await channels.set_enabled("c1", False)
    await clock.advance(60)

    again, new = await channels.add("c2", "telegram", "77", "Renamed", "renamed_bot", "sealed anew")

    assert not new
    assert again == ChannelRecord(
        "c1", "telegram", "77", "Renamed", "renamed_bot", "sealed anew", True, first.created_at
    )
    assert len(await channels.list()) == 1


async def test_the_same_bot_connected_twice_at_once_is_one(channels: Channels) -> None:
    results = await asyncio.gather(*(channels.add(f"c{n}", "telegram", "77", "Conch", None, "s") for n in range(3)))

    assert [new for _, new in results] == [True, False, False]
    assert len(await channels.list()) == 1


async def test_a_bot_of_another_app_with_the_same_id_is_another(channels: Channels, clock: ManualClock) -> None:
    await channels.add("c1", "telegram", "77", "A", None, "s")
    await clock.advance(1)
    await channels.add("c2", "discord", "77", "B", None, "s")

    assert [record.id for record in await channels.list()] == ["c1", "c2"]


async def test_a_bot_is_turned_off_and_on(channels: Channels) -> None:
    await channels.add("c1", "telegram", "77", "Conch", None, "s")

    await channels.set_enabled("c1", False)
    off = await channels.get("c1")
    await channels.set_enabled("c1", True)
    on = await channels.get("c1")

    assert off is not None
    assert on is not None
    assert (off.enabled, on.enabled) == (False, True)


async def test_a_bot_that_is_not_there_cannot_be_turned_on(channels: Channels) -> None:
    with pytest.raises(NotFound):
        await channels.set_enabled("nowhere", True)


async def test_a_removed_bot_takes_its_people_and_messages_along_and_leaves_conversations(
    database: Database, channels: Channels, clock: ManualClock
) -> None:
    people, seat = People(database), Seat("c1", "7", "", "7")
    for channel_id in ("c1", "c2"):
        await channels.add(channel_id, "telegram", channel_id, "Conch", None, "s")
        await people.let_in(channel_id, "7", by="console", name="Ada")
        await people.request(channel_id, "8", "Bob", None, chat_id="8", preview="hi", answered_before=clock.now())
        await people.keep_hello(channel_id, f"hash of {channel_id}", clock.now() + timedelta(minutes=10))
        post = Post(f"{channel_id}:1", 0, 1, channel_id, "7", "private", None, "{}", Kind.ANSWER)
        await database.commit(Received(channel_id, "1", {}), post)
    await database.commit(TakeSeat(seat, "conversation", "private"), Append("conversation", (said(),)))

    assert await channels.remove("c1") is True

    assert await channels.remove("c1") is False
    assert (await people.list("c1"), await people.requests("c1")) == ((), ())
    assert await people.claim_hello("c1", "hash of c1", "9", "Eve", None) is None
    assert await Seats(database).get(seat) is None
    assert (await Inbox(database).pending("c1"), await OutboxRows(database).unfinished("c1")) == ((), ())
    assert len(await EventLog(database).read("conversation")) == 1
    assert (len(await people.list("c2")), len(await people.requests("c2"))) == (1, 1)
    assert len(await Inbox(database).pending("c2")) == 1


async def test_a_person_of_a_removed_bot_is_a_stranger_at_once(database: Database, channels: Channels) -> None:
    people = People(database)
    await channels.add("c1", "telegram", "77", "Conch", None, "s")
    await people.let_in("c1", "7", by="console", name="Ada")
    await people.get("c1", "7")

    await channels.remove("c1")

    assert await people.get("c1", "7") is None


async def test_what_a_menu_says_is_kept(channels: Channels) -> None:
    await channels.add("c1", "telegram", "77", "Conch", None, "sealed")
    before = await channels.menu_digest("c1")

    await channels.keep_menu_digest("c1", "one")
    await channels.keep_menu_digest("c1", "two")

    assert before is None
    assert await channels.menu_digest("c1") == "two"


async def test_a_bot_that_is_connected_anew_may_have_another_menu_by_now(channels: Channels) -> None:
    await channels.add("c1", "telegram", "77", "Conch", None, "sealed")
    await channels.keep_menu_digest("c1", "one")

    await channels.add("c2", "telegram", "77", "Conch", None, "sealed anew")

    assert await channels.menu_digest("c1") is None
