"""Where an owner is told what no chat asked for."""

import pytest

from core.clock import ManualClock
from core.events import Address
from core.store.database import Database
from core.store.log import Append
from core.store.owners import owner_chat
from core.store.people import People
from core.store.seats import Seat, TakeSeat
from tests.core.event_logs import said


@pytest.fixture
async def people(database: Database) -> People:
    """Ada owns both bots, Bob was let in by the first."""
    people = People(database)
    await people.let_in("one", "ada", by="test", name="Ada")
    await people.let_in("one", "bob", by="test", name="Bob")
    await people.let_in("two", "ada", by="test", name="Ada")
    return people


async def talked(database: Database, seat: Seat, kind: str = "private") -> str:
    """Something was said there; the conversation's id."""
    conversation_id = f"{seat.channel_id} {seat.chat_id} {seat.thread} {seat.person_id}"
    await database.commit(TakeSeat(seat, conversation_id, kind), Append(conversation_id, (said(),)))
    return conversation_id


@pytest.mark.usefixtures("people")
async def test_it_is_the_owners_private_chat_that_was_used_last(database: Database, clock: ManualClock) -> None:
    await talked(database, Seat("two", "5", "", "ada"))
    await clock.advance(1)
    newest = await talked(database, Seat("one", "9", "7", "ada"))
    await clock.advance(1)
    await talked(database, Seat("one", "8", "", "bob"))
    await talked(database, Seat("one", "-1", "", "ada"), "group")

    assert await owner_chat(database) == (newest, Address(channel_id="one", chat_id="9", thread="7"))


@pytest.mark.usefixtures("people")
async def test_there_is_none_before_the_owner_talked_to_a_bot_alone(database: Database) -> None:
    await talked(database, Seat("one", "8", "", "bob"))
    await talked(database, Seat("one", "-1", "", "ada"), "group")

    assert await owner_chat(database) is None


async def test_whoever_is_the_owner_no_more_is_not_told(database: Database, people: People) -> None:
    await talked(database, Seat("one", "9", "", "ada"))
    await people.remove("one", "ada")

    assert await owner_chat(database) is None
