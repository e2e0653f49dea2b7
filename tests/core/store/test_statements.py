"""Statements over many rows, and that everyday ones find their rows by an index."""

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, Row, delete, event

from core.clock import ManualClock
from core.store import tables
from core.store.database import Database
from core.store.groups import Groups, MoveChat
from core.store.inbox import Done, Inbox, Poisoned, Received
from core.store.log import Append, EventLog, Relayed
from core.store.moments import to_stored
from core.store.outbox import Claim, Delivered, Kind, OutboxRows, Post
from core.store.people import People
from core.store.queue import Dequeue, EmptyQueue, Enqueue, Queue, QueuedMessage
from core.store.seats import LeaveSeat, Seat, Seats, TakeSeat
from core.store.sessions import SaveSession, Sessions
from core.store.statements import FindRows, InsertNew, InsertRows
from tests.core.event_logs import OWNER, completed, said, started

COLUMNS = ("channel_id", "update_id", "payload", "at", "error")
INSERT, INSERT_NEW = InsertRows(tables.inbox, *COLUMNS), InsertNew(tables.inbox, COLUMNS, ["arrival", "update_id"])
FIND = FindRows(tables.inbox, ["channel_id", "update_id"], ["arrival", *COLUMNS])

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
MOMENTS = st.integers(0, 2**45)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS, MOMENTS, st.none() | TEXTS), max_size=80, unique_by=lambda row: row[:2])


def given_as(row: Row[Any]) -> tuple[Any, ...]:
    return row.channel_id, row.update_id, row.payload, to_stored(row.at), row.error


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, statement=st.sampled_from([INSERT, INSERT_NEW]))
def test_rows_are_found_as_they_were_given_and_numbered_in_their_order(
    database_url: str, rows: list[tuple[Any, ...]], statement: InsertRows | InsertNew
) -> None:
    async def run() -> None:
        database = await Database.open(database_url, ManualClock())
        await database.write(lambda connection: connection.execute(delete(tables.inbox)))
        await database.write(lambda connection: statement.run(connection, rows))
        found = await database.write(lambda connection: FIND.run(connection, [row[:2] for row in rows]))
        assert [given_as(row) for row in sorted(found)] == rows
        await database.close()

    asyncio.run(run())


async def test_rows_that_are_there_are_left_out_and_left_alone(database: Database) -> None:
    old, new, first, second = [("c", id_, text, 7, None) for id_, text in ("1a", "1b", "2c", "2d")]
    await database.write(lambda connection: INSERT_NEW.run(connection, [old]))

    came_back = await database.write(lambda connection: INSERT_NEW.run(connection, [new, first, second]))

    found = await database.write(lambda connection: FIND.run(connection, [old[:2], first[:2]]))
    assert [row.update_id for row in came_back] == ["2"]
    assert [given_as(row) for row in found] == [old, first]


@pytest.fixture
def executed() -> Iterator[dict[str, Any]]:
    """Every statement that is run, with one set of its parameters."""
    statements: dict[str, Any] = {}

    def note(_: object, __: object, statement: str, parameters: Any, ___: object, many: bool) -> None:
        statements[statement] = parameters[0] if many else parameters

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


def explained_by_sqlite(url: str, executed: dict[str, Any]) -> list[tuple[str, str]]:
    """The statements, each with the parts of its plan that go through a whole table."""
    explaining = sqlite3.connect(Path(url.removeprefix("sqlite:///")))
    scans = [
        (statement, detail)
        for statement, parameters in executed.items()
        for *_, detail in explaining.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        if re.fullmatch(r"SCAN (?!given)[a-z_]+", detail)
    ]
    explaining.close()
    return scans


async def explained_by_postgresql(database: Database, executed: dict[str, Any]) -> list[tuple[str, str]]:
    """As above. The server must not prefer a scan for how few rows a test has."""

    def explain(connection: Connection) -> list[tuple[str, str]]:
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        return [
            (statement, line)
            for statement, parameters in executed.items()
            for line in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars()
            if "Seq Scan" in line
        ]

    return await database.write(explain)


@pytest.mark.report("R187")
async def test_everyday_statements_find_their_rows_by_an_index(
    database: Database, database_url: str, clock: ManualClock, executed: dict[str, Any]
) -> None:
    await everyday(database, clock)

    statements = {
        statement: parameters
        for statement, parameters in executed.items()
        if statement.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH") and "pg_" not in statement
    }
    if database_url.startswith("sqlite"):
        scans = explained_by_sqlite(database_url, statements)
    else:
        scans = await explained_by_postgresql(database, statements)

    assert len(statements) > 30
    assert scans == []
