"""PostgreSQL that is cut off, held by somebody else, full or not there: nothing half stored, nothing stored twice."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from core.clock import ManualClock
from core.errors import MaybeDone, Refused, StoreUnavailable, UsageError
from core.events import Notice
from core.store import postgres, postgres_backend
from core.store.database import Database
from core.store.log import Append, EventLog
from core.store.people import People
from tests.core.event_logs import said
from tests.core.store.databases import PostgresServer

pytestmark = pytest.mark.postgres

END_ALL = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{}'"


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
def cut_off(postgres_server: PostgresServer, postgres_url: str) -> Callable[[], object]:
    """Ends every connection to the database, as a server that is started anew does."""
    return lambda: postgres_server.run(END_ALL.format(make_url(postgres_url).database))


def run(statement: str) -> Callable[[Connection], object]:
    def work(connection: Connection) -> object:
        result = connection.execute(text(statement))
        return result.scalar() if result.returns_rows else None

    return work


async def seqs(database: Database) -> list[int]:
    return [event.seq for event in await EventLog(database).read("c")]


# ---- durable -------------------------------------------------------------------------------------------------------


async def test_what_is_committed_waits_for_the_disk_even_where_that_is_not_usual(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    postgres_server.run(f"ALTER DATABASE {make_url(postgres_url).database} SET synchronous_commit = off")
    database = await Database.open(postgres_url, ManualClock())

    level = await database.write(run("SHOW synchronous_commit"))

    await database.close()
    assert level == "on"


# ---- cut off -------------------------------------------------------------------------------------------------------


async def test_a_server_that_was_started_anew_is_written_and_read_as_before(
    database: Database, cut_off: Callable[[], object]
) -> None:
    await database.commit(Append("c", (said(),)))
    assert await seqs(database) == [0]

    cut_off()
    await database.commit(Append("c", (said(),)))
    cut_off()

    assert await seqs(database) == [0, 1]


async def test_a_connection_that_breaks_whenever_it_is_used_takes_nothing(database: Database) -> None:
    def work(connection: Connection) -> None:
        connection.execute(text("DELETE FROM event"))
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    await database.commit(Append("c", (said(),)))

    with pytest.raises(StoreUnavailable):
        await database.write(work)

    assert await seqs(database) == [0]


class Cable:
    """Carries everything between a program and the server, until it is cut at a commit: on its way or on the way back.

    `broken` cables carry nothing any more.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._ends: set[asyncio.StreamWriter] = set()
        self.cut_at: Literal["request", "answer"] | None = None
        self.stays_broken = self.broken = False

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[str]:
        """The address of the database at the end of the cable."""
        async with await asyncio.start_server(self._connected, "127.0.0.1", 0) as listener:
            port = listener.sockets[0].getsockname()[1]
            yield self._url.set(port=port).render_as_string(hide_password=False)
            self._cut()

    async def _connected(self, from_program: asyncio.StreamReader, to_program: asyncio.StreamWriter) -> None:
        if self.broken:
            to_program.close()
            return
        from_server, to_server = await asyncio.open_connection(self._url.host, self._url.port)
        self._ends |= {to_program, to_server}
        await asyncio.gather(self._ask(from_program, to_server), self._answer(from_server, to_program))

    async def _ask(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            if b"COMMIT" in data and self.cut_at == "request":
                self._cut()
            else:
                target.write(data)
                self._swallowing = b"COMMIT" in data and self.cut_at == "answer"
        target.close()

    async def _answer(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            if self._swallowing:
                self._cut()
            else:
                target.write(data)
        target.close()

    def _cut(self) -> None:
        self.cut_at, self._swallowing, self.broken = None, False, self.stays_broken
        for end in self._ends:
            end.close()
        self._ends.clear()

    _swallowing = False


@pytest.fixture
async def cable(postgres_url: str) -> Cable:
    return Cable(postgres_url)


async def test_a_query_that_nobody_waits_for_any_more_is_given_up(database: Database) -> None:
    await database.commit(Append("c", (said(),)))
    for _ in range(postgres.READERS):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await database.read(run("SELECT pg_sleep(50)"))

    assert await seqs(database) == [0]


async def test_closing_lets_a_query_end(database: Database) -> None:
    await database.commit(Append("c", (said(),)))
    reading = asyncio.ensure_future(EventLog(database).last_page("c", 5))
    await asyncio.sleep(0)

    await database.close()

    assert len(await reading) == 1


@pytest.mark.parametrize("cut_at", ["request", "answer"])
async def test_a_commit_whose_answer_is_lost_is_stored_once(cable: Cable, cut_at: Literal["request", "answer"]) -> None:
    async with cable.laid() as url:
        database = await Database.open(url, ManualClock())
        await database.commit(Append("c", (said(),)))
        cable.cut_at = cut_at

        events = await database.commit_one(Append("c", (said("once"),)))

        assert isinstance(events, tuple)
        assert [event.seq for event in events] == [1]
        assert await seqs(database) == [0, 1]
        await database.close()


async def test_a_commit_that_nobody_can_be_asked_about_may_be_done(
    cable: Cable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_backend, "DOUBT_SECONDS", 0)
    async with cable.laid() as url:
        database = await Database.open(url, ManualClock())
        await database.commit(Append("c", (said(),)))
        cable.cut_at, cable.stays_broken = "answer", True

        with pytest.raises(MaybeDone):
            await database.commit(Append("c", (said(),)))
        with pytest.raises(StoreUnavailable):
            await database.commit(Append("c", (said(),)))

        cable.broken = False
        assert await seqs(database) == [0, 1]
        await database.close()


# ---- one server ----------------------------------------------------------------------------------------------------


async def test_a_second_server_is_refused_and_hears_who_has_the_database(database: Database, database_url: str) -> None:
    with pytest.raises(UsageError, match=rf"conch {os.getpid()} on .* is using this database"):
        await Database.open(database_url, ManualClock(), busy_timeout=0)

    await database.close()
    next_one = await Database.open(database_url, ManualClock(), busy_timeout=0)
    await next_one.close()


async def test_a_server_that_was_cut_off_and_replaced_cannot_write_any_more(
    database: Database, database_url: str, cut_off: Callable[[], object]
) -> None:
    await database.commit(Append("c", (said(),)))
    cut_off()
    successor = await Database.open(database_url, ManualClock())

    with pytest.raises(StoreUnavailable, match="is using this database"):
        await database.commit(Append("c", (said(),)))

    assert await seqs(successor) == [0]
    await successor.close()


# ---- a plain sentence for everything -------------------------------------------------------------------------------


async def test_a_row_that_another_program_holds_is_not_waited_for_for_ever(
    database: Database, database_url: str
) -> None:
    await database.commit(Append("c", (said(),)))
    other = postgres.migrating_engine(make_url(database_url))

    async with other.begin() as connection:
        await connection.execute(text("SELECT * FROM conversation FOR UPDATE"))
        with pytest.raises(StoreUnavailable, match="locked by another program"):
            await database.commit(Append("c", (said(),)))
    await other.dispose()

    await database.commit(Append("c", (said(),)))
    assert await seqs(database) == [0, 1]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("53100", "disk is full"),
        ("53300", "too many connections"),
        ("57P01", "starting or ending"),
        ("58030", "disk reports an error"),
        ("XX001", "damaged"),
        ("42501", "may not change"),
    ],
)
async def test_a_server_in_trouble_takes_nothing_and_works_again_afterwards(
    database: Database, code: str, words: str
) -> None:
    trouble = run(f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{code}'; END $$")

    failed, appended = await asyncio.gather(
        database.write(trouble), database.commit_one(Append("c", (said(),))), return_exceptions=True
    )

    assert isinstance(failed, StoreUnavailable)
    assert words in str(failed)
    assert isinstance(appended, tuple)
    assert await seqs(database) == [0]


async def test_text_that_the_database_cannot_hold_is_refused_for_good(database: Database) -> None:
    with pytest.raises(Refused):
        await People(database).let_in("telegram", "7", by="console", name="A\0da")

    await database.commit(Append("c", (Notice(code="x", message="a\0b"),)))
    (event,) = await EventLog(database).read("c")
    assert event.data == Notice(code="x", message="a\0b")


@pytest.mark.parametrize(
    ("part", "words"),
    [({"port": 1}, "cannot be reached"), ({"database": "nowhere"}, "no database of that name")],
)
async def test_a_database_that_is_not_there_is_named_as_such(
    postgres_url: str, part: dict[str, Any], words: str
) -> None:
    address = make_url(postgres_url).set(password="geheim", **part)

    with pytest.raises(StoreUnavailable, match=words) as refusal:
        await Database.open(address.render_as_string(hide_password=False), ManualClock())

    assert "geheim" not in str(refusal.value)


async def test_an_option_of_libpq_is_understood_and_an_unknown_one_refused(postgres_url: str) -> None:
    await (await Database.open(f"{postgres_url}?sslmode=disable", ManualClock())).close()

    with pytest.raises(UsageError, match="option"):
        await Database.open(f"{postgres_url}?colour=blue", ManualClock())


async def test_a_server_that_is_too_old_is_refused(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OLDEST", 990_000)

    with pytest.raises(UsageError, match="PostgreSQL 99 or newer"):
        await Database.open(postgres_url, ManualClock())


async def test_a_sqlite_file_cannot_be_shared(sqlite_url: str) -> None:
    with pytest.raises(UsageError, match="one program"):
        await Database.open(sqlite_url, ManualClock(), shared=True)
