"""What is thrown away, and what is not."""

from datetime import timedelta

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.inbox import Done, Inbox, InboxCounts, Poisoned, Received
from core.store.log import AlreadySent, Append, EventLog
from core.store.outbox import Claim, Delivered, Expired, Kind, OutboxRows, Post
from core.store.people import People
from core.store.queue import Enqueue, Queue, QueuedMessage
from core.store.retention import BATCH, KEPT, throw_away
from tests.core.event_logs import OWNER, said


def post(key: str) -> Post:
    return Post(key, 0, 1, "telegram", "7", "private", None, "{}", Kind.ANSWER)


async def much_later(clock: ManualClock) -> None:
    await clock.advance((KEPT + timedelta(seconds=1)).total_seconds())


async def test_nothing_is_thrown_away_before_its_time(database: Database, clock: ManualClock) -> None:
    await database.commit(Received("telegram", "1", {}), Append("c", (said(),), ("m1",)), post("a"))
    await database.commit(Done("telegram", "1"), Delivered(1, "m"))
    await clock.advance(KEPT.total_seconds())

    assert await throw_away(database) == 0


async def test_done_updates_go_and_waiting_ones_stay(database: Database, clock: ManualClock) -> None:
    await database.commit(*(Received("telegram", str(number), {}) for number in range(4)))
    await database.commit(Done("telegram", "0"), Poisoned("telegram", "1", "odd"), Done("telegram", "3"))
    await much_later(clock)

    gone = await throw_away(database)

    inbox = Inbox(database)
    assert gone == 3
    assert [update.update_id for update in await inbox.pending("telegram")] == ["2"]
    assert await inbox.counts("telegram") == InboxCounts(pending=1, poisoned=0)


async def test_finished_messages_go_and_those_on_their_way_stay(database: Database, clock: ManualClock) -> None:
    ids = await database.commit(*(post(key) for key in ("delivered", "expired", "sending", "pending")))
    await database.commit(Delivered(ids[0], "m"), Expired(ids[1]), Claim(ids[2], "me", clock.now()))
    await much_later(clock)

    gone = await throw_away(database)

    rows = OutboxRows(database)
    assert gone == 2
    assert [letter.key for letter in await rows.unfinished("telegram")] == ["sending", "pending"]
    assert (await rows.of_key("delivered"), await rows.in_trouble(10)) == ((), ())


async def test_an_old_client_id_is_forgotten_and_the_log_is_not(database: Database, clock: ManualClock) -> None:
    await database.commit(Append("c", (said(),), ("m1",)))
    await much_later(clock)
    await database.commit(Append("c", (said(),), ("m2",)))

    await throw_away(database)

    log = EventLog(database)
    assert len(await log.read("c")) == 2
    assert isinstance(await database.commit_one(Append("c", (said(),), ("m1",))), tuple)
    assert await database.commit_one(Append("c", (said(),), ("m2",))) == AlreadySent(("m2",))


async def test_what_waits_in_a_queue_stays(database: Database, clock: ManualClock) -> None:
    await database.commit(Enqueue("c", QueuedMessage(text="hi", origin=OWNER)))
    await much_later(clock)

    await throw_away(database)

    assert len(await Queue(database).waiting("c")) == 1


async def test_codes_and_notes_go_when_they_are_over(database: Database, clock: ManualClock) -> None:
    people = People(database)
    await people.keep_hello("telegram", "old", clock.now() + timedelta(minutes=10))
    await people.tell("telegram", "7", "groups", clock.now())
    await clock.advance(2 * 3_600)
    await people.keep_hello("telegram", "new", clock.now() + timedelta(minutes=10))

    assert await throw_away(database) == 2
    assert await people.claim_hello("telegram", "new", "7", "Ada", None) is not None


async def test_it_goes_on_until_everything_old_is_gone(database: Database, clock: ManualClock) -> None:
    count = 2 * BATCH + 1
    await database.commit(*(Received("telegram", str(number), {}) for number in range(count)))
    await database.commit(*(Done("telegram", str(number)) for number in range(count)))
    await much_later(clock)

    assert await throw_away(database) == count


@pytest.mark.report("R189")
async def test_the_time_it_is_kept_can_be_chosen(database: Database, clock: ManualClock) -> None:
    await database.commit(Received("telegram", "1", {}))
    await database.commit(Done("telegram", "1"))
    await clock.advance(3_601)

    assert await throw_away(database, timedelta(hours=1)) == 1
