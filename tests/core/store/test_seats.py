"""Seats: whose conversation a chat message belongs to, and what waits for one."""

import pytest

from core.store.database import Database
from core.store.seats import HoldOnSeat, LeaveSeat, Seat, SeatRecord, Seats, TakeSeat

ADA = Seat("telegram", "7", "", "7")
ADA_IN_A_THREAD = Seat("telegram", "7", "3", "7")
BOB = Seat("telegram", "8", "", "8")
ADA_IN_A_GROUP = Seat("telegram", "-9", "", "7")


@pytest.fixture
def seats(database: Database) -> Seats:
    return Seats(database)


async def test_a_free_seat_belongs_to_no_conversation(seats: Seats) -> None:
    assert await seats.get(ADA) is None
    assert await seats.conversation(ADA) is None


@pytest.mark.report("R101")
async def test_each_person_chat_and_thread_is_a_seat_of_its_own(database: Database, seats: Seats) -> None:
    await database.commit(TakeSeat(ADA, "c1", "private"), TakeSeat(ADA_IN_A_THREAD, "c2", "private"))

    assert await seats.conversation(ADA) == "c1"
    assert await seats.conversation(ADA_IN_A_THREAD) == "c2"
    assert await seats.conversation(BOB) is None


async def test_taking_a_taken_seat_moves_it_and_says_what_was(database: Database, seats: Seats) -> None:
    first = await database.commit_one(TakeSeat(ADA, "c1", "private"))
    second = await database.commit_one(TakeSeat(ADA, "c2", "private"))

    assert (first, second) == (None, SeatRecord(ADA, "private", "c1"))
    assert await seats.conversation(ADA) == "c2"


async def test_a_goal_waits_for_the_conversation_that_takes_the_seat(database: Database, seats: Seats) -> None:
    await database.commit(HoldOnSeat(ADA, "private", "to sleep", plan=True))

    waiting = await seats.get(ADA)
    before = await database.commit_one(TakeSeat(ADA, "c1", "private"))

    assert waiting == before == SeatRecord(ADA, "private", None, "to sleep", True)
    assert await seats.get(ADA) == SeatRecord(ADA, "private", "c1")


async def test_what_waits_on_a_seat_can_be_replaced_and_taken_back(database: Database, seats: Seats) -> None:
    await database.commit(HoldOnSeat(ADA, "private", "to sleep", plan=True))

    await database.commit(HoldOnSeat(ADA, "private", None, plan=False))

    assert await seats.get(ADA) == SeatRecord(ADA, "private")


async def test_holding_on_a_taken_seat_keeps_its_conversation(database: Database, seats: Seats) -> None:
    await database.commit(TakeSeat(ADA, "c1", "private"))

    await database.commit(HoldOnSeat(ADA, "private", "to sleep", plan=False))

    assert await seats.get(ADA) == SeatRecord(ADA, "private", "c1", "to sleep")


async def test_leaving_a_seat_forgets_everything_of_it(database: Database, seats: Seats) -> None:
    await database.commit(HoldOnSeat(ADA, "private", "to sleep", plan=True))
    await database.commit(TakeSeat(BOB, "c1", "private"))

    assert await database.commit(LeaveSeat(ADA), LeaveSeat(ADA)) == (True, False)

    assert await seats.get(ADA) is None
    assert await seats.conversation(BOB) == "c1"


async def test_seats_are_found_by_conversation_and_by_person(database: Database, seats: Seats) -> None:
    await database.commit(
        TakeSeat(ADA, "c1", "private"),
        TakeSeat(ADA_IN_A_GROUP, "c1", "group"),
        TakeSeat(BOB, "c2", "private"),
        HoldOnSeat(ADA_IN_A_THREAD, "private", "to sleep", plan=False),
    )

    assert await seats.of_conversation("c1") == (
        SeatRecord(ADA_IN_A_GROUP, "group", "c1"),
        SeatRecord(ADA, "private", "c1"),
    )
    assert await seats.of_person("telegram", "7") == ((ADA_IN_A_GROUP, "c1"), (ADA, "c1"))
    assert await seats.of_person("discord", "7") == ()
    assert await seats.of_chat("telegram", ADA_IN_A_GROUP.chat_id) == ((ADA_IN_A_GROUP, "c1"),)
