"""Deleting a conversation: everything of it is gone, and nothing of another."""

from sqlalchemy import Connection, select

from core.store.database import Database
from core.store.deletion import _HANGS_ON_IT, DeleteConversation
from core.store.log import Append, EventLog
from core.store.queue import Enqueue, QueuedMessage
from core.store.seats import Seat, Seats, TakeSeat
from core.store.sessions import SaveSession
from tests.core.event_logs import OWNER, answered, said

SEAT = Seat("bot", "7", "", "7")


async def filled(database: Database, name: str) -> None:
    """A conversation with something in most places."""
    await database.commit(Append(name, (said(), answered()), (f"{name}-1",)), SaveSession(name, "demo", {"a": 1}))
    await database.commit(Enqueue(name, QueuedMessage(text="later", origin=OWNER, client_ids=(f"{name}-2",))))


async def rows_of(database: Database, name: str) -> list[str]:
    """In which tables it has rows."""
    queries = {table.name: select(table).where(table.c.conversation_id == name) for table in _HANGS_ON_IT}

    def read(connection: Connection) -> list[str]:
        return [name for name, query in queries.items() if connection.execute(query).first()]

    return await database.read(read)


async def test_everything_of_it_is_gone_and_the_seat_is_free(database: Database) -> None:
    await filled(database, "a")
    await filled(database, "b")
    await database.commit(TakeSeat(SEAT, "a", "private"))
    before = await rows_of(database, "a")

    deleted = await database.commit_one(DeleteConversation("a", 1))

    assert deleted
    assert before == ["event", "client_id", "queued", "engine_session", "seat"]
    assert await rows_of(database, "a") == []
    assert await rows_of(database, "b") == ["event", "client_id", "queued", "engine_session"]
    assert await Seats(database).conversation(SEAT) is None


async def test_the_same_name_begins_anew(database: Database) -> None:
    await filled(database, "a")
    await database.commit_one(DeleteConversation("a", 1))

    await database.commit(Append("a", (said("again"),)))

    state = await EventLog(database).state("a")
    assert (state.last_seq, state.last_user_seq) == (0, 0)
    assert len(await EventLog(database).read("a")) == 1


async def test_one_in_which_more_was_said_stays(database: Database) -> None:
    await filled(database, "a")

    assert not await database.commit_one(DeleteConversation("a", 0))
    assert not await database.commit_one(DeleteConversation("nowhere", 0))
    assert await EventLog(database).exists("a")
