"""Groups: which are remembered, which are on, how guests' answers are counted, and what happens when one moves."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import NotFound
from core.store.channels import Channels
from core.store.database import Database
from core.store.groups import GUEST_WINDOW, MAX_GROUPS, MAX_TITLE, Group, Groups, MoveChat
from core.store.retention import throw_away
from core.store.seats import HoldOnSeat, Seat, Seats, TakeSeat

CHANNEL = "telegram"


@pytest.fixture
def groups(database: Database) -> Groups:
    return Groups(database)


async def hear(groups: Groups, clock: ManualClock, *chat_ids: str) -> None:
    """Somebody wants something in these groups, a minute after the other."""
    for chat_id in chat_ids:
        await clock.advance(60)
        await groups.heard_of(CHANNEL, chat_id, f"Group {chat_id}")


async def known(groups: Groups) -> list[str]:
    return [group.chat_id for group in await groups.list(CHANNEL)]


# ---- remembered ----------------------------------------------------------------------------------------------------


async def test_a_group_is_off_until_it_is_turned_on(groups: Groups, clock: ManualClock) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    before = await groups.is_on(CHANNEL, "-1")

    group = await groups.switch(CHANNEL, "-1", True)

    assert not before
    assert group == Group(CHANNEL, "-1", "Team", True, clock.now())
    assert await groups.is_on(CHANNEL, "-1")
    assert await groups.list(CHANNEL) == (group,)


async def test_a_group_of_one_bot_is_not_on_for_another(groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.heard_of("other", "-1", "Team")

    await groups.switch(CHANNEL, "-1", True)

    assert not await groups.is_on("other", "-1")


async def test_a_group_that_was_turned_off_is_off(groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)

    await groups.switch(CHANNEL, "-1", False)

    assert not await groups.is_on(CHANNEL, "-1")


async def test_a_group_that_nobody_wrote_in_cannot_be_turned_on(groups: Groups) -> None:
    with pytest.raises(NotFound):
        await groups.switch(CHANNEL, "-1", True)

    assert not await groups.is_on(CHANNEL, "-1")


async def test_the_oldest_of_too_many_is_forgotten(groups: Groups, clock: ManualClock) -> None:
    await hear(groups, clock, *(f"-{number}" for number in range(MAX_GROUPS + 1)))

    assert await known(groups) == [f"-{number}" for number in range(MAX_GROUPS, 0, -1)]


async def test_one_that_is_on_is_never_pushed_out(groups: Groups, clock: ManualClock) -> None:
    await hear(groups, clock, "-1", "-2")
    await groups.switch(CHANNEL, "-1", True)

    await hear(groups, clock, *(f"-{number}" for number in range(3, 3 + MAX_GROUPS)))

    assert await groups.is_on(CHANNEL, "-1")
    assert len(await known(groups)) == MAX_GROUPS
    assert "-2" not in await known(groups)


async def test_with_as_many_on_as_are_remembered_no_other_is(groups: Groups, clock: ManualClock) -> None:
    ids = [f"-{number}" for number in range(MAX_GROUPS)]
    await hear(groups, clock, *ids)
    for chat_id in ids:
        await groups.switch(CHANNEL, chat_id, True)

    await hear(groups, clock, "-99")

    assert sorted(await known(groups)) == sorted(ids)


async def test_one_that_was_left_makes_room_and_keeps_its_switch_until_then(groups: Groups, clock: ManualClock) -> None:
    await hear(groups, clock, "-1")
    await groups.switch(CHANNEL, "-1", True)
    await groups.leave(CHANNEL, "-1")
    left = await known(groups), await groups.is_on(CHANNEL, "-1")

    await hear(groups, clock, *(f"-{number}" for number in range(2, 2 + MAX_GROUPS)))

    assert left == ([], True)
    assert not await groups.is_on(CHANNEL, "-1")
    assert len(await known(groups)) == MAX_GROUPS


async def test_one_that_the_bot_is_brought_back_to_is_listed_again(groups: Groups, clock: ManualClock) -> None:
    await hear(groups, clock, "-1")
    await groups.leave(CHANNEL, "-1")

    await groups.heard_of(CHANNEL, "-1", None)

    assert [group.title for group in await groups.list(CHANNEL)] == ["Group -1"]


async def test_a_new_title_is_noted_at_once_and_the_time_once_a_minute(groups: Groups, clock: ManualClock) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    first = clock.now()
    await clock.advance(30)
    await groups.heard_of(CHANNEL, "-1", "Team")
    (same,) = await groups.list(CHANNEL)

    await groups.heard_of(CHANNEL, "-1", "T" * 1_000)

    (renamed,) = await groups.list(CHANNEL)
    assert same.heard_at == first
    assert renamed.title == "T" * MAX_TITLE


async def test_a_bot_that_is_removed_takes_its_groups_along(database: Database, groups: Groups) -> None:
    channels = Channels(database)
    await channels.add(CHANNEL, "telegram", "7", "Conch", None, "sealed")
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)

    await channels.remove(CHANNEL)

    assert not await groups.is_on(CHANNEL, "-1")


@given(st.lists(st.tuples(st.sampled_from(["hear", "on", "off", "leave"]), st.integers(0, 30)), max_size=80))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_happens_no_more_are_remembered_and_those_on_stay(
    database: Database, clock: ManualClock, steps: list[tuple[str, int]]
) -> None:
    groups, channel = Groups(database), f"c{clock.now().timestamp()}"
    on: set[str] = set()
    await clock.advance(3_600)

    for step, number in steps:
        chat_id = f"-{number}"
        await clock.advance(61)
        if step == "hear":
            await groups.heard_of(channel, chat_id, "Group")
        elif step == "leave":
            await groups.leave(channel, chat_id)
            on.discard(chat_id)
        elif chat_id in {group.chat_id for group in await groups.list(channel)}:
            await groups.switch(channel, chat_id, step == "on")
            (on.add if step == "on" else on.discard)(chat_id)

    listed = {group.chat_id: group.on for group in await groups.list(channel)}
    assert len(listed) <= MAX_GROUPS
    assert on <= {chat_id for chat_id, is_on in listed.items() if is_on}


# ---- guests --------------------------------------------------------------------------------------------------------


async def test_guests_are_answered_so_often_in_an_hour(groups: Groups, clock: ManualClock) -> None:
    first = [await groups.answer_guest(CHANNEL, "-1", str(number), 2) for number in range(3)]
    await clock.advance(GUEST_WINDOW.total_seconds())

    later = await groups.answer_guest(CHANNEL, "-1", "4", 2)

    assert first == [True, True, False]
    assert later


async def test_an_update_that_is_handled_again_counts_once(groups: Groups) -> None:
    await groups.answer_guest(CHANNEL, "-1", "1", 2)

    again = await groups.answer_guest(CHANNEL, "-1", "1", 2)
    next_one = await groups.answer_guest(CHANNEL, "-1", "2", 2)

    assert again
    assert next_one


async def test_each_group_has_answers_of_its_own(groups: Groups) -> None:
    await groups.answer_guest(CHANNEL, "-1", "1", 1)

    assert await groups.answer_guest(CHANNEL, "-2", "2", 1)
    assert await groups.answer_guest("other", "-1", "1", 1)


async def test_no_answers_are_no_answers(groups: Groups) -> None:
    assert not await groups.answer_guest(CHANNEL, "-1", "1", 0)


async def test_of_many_at_once_only_so_many_are_answered(groups: Groups) -> None:
    got = await asyncio.gather(*(groups.answer_guest(CHANNEL, "-1", str(number), 5) for number in range(20)))

    assert sum(got) == 5


async def test_what_is_counted_no_more_is_thrown_away(database: Database, groups: Groups, clock: ManualClock) -> None:
    await groups.answer_guest(CHANNEL, "-1", "1", 5)
    await clock.advance(60)
    await groups.answer_guest(CHANNEL, "-1", "2", 5)
    await clock.advance((GUEST_WINDOW - timedelta(seconds=60)).total_seconds())

    assert await throw_away(database) == 1


# ---- a group moves -------------------------------------------------------------------------------------------------

ADA = Seat(CHANNEL, "-1", "", "7")
ADA_THERE = Seat(CHANNEL, "-100", "", "7")


async def test_a_group_that_moves_keeps_its_switch_and_its_seats(database: Database, groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)
    await database.commit(
        TakeSeat(ADA, "c1", "group"), HoldOnSeat(Seat(CHANNEL, "-1", "", "8"), "group", "goal", False)
    )

    moved = await database.commit_one(MoveChat(CHANNEL, "-1", "-100"))

    seats = Seats(database)
    waiting = await seats.get(Seat(CHANNEL, "-100", "", "8"))
    assert moved
    assert [(group.chat_id, group.title, group.on) for group in await groups.list(CHANNEL)] == [("-100", "Team", True)]
    assert (await seats.conversation(ADA_THERE), await seats.get(ADA)) == ("c1", None)
    assert waiting is not None
    assert waiting.pending_goal == "goal"


async def test_what_is_on_its_way_under_the_old_id_finds_the_switch(database: Database, groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)
    await database.commit(MoveChat(CHANNEL, "-1", "-100"))
    on = await groups.is_on(CHANNEL, "-1")

    await groups.switch(CHANNEL, "-100", False)

    assert on
    assert not await groups.is_on(CHANNEL, "-1")


async def test_hearing_of_the_move_again_does_not_turn_it_on_again(database: Database, groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)
    await database.commit(MoveChat(CHANNEL, "-1", "-100"))
    await groups.switch(CHANNEL, "-100", False)

    again = await database.commit_one(MoveChat(CHANNEL, "-1", "-100"))

    assert not again
    assert not await groups.is_on(CHANNEL, "-100")


async def test_the_old_id_cannot_be_switched_any_more(database: Database, groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await database.commit(MoveChat(CHANNEL, "-1", "-100"))

    with pytest.raises(NotFound):
        await groups.switch(CHANNEL, "-1", True)


async def test_the_order_of_leaving_moving_and_joining_does_not_matter(database: Database, groups: Groups) -> None:
    await groups.heard_of(CHANNEL, "-1", "Team")
    await groups.switch(CHANNEL, "-1", True)

    await groups.leave(CHANNEL, "-1")
    await groups.heard_of(CHANNEL, "-100", "Team")
    await database.commit(MoveChat(CHANNEL, "-1", "-100"))

    assert await known(groups) == ["-100"]
    assert await groups.is_on(CHANNEL, "-100")


async def test_who_has_a_seat_under_the_new_id_keeps_that_one(database: Database, groups: Groups) -> None:
    await database.commit(TakeSeat(ADA, "old", "group"), TakeSeat(ADA_THERE, "new", "group"))

    await database.commit(MoveChat(CHANNEL, "-1", "-100"))

    seats = Seats(database)
    assert (await seats.conversation(ADA_THERE), await seats.get(ADA)) == ("new", None)


async def test_guests_answers_move_along(database: Database, groups: Groups) -> None:
    await groups.answer_guest(CHANNEL, "-1", "1", 1)

    await database.commit(MoveChat(CHANNEL, "-1", "-100"))

    assert not await groups.answer_guest(CHANNEL, "-100", "2", 1)


async def test_a_group_that_is_not_known_moves_without_a_trace(database: Database, groups: Groups) -> None:
    await database.commit(MoveChat(CHANNEL, "-1", "-100"), MoveChat(CHANNEL, "-2", "-2"))

    assert await groups.list(CHANNEL) == ()
