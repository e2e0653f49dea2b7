"""Committing: all or nothing, together, durable before anybody hears of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest
from sqlalchemy import Connection, text

from core.clock import ManualClock
from core.errors import NotFound, Refused, StoreUnavailable
from core.events import Event, Notice
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.inbox import Inbox, Received
from core.store.log import Append, EventLog
from core.store.outbox import Kind, Post

NOTICE = Notice(code="x", message="y")


def append(conversation_id: str = "c", count: int = 1) -> Append:
    return Append(conversation_id, (NOTICE,) * count)


@dataclass(frozen=True, slots=True)
class Broken(Change[None]):
    """A change that writes something and then fails."""

    step: ClassVar[Step] = Step.CLAIM

    def fail(self) -> None:
        raise ValueError("broken on purpose")

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Broken"]) -> Sequence[None]:
        tx.connection.execute(text("DELETE FROM event"))
        changes[0].fail()
        return []


@dataclass(frozen=True, slots=True)
class Impossible(Broken):
    """A change that the database itself does not take."""

    def fail(self) -> None:
        raise AssertionError("unreachable")

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Broken"]) -> Sequence[None]:
        tx.connection.execute(text("INSERT INTO event VALUES (NULL, NULL, NULL, NULL, NULL)"))
        return []


@dataclass(frozen=True, slots=True)
class Counted(Change[int]):
    """A change whose result is how many were written with it."""

    step: ClassVar[Step] = Step.CLAIM

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["Counted"]) -> Sequence[int]:
        return [len(changes)] * len(changes)


async def test_results_come_in_the_order_of_the_changes(database: Database) -> None:
    post = Post("key", 0, 1, "telegram", "7", "private", None, "{}", Kind.NOTICE)

    posted, events, received = await database.commit(post, append(), Received("telegram", "1", {}))

    assert isinstance(events, tuple)
    assert ([event.seq for event in events], received, posted) == ([0], True, 1)


async def test_whoever_waits_at_the_same_time_is_written_together(database: Database) -> None:
    together = await asyncio.gather(*(database.commit_one(Counted()) for _ in range(7)))

    assert together == [7] * 7


@pytest.mark.parametrize("before", [0, 1], ids=["first transaction", "later transaction"])
async def test_a_faulty_commit_fails_alone(database: Database, before: int) -> None:
    for _ in range(before):
        await database.commit(append("earlier"))

    first, faulty, second = await asyncio.gather(
        database.commit(append()),
        database.commit(append(), Broken()),
        database.commit(append()),
        return_exceptions=True,
    )

    assert isinstance(faulty, ValueError)
    assert not isinstance(first, BaseException)
    assert not isinstance(second, BaseException)
    assert [event.seq for event in await EventLog(database).read("c")] == [0, 1]
    assert len(await EventLog(database).read("earlier")) == before


async def test_a_commit_is_stored_whole_or_not_at_all(database: Database) -> None:
    with pytest.raises(ValueError, match="broken on purpose"):
        await database.commit(append(), Received("telegram", "1", {}), Broken())

    assert await EventLog(database).read("c") == ()
    assert await Inbox(database).pending("telegram") == ()


async def test_what_the_database_does_not_take_is_refused_for_good(database: Database) -> None:
    await database.commit(append())

    with pytest.raises(Refused):
        await database.commit(append(), Impossible())

    assert [event.seq for event in (await database.commit(append()))[0]] == [1]  # type: ignore[union-attr]


async def test_the_fold_in_memory_does_not_outlive_a_rollback(database: Database) -> None:
    await database.commit(append())
    with pytest.raises(ValueError, match="broken on purpose"):
        await database.commit(append(count=5), Broken())

    await database.commit(append())

    log = EventLog(database)
    assert (await log.state("c")).last_seq == 1
    assert await log.state("c") == await log.rebuild("c")


async def test_the_log_is_published_after_it_is_durable_and_before_the_commit_returns(database: Database) -> None:
    heard: list[Event] = []
    stored: list[int] = []

    def listen(events: Sequence[Event]) -> None:
        heard.extend(events)
        stored.append(len(committed))

    committed: list[int] = []
    database.on_commit(listen)

    events = await database.commit_one(append(count=2))
    committed.append(1)

    assert heard == list(events) if isinstance(events, tuple) else False
    assert stored == [0]


async def test_events_of_one_transaction_are_published_in_order(database: Database) -> None:
    heard: list[tuple[str, int]] = []
    database.on_commit(lambda events: heard.extend((event.conversation_id, event.seq) for event in events))

    await asyncio.gather(*(database.commit(append(f"c{number % 3}")) for number in range(12)))

    for conversation_id in ("c0", "c1", "c2"):
        assert [seq for name, seq in heard if name == conversation_id] == [0, 1, 2, 3]


async def test_nothing_is_published_of_what_failed(database: Database) -> None:
    heard: list[Event] = []
    database.on_commit(heard.extend)

    with pytest.raises(ValueError, match="broken on purpose"):
        await database.commit(append(), Broken())

    assert heard == []


async def test_a_listener_that_fails_harms_nobody(database: Database) -> None:
    heard: list[Event] = []

    def fail(_: Sequence[Event]) -> None:
        raise RuntimeError("listening is hard")

    database.on_commit(fail)
    database.on_commit(heard.extend)

    await database.commit(append())

    assert len(heard) == 1


async def test_a_caller_that_gives_up_does_not_hold_up_others(database: Database) -> None:
    gone = asyncio.ensure_future(database.commit(append()))
    await asyncio.sleep(0)
    gone.cancel()

    results = await asyncio.gather(database.commit_one(append("other")), gone, return_exceptions=True)

    assert isinstance(results[0], tuple)
    assert isinstance(results[1], asyncio.CancelledError)


async def test_a_work_that_fails_on_purpose_undoes_only_itself(database: Database) -> None:
    def work(connection: Connection) -> None:
        connection.execute(text("DELETE FROM event"))
        raise NotFound("there is no such thing")

    _, failed = await asyncio.gather(database.commit(append()), database.write(work), return_exceptions=True)

    assert isinstance(failed, NotFound)
    assert len(await EventLog(database).read("c")) == 1


async def test_a_work_sees_what_is_committed_with_it(database: Database) -> None:
    _, count = await asyncio.gather(
        database.commit(append()),
        database.write(lambda connection: connection.execute(text("SELECT count(*) FROM event")).scalar_one()),
    )

    assert count == 1


async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailable, match="read-only"):
        await database.read(lambda connection: connection.execute(text("DELETE FROM event")))


async def test_everything_in_a_transaction_happens_at_one_time(database: Database, clock: ManualClock) -> None:
    await clock.advance(90.5)

    events = await database.commit_one(append(count=2))

    assert isinstance(events, tuple)
    assert [event.at for event in events] == [clock.now(), clock.now()]
    assert [event.at for event in await EventLog(database).read("c")] == [clock.now(), clock.now()]


async def test_closing_finishes_what_was_begun_and_takes_nothing_more(database: Database) -> None:
    begun = asyncio.ensure_future(database.commit_one(append()))
    await asyncio.sleep(0)

    await database.close()

    assert isinstance(await begun, tuple)
    with pytest.raises(StoreUnavailable):
        await database.commit(append())
    with pytest.raises(StoreUnavailable):
        await EventLog(database).state("c")


async def test_closing_twice_is_harmless(database: Database) -> None:
    await database.close()

    await database.close()
