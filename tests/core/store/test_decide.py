"""Decisions go by the conversation as it is in their own transaction, and each is made once."""

import asyncio

import pytest

from core.conversation_state import ConversationState
from core.decisions import Clear, RestoreContext, SetGoal, SwitchPlan
from core.events import ContextCleared, EventData, GoalSet, Mode, OptionsSet
from core.store.database import Database
from core.store.log import Append, Decide, Decided, EventLog
from tests.core.event_logs import completed, said, started
from tests.core.store.conftest import Open


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)


async def data(log: EventLog) -> list[EventData]:
    return [event.data for event in await log.read("c")]


async def test_a_decision_says_what_it_found_and_what_it_added(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (said(), started(), completed())))

    decided = await database.commit_one(Decide("c", Clear()))

    assert decided.before.last_seq == 2
    assert [event.data for event in decided.events] == [ContextCleared()]
    assert decided.after == await log.state("c") == await log.rebuild("c")


async def test_a_decision_sees_what_is_appended_in_its_transaction(database: Database, log: EventLog) -> None:
    await database.commit(Decide("c", Clear()), Append("c", (said(), started(), completed())))

    assert await data(log) == [said(), started(), completed(), ContextCleared()]


async def test_each_decision_sees_the_one_before_it(database: Database, log: EventLog) -> None:
    decisions = (SwitchPlan(), SwitchPlan(), SwitchPlan())

    await asyncio.gather(*(database.commit(Decide("c", decision)) for decision in decisions))

    assert await data(log) == [OptionsSet(mode=mode) for mode in (Mode.PLAN, Mode.ASK, Mode.PLAN)]


@pytest.mark.report("R151")
async def test_of_two_undos_at_once_one_takes_the_clear_back(database: Database) -> None:
    await database.commit(Append("c", (said(), started(), completed(), ContextCleared())))

    both = await asyncio.gather(*(database.commit_one(Decide("c", RestoreContext(3))) for _ in range(2)))

    assert [len(decided.events) for decided in both] == [1, 0]


async def test_the_same_client_id_decides_nothing_again(database: Database, log: EventLog, reopen: Open) -> None:
    await database.commit(Decide("c", SwitchPlan(), "update 7"))
    await database.close()
    again = await reopen()

    decided = await again.commit_one(Decide("c", SwitchPlan(), "update 7"))

    assert decided == Decided(await EventLog(again).state("c"), again=True)
    assert decided.after.options.mode is Mode.PLAN


async def test_a_decision_that_changes_nothing_makes_no_conversation(database: Database, log: EventLog) -> None:
    decided = await database.commit_one(Decide("c", SetGoal(None)))

    assert decided == Decided(ConversationState())
    assert not await log.exists("c")


async def test_a_decision_can_be_the_first_thing_that_happens(database: Database, log: EventLog) -> None:
    await database.commit(Decide("c", SetGoal("sleep")))

    assert await log.exists("c")
    assert await data(log) == [GoalSet(goal="sleep")]
