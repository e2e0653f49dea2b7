"""The event log: gap-free, in order, once, with a fold beside it that is the log's."""

import asyncio
import json
import uuid
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from core.clock import ManualClock
from core.events import (
    AssistantMessage,
    Event,
    EventData,
    Status,
    TitleSet,
    TurnCompleted,
    TurnStarted,
    Unknown,
    UserMessage,
)
from core.projections import ConversationState
from core.store.database import Database
from core.store.log import AlreadySent, Append, EventLog, Relayed
from tests.core.event_logs import TOPICS, answered, asked, completed, logs, said, started
from tests.core.store.conftest import Open


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)


async def seqs(database: Database, *changes: Append) -> list[int]:
    """Append one after the other; the seqs of everything."""
    found: list[int] = []
    for change in changes:
        events = await database.commit_one(change)
        assert isinstance(events, tuple)
        found += [event.seq for event in events]
    return found


# ---- appending -----------------------------------------------------------------------------------------------------


async def test_seqs_count_from_zero_without_gaps(database: Database) -> None:
    assert await seqs(database, Append("c", (said(), started())), Append("c", (answered(),))) == [0, 1, 2]


async def test_each_conversation_counts_for_itself(database: Database) -> None:
    assert await seqs(database, Append("a", (said(),)), Append("b", (said(),)), Append("a", (said(),))) == [0, 0, 1]


async def test_appends_at_the_same_time_follow_each_other(database: Database, log: EventLog) -> None:
    await asyncio.gather(*(database.commit(Append("c", (said(str(n)), answered(str(n))))) for n in range(20)))

    events = await log.read("c")
    assert [event.seq for event in events] == list(range(40))
    texts = [data.text for event in events if isinstance(data := event.data, UserMessage | AssistantMessage)]
    assert texts[::2] == texts[1::2] == [str(n) for n in range(20)]


async def test_an_append_of_nothing_makes_no_conversation(database: Database, log: EventLog) -> None:
    assert await database.commit_one(Append("c", ())) == ()

    assert await log.page(10) == ()


async def test_what_is_read_is_what_was_appended(database: Database, log: EventLog) -> None:
    appended = await database.commit_one(Append("c", (said("é\n\"'"), Unknown(type="hologram", raw={"size": 3}))))

    assert await log.read("c") == appended


async def test_a_newer_releases_event_is_kept_and_passed_on_as_it_is(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (said(),)))
    await database.write(
        lambda connection: connection.execute(
            text("UPDATE event SET type = 'hologram', data = '{\"deep\": {\"a\": [1]}}' WHERE seq = 0")
        )
    )

    (event,) = await log.read("c")

    assert event.data == Unknown(type="hologram", raw={"deep": {"a": [1]}})


async def test_a_conversation_goes_on_after_a_restart(database: Database, reopen: Open) -> None:
    await database.commit(Append("c", (said(), started())))
    await database.close()

    again = await reopen()

    assert await seqs(again, Append("c", (answered(),))) == [2]
    assert (await EventLog(again).state("c")).turn_seq == 1


# ---- once ----------------------------------------------------------------------------------------------------------


async def test_a_client_id_is_accepted_once(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (said(),), ("m1",)))

    again = await database.commit_one(Append("c", (said(), started()), ("m1",)))

    assert again == AlreadySent(("m1",))
    assert len(await log.read("c")) == 1


async def test_of_two_equal_messages_at_once_one_is_accepted(database: Database, log: EventLog) -> None:
    results = await asyncio.gather(*(database.commit_one(Append("c", (said(),), ("m1",))) for _ in range(5)))

    assert [isinstance(result, AlreadySent) for result in results] == [False, True, True, True, True]
    assert len(await log.read("c")) == 1


async def test_one_known_client_id_of_several_is_named(database: Database) -> None:
    await database.commit(Append("c", (said(),), ("m1",)))

    again = await database.commit_one(Append("c", (said(),), ("m2", "m1")))

    assert again == AlreadySent(("m1",))
    assert isinstance(await database.commit_one(Append("c", (said(),), ("m2",))), tuple)


async def test_another_conversation_may_have_the_same_client_id(database: Database) -> None:
    await database.commit(Append("a", (said(),), ("m1",)))

    assert isinstance(await database.commit_one(Append("b", (said(),), ("m1",))), tuple)


async def test_a_client_id_is_remembered_over_a_restart(database: Database, reopen: Open) -> None:
    await database.commit(Append("c", (said(),), ("m1",)))
    await database.close()

    again = await reopen()

    assert await again.commit_one(Append("c", (said(),), ("m1",))) == AlreadySent(("m1",))


# ---- reading -------------------------------------------------------------------------------------------------------


async def test_reading_begins_after_a_seq_and_ends_at_a_limit(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", tuple(said(str(n)) for n in range(200))))

    async def read(after: int, limit: int | None) -> tuple[int, int]:
        found = [event.seq for event in await log.read("c", after, limit)]
        assert found == list(range(found[0], found[-1] + 1))
        return found[0], found[-1]

    assert await read(-1, None) == (0, 199)
    assert await read(9, 5) == (10, 14)
    assert await read(99, 64) == (100, 163)
    assert await read(99, 65) == (100, 164)
    assert await read(189, None) == (190, 199)
    assert await log.read("c", 199) == ()


async def test_the_last_page_is_the_newest_events_in_order(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", tuple(said(str(n)) for n in range(10))))

    assert [event.seq for event in await log.last_page("c", 3)] == [7, 8, 9]
    assert [event.seq for event in await log.last_page("c", 100)] == list(range(10))


async def test_a_conversation_that_is_not_there_is_empty(log: EventLog) -> None:
    assert await log.read("nowhere") == ()
    assert await log.last_page("nowhere", 5) == ()


async def test_the_page_before_an_event_ends_right_before_it(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", tuple(said(str(number)) for number in range(10))))

    assert [event.seq for event in await log.before("c", 7, 3)] == [4, 5, 6]
    assert [event.seq for event in await log.before("c", 2, 3)] == [0, 1]
    assert await log.before("c", 0, 3) == ()
    assert await log.state("nowhere") == ConversationState()
    assert await log.rebuild("nowhere") == ConversationState()


@pytest.mark.report("R177")
async def test_running_conversations_are_found(database: Database, log: EventLog) -> None:
    await database.commit(
        Append("over", (said(), started(), completed())),
        Append("running", (said(), started())),
        Append("never", (said(),)),
    )

    assert await log.running() == ("running",)


async def test_what_was_relayed_only_moves_forward(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (said(), started(), completed())))

    before = await log.unrelayed()
    await asyncio.gather(database.commit(Relayed("c", 1)), database.commit(Relayed("c", 0)))
    after_one = await log.unrelayed()
    await database.commit(Relayed("c", 2))
    await database.commit(Relayed("c", 0))

    assert (before, after_one, await log.unrelayed()) == ((("c", -1),), (("c", 1),), ())


async def test_a_title_that_no_list_can_show_whole_is_kept_in_the_log(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (TitleSet(title="a\0b"),)))

    (shown,) = await log.page(1)

    assert shown.title == "a\N{REPLACEMENT CHARACTER}b"
    assert [event.data for event in await log.read("c")] == [TitleSet(title="a\0b")]


@pytest.mark.report("R187")
async def test_pages_of_conversations_begin_with_the_newest_and_miss_none(
    database: Database, log: EventLog, clock: ManualClock
) -> None:
    for number in range(7):
        await database.commit(Append(f"c{number}", (said(), TitleSet(title=f"Title {number}"))))
        await clock.advance(number % 2)

    first = await log.page(3)
    second = await log.page(3, first[-1])
    third = await log.page(3, second[-1])

    ids = [summary.id for summary in (*first, *second, *third)]
    assert sorted(ids) == sorted(set(ids)) == [f"c{number}" for number in range(7)]
    assert [summary.updated_at for summary in (*first, *second, *third)] == sorted(
        (summary.updated_at for summary in (*first, *second, *third)), reverse=True
    )
    assert (first[0].title, first[0].status, first[0].last_seq) == ("Title 6", Status.IDLE, 1)


async def test_a_message_moves_a_conversation_up(database: Database, log: EventLog, clock: ManualClock) -> None:
    await database.commit(Append("old", (said(),)))
    await clock.advance(1)
    await database.commit(Append("new", (said(),)))
    await clock.advance(1)

    await database.commit(Append("old", (said(),)))

    assert [summary.id for summary in await log.page(10)] == ["old", "new"]
    assert (await log.page(1))[0].created_at == clock.now() - timedelta(seconds=2)


# ---- the fold beside the log ---------------------------------------------------------------------------------------


async def test_the_cached_fold_is_the_logs(database: Database, log: EventLog) -> None:
    await database.commit(Append("c", (said(), started(), answered(), completed())))

    state = await log.state("c")

    assert state == await log.rebuild("c")
    assert (state.last_seq, state.turn_seq, state.status) == (3, None, Status.IDLE)


async def test_a_cached_fold_of_another_shape_is_computed_anew(database: Database, log: EventLog, reopen: Open) -> None:
    await database.commit(Append("c", (said(), started())))
    await database.write(lambda connection: connection.execute(text("UPDATE conversation SET state = '{\"turn\": 7}'")))

    assert (await log.state("c")).turn_seq == 1
    await database.close()
    again = await reopen()
    assert await seqs(again, Append("c", (completed(),))) == [2]
    assert await EventLog(again).state("c") == await EventLog(again).rebuild("c")


def _split(events: Sequence[EventData], sizes: Sequence[int]) -> list[tuple[EventData, ...]]:
    """The events in groups of these sizes, over and over."""
    groups, rest, number = [], list(events), 0
    while rest:
        size = sizes[number % len(sizes)]
        groups.append(tuple(rest[:size]))
        rest, number = rest[size:], number + 1
    return groups


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(logs(TOPICS["everything"], max_size=15), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.booleans(),
)
def test_any_log_is_gap_free_and_its_cached_fold_is_its_rebuild(
    database_url: str, events: list[list[Event]], sizes: list[int], forgetful: bool
) -> None:
    groups = [_split([event.data for event in of_one], sizes) for of_one in events]

    async def run() -> None:
        database = await Database.open(database_url, ManualClock())
        for number, of_one in enumerate(groups):
            name = f"{number}-{uuid.uuid4().hex}"  # one database sees every example
            if forgetful:
                await asyncio.gather(*(database.commit(Append(name, group)) for group in of_one))
            else:
                for group in of_one:
                    await database.commit(Append(name, group))
            await _check(EventLog(database), name, [data for group in of_one for data in group])
        await database.close()

    asyncio.run(run())


async def _check(log: EventLog, name: str, data: list[EventData]) -> None:
    read = await log.read(name)
    assert [event.seq for event in read] == list(range(len(data)))
    assert [event.data for event in read] == data
    assert await log.state(name) == await log.rebuild(name)
    state = await log.state(name)
    assert (name in await log.running()) == (state.turn_seq is not None)
    shown = [(one.last_seq, one.status, one.title) for one in await log.page(1_000) if one.id == name]
    assert shown in ([(state.last_seq, state.status, state.title)], [])


async def test_a_waiting_question_survives_in_the_cached_fold(database: Database, log: EventLog, reopen: Open) -> None:
    await database.commit(Append("c", (said(), started(), asked())))
    before = await log.state("c")
    await database.close()

    again = await reopen()

    assert before.waiting_question is not None
    cached = await again.read(_cached_state)
    assert ConversationState.model_validate_json(cached).waiting_question == before.waiting_question


def _cached_state(connection: Connection) -> str:
    cached: str = connection.execute(text("SELECT state FROM conversation")).scalar_one()
    return cached


async def test_the_cached_fold_stays_small_and_leaves_out_what_is_not_set(database: Database) -> None:
    await database.commit(
        Append("c", (said(), TurnStarted(engine="demo"), TurnCompleted(outcome="success", engine="demo")))
    )

    cached = await database.read(_cached_state)

    assert json.loads(cached) == {"last_user_seq": 0, "last_said_seq": 1}
