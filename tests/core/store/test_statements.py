"""Statements over many rows, and that everyday ones find their rows by an index."""

import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, event

from core.clock import ManualClock
from core.store.database import Database
from core.store.groups import Groups, MoveChat
from core.store.inbox import Done, Inbox, Poisoned, Received
from core.store.log import Append, EventLog, Relayed
from core.store.outbox import Claim, Delivered, Kind, OutboxRows, Post
from core.store.people import People
from core.store.queue import Dequeue, EmptyQueue, Enqueue, Queue, QueuedMessage
from core.store.seats import LeaveSeat, Seat, Seats, TakeSeat
from core.store.sessions import SaveSession, Sessions
from core.store.statements import MOST, STRIDE, runs
from tests.core.event_logs import OWNER, completed, said, started


@given(st.lists(st.integers(), max_size=300))
def test_runs_hold_all_rows_in_order_and_come_in_few_lengths(rows: list[int]) -> None:
    split = list(runs(rows))

    assert [row for run in split for row in run] == rows
    assert all(len(run) < STRIDE or (len(run) % STRIDE == 0 and len(run) <= MOST) for run in split)


@pytest.fixture
def executed() -> Iterator[dict[str, Any]]:
    """Every statement that is run, with one set of its parameters."""
    statements: dict[str, Any] = {}

    def note(_: object, __: object, statement: str, parameters: Any, ___: object, ____: object) -> None:
        statements[statement] = parameters

    event.listen(Engine, "before_cursor_execute", note)
    yield statements
    event.remove(Engine, "before_cursor_execute", note)


async def everyday(database: Database, clock: ManualClock) -> None:
    """What happens for each message, and at each start."""
    seat, queued = Seat("telegram", "7", "", "7"), QueuedMessage(text="hi", origin=OWNER, client_ids=("m2",))
    people, log, rows, queue = People(database), EventLog(database), OutboxRows(database), Queue(database)
    await people.let_in("telegram", "7", by="console", name="Ada")
    await people.get("telegram", "7")
    await database.commit(Received("telegram", "1", {}), Received("telegram", "2", {}))
    await database.commit(
        Append("c", (said(), started()), ("m1",)), Done("telegram", "1"), TakeSeat(seat, "c", "private")
    )
    await database.commit(Enqueue("c", queued), Poisoned("telegram", "2", "odd"))
    (item,) = await queue.waiting("c")
    await database.commit(Append("c", (completed(),)), SaveSession("c", "demo", {}), Dequeue("c", (item.id,)))
    (id_,) = await database.commit(Post("k", 0, 1, "telegram", "7", "private", None, "{}", Kind.ANSWER))
    await database.commit(Relayed("c", 2), EmptyQueue("c"))
    assert id_ is not None
    await database.commit(Claim(id_, "me", clock.now() + timedelta(minutes=1)))
    await database.commit(Delivered(id_, "m1"))
    await Seats(database).conversation(seat)
    await Seats(database).of_person("telegram", "7")
    await Seats(database).of_conversation("c")
    await Sessions(database).get("c", "demo")
    await log.state("c")
    await log.read("c", after=1)
    await log.last_page("c", 50)
    await log.running()
    page = await log.page(50)
    await log.page(50, page[-1])
    await Inbox(database).pending("telegram")
    await Inbox(database).counts("telegram")
    await rows.unfinished("telegram")
    await rows.in_trouble(50)
    await rows.of_key("k")
    await rows.key_in_group("telegram", "-1", "m1")
    await Seats(database).of_chat("telegram", "7")
    await Groups(database).heard_of("telegram", "-1", "Team")
    await Groups(database).is_on("telegram", "-1")
    await Groups(database).list("telegram")
    await Groups(database).answer_guest("telegram", "-1", "1", 20)
    await database.commit(MoveChat("telegram", "-1", "-100"))
    await database.commit(LeaveSeat(seat))


@pytest.mark.report("R187")
async def test_everyday_statements_find_their_rows_by_an_index(
    database: Database, database_url: str, clock: ManualClock, executed: dict[str, Any]
) -> None:
    await everyday(database, clock)

    explaining = sqlite3.connect(Path(database_url.removeprefix("sqlite:///")))
    scans = [
        (statement, detail)
        for statement, parameters in executed.items()
        if statement.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")
        for *_, detail in explaining.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        if re.fullmatch(r"SCAN (?!given)[a-z_]+", detail)
    ]
    explaining.close()

    assert len(executed) > 30
    assert scans == []
