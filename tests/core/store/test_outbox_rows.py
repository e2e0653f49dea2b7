"""The outbox: one row per part, and the states it may go through."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.store.changes import Change
from core.store.database import Database
from core.store.outbox import (
    Claim,
    Delivered,
    Dropped,
    Expired,
    Failed,
    FailureClass,
    Kind,
    Letter,
    OutboxRows,
    Post,
    Resend,
    Retry,
    State,
    Unknown,
)
from tests.core.store.conftest import Open

START = ManualClock().now()
LATER = START + timedelta(minutes=2)


def post(key: str = "turn:0", part: int = 0, of: int = 1, channel_id: str = "telegram") -> Post:
    return Post(key, part, of, channel_id, "7", "private", None, '{"text":"hi"}', Kind.ANSWER)


@pytest.fixture
def rows(database: Database) -> OutboxRows:
    return OutboxRows(database)


async def posted(database: Database, key: str = "turn:0") -> int:
    id_ = await database.commit_one(post(key))
    assert id_ is not None
    return id_


async def state_of(rows: OutboxRows, key: str = "turn:0") -> State:
    (letter,) = await rows.of_key(key)
    return letter.state


# ---- posting -------------------------------------------------------------------------------------------------------


@pytest.mark.report("R001")
async def test_a_part_of_a_reply_is_posted_once(database: Database, rows: OutboxRows) -> None:
    first = await database.commit(post(part=0, of=2), post(part=1, of=2))
    again = await database.commit(post(part=0, of=2), post(part=1, of=2), post("other"))

    assert None not in first
    assert again[:2] == (None, None)
    assert again[2] is not None
    assert [(letter.part, letter.of) for letter in await rows.of_key("turn:0")] == [(0, 2), (1, 2)]


@pytest.mark.report("R003")
@pytest.mark.report("R007")
async def test_of_two_senders_of_one_reply_at_once_one_posts(database: Database, rows: OutboxRows) -> None:
    ids = await asyncio.gather(*(database.commit_one(post()) for _ in range(4)))

    assert ids == [1, None, None, None]
    assert len(await rows.unfinished("telegram")) == 1


async def test_many_parts_get_their_own_ids_in_their_order(database: Database, rows: OutboxRows) -> None:
    await database.commit(post("earlier", 3))

    ids = await database.commit(post("earlier", 3), *(post(part=part, of=150) for part in range(150)))

    by_id = {letter.id: letter.part for letter in await rows.of_key("turn:0")}
    assert ids[0] is None
    assert [by_id[id_] for id_ in ids[1:]] == list(range(150))


async def test_a_letter_of_a_post_is_what_is_read_back(
    database: Database, rows: OutboxRows, clock: ManualClock
) -> None:
    threaded = Post("k", 1, 2, "slack", "C7", "group", "17.4", '{"text":"é"}', Kind.NOTICE)

    id_ = await database.commit_one(threaded)

    assert id_ is not None
    assert await rows.of_key("k") == (Letter.posted(id_, threaded, clock.now()),)


async def test_what_its_owner_tries_at_once_is_claimed_by_nobody_else(
    database: Database, rows: OutboxRows, clock: ManualClock
) -> None:
    begun = replace(post(), owner="life0", lease_until=LATER)

    id_ = await database.commit_one(begun)

    assert id_ is not None
    (letter,) = await rows.of_key("turn:0")
    assert letter == Letter.posted(id_, begun, clock.now())
    assert (letter.state, letter.owner, letter.lease_until) == (State.SENDING, "life0", LATER)
    assert await database.commit(Claim(id_, "life1", LATER), Delivered(id_, "9")) == (False, True)


# ---- the way of one message ----------------------------------------------------------------------------------------


async def test_a_message_is_claimed_by_one(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)

    claims = await asyncio.gather(*(database.commit_one(Claim(id_, f"life{n}", LATER)) for n in range(5)))

    (letter,) = await rows.of_key("turn:0")
    assert claims == [True, False, False, False, False]
    assert (letter.state, letter.owner, letter.lease_until) == (State.SENDING, "life0", LATER)


async def test_a_receipt_ends_it_and_the_first_one_counts(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)
    await database.commit(Claim(id_, "me", LATER))

    first = await database.commit(Delivered(id_, "m1"), Delivered(id_, "m2"))
    late = await database.commit_one(Delivered(id_, "m3"))

    (letter,) = await rows.of_key("turn:0")
    assert (first, late) == ((True, False), False)
    assert (letter.state, letter.message_id, letter.owner) == (State.DELIVERED, "m1", None)
    assert await rows.unfinished("telegram") == ()


@pytest.mark.report("R019")
async def test_what_was_not_taken_is_pending_again_with_its_time_and_reason(
    database: Database, rows: OutboxRows
) -> None:
    id_ = await posted(database)
    await database.commit(Claim(id_, "me", LATER))

    await database.commit(Retry(id_, LATER, "slow down"))

    (letter,) = await rows.unfinished("telegram")
    assert (letter.state, letter.not_before, letter.attempts, letter.error) == (State.PENDING, LATER, 1, "slow down")
    assert await database.commit_one(Claim(id_, "me", LATER)) is True


@pytest.mark.report("R013")
async def test_a_message_ends_as_failed_only_with_a_class(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)
    await database.commit(Claim(id_, "me", LATER))

    await database.commit(Failed(id_, FailureClass.GONE, "the chat is not there"))

    (letter,) = await rows.in_trouble(10)
    assert (letter.state, letter.error_class, letter.error) == (
        State.FAILED,
        FailureClass.GONE,
        "the chat is not there",
    )


@pytest.mark.report("R009")
async def test_what_a_dead_process_was_sending_is_found_and_becomes_unknown(
    database: Database, rows: OutboxRows, reopen: Open
) -> None:
    mine, theirs, late = [await posted(database, key) for key in ("mine", "theirs", "late")]
    await database.commit(Claim(mine, "me", LATER), Claim(theirs, "gone", LATER), Claim(late, "me", START))
    await database.close()

    again = await reopen()
    found = await OutboxRows(again).abandoned({"me"}, START + timedelta(seconds=1))
    await again.commit(*(Unknown(letter.id, "the program ended while sending") for letter in found))

    assert [letter.key for letter in found] == ["theirs", "late"]
    assert [await state_of(OutboxRows(again), key) for key in ("mine", "theirs", "late")] == [
        State.SENDING,
        State.UNKNOWN,
        State.UNKNOWN,
    ]


async def test_a_late_receipt_of_an_unknown_message_is_a_fact(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)
    await database.commit(Claim(id_, "me", LATER))
    await database.commit(Unknown(id_, "no answer"))

    delivered = await database.commit_one(Delivered(id_, "m1"))

    assert (delivered, await state_of(rows)) == (True, State.DELIVERED)


async def test_a_late_receipt_keeps_a_message_from_going_out_again(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)
    await database.commit(Claim(id_, "me", LATER))
    await database.commit(Unknown(id_, "no answer"))
    await database.commit(Resend(id_, at_most=3))

    await database.commit(Delivered(id_, "m1"))

    assert await database.commit_one(Claim(id_, "me", LATER)) is False


async def test_an_unknown_message_is_sent_again_so_many_times(database: Database, rows: OutboxRows) -> None:
    id_ = await posted(database)

    async def lost_again() -> bool:
        await database.commit(Claim(id_, "me", LATER))
        await database.commit(Unknown(id_, "no answer"))
        return await database.commit_one(Resend(id_, at_most=2))

    assert [await lost_again() for _ in range(3)] == [True, True, False]
    assert await state_of(rows) is State.UNKNOWN
    assert await database.commit_one(Resend(id_)) is True


@pytest.mark.report("R011")
async def test_an_expired_message_goes_out_only_when_a_person_wants_it_and_its_age_begins_anew(
    database: Database, rows: OutboxRows, clock: ManualClock
) -> None:
    id_ = await posted(database)
    await clock.advance(13 * 3_600)
    await database.commit(Expired(id_))

    claimed = await database.commit_one(Claim(id_, "me", LATER))
    await database.commit(Resend(id_))

    (letter,) = await rows.unfinished("telegram")
    assert claimed is False
    assert letter.created_at == clock.now()


async def test_what_is_unfinished_comes_in_the_order_of_posting(database: Database, rows: OutboxRows) -> None:
    ids = await database.commit(*(post(key) for key in ("a", "b", "c", "d")), post("e", channel_id="discord"))
    await database.commit(Claim(ids[1], "me", LATER), Claim(ids[3], "me", LATER))
    await database.commit(Delivered(ids[3], "m"))

    letters = await rows.unfinished("telegram")

    assert [(letter.key, letter.sending) for letter in letters] == [("a", False), ("b", True), ("c", False)]


async def test_trouble_is_shown_newest_first_in_pages(database: Database, rows: OutboxRows) -> None:
    ids = await database.commit(*(post(str(number)) for number in range(5)))
    await database.commit(*(Expired(id_) for id_ in ids[1:]))

    first = await rows.in_trouble(3)
    second = await rows.in_trouble(3, before=first[-1].id)

    assert [letter.key for letter in (*first, *second)] == ["4", "3", "2", "1"]
    assert await rows.counts() == {State.PENDING: 1, State.EXPIRED: 4}


# ---- every transition, from every state ----------------------------------------------------------------------------

LEGAL = {
    "claim": {State.PENDING},
    "delivered": {State.SENDING, State.UNKNOWN, State.PENDING},
    "unknown": {State.SENDING},
    "failed": {State.SENDING, State.UNKNOWN},
    "retry": {State.SENDING},
    "expired": {State.PENDING},
    "resend": {State.UNKNOWN, State.FAILED, State.EXPIRED},
    "dropped": {State.UNKNOWN, State.FAILED, State.EXPIRED},
}
LEADS_TO = {
    "claim": State.SENDING,
    "delivered": State.DELIVERED,
    "unknown": State.UNKNOWN,
    "failed": State.FAILED,
    "retry": State.PENDING,
    "expired": State.EXPIRED,
    "resend": State.PENDING,
    "dropped": State.DROPPED,
}
CHANGES: dict[str, Callable[[int], Change[bool]]] = {
    "claim": lambda id_: Claim(id_, "me", LATER),
    "delivered": lambda id_: Delivered(id_, "m1"),
    "unknown": lambda id_: Unknown(id_, "no answer"),
    "failed": lambda id_: Failed(id_, FailureClass.GONE, "gone"),
    "retry": lambda id_: Retry(id_, LATER),
    "expired": Expired,
    "resend": Resend,
    "dropped": Dropped,
}


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(CHANGES)), max_size=12), st.integers(0, 10**9))
def test_a_message_goes_only_where_its_state_allows(database_url: str, ways: list[str], number: int) -> None:
    async def run() -> None:
        database = await Database.open(database_url, ManualClock())
        rows, state, key = OutboxRows(database), State.PENDING, f"{number}:{'-'.join(ways)}"
        id_ = (await database.commit_one(post(key))) or (await rows.of_key(key))[0].id
        state = await state_of(rows, key)
        for way in ways:
            moved = await database.commit_one(CHANGES[way](id_))
            assert moved == (state in LEGAL[way]), f"{way} from {state}"
            state = LEADS_TO[way] if moved else state
            assert await state_of(rows, key) is state
        await database.close()

    asyncio.run(run())


async def test_a_message_that_is_not_there_goes_nowhere(database: Database) -> None:
    assert [await database.commit_one(change(4_711)) for change in CHANGES.values()] == [False] * len(CHANGES)


async def test_a_message_in_a_group_is_found_by_the_apps_own_id(database: Database, rows: OutboxRows) -> None:
    here = replace(post("c:4:0"), chat_id="-1", chat_kind="group")
    ids = await database.commit(here, replace(post("d:4:0"), chat_id="-2", chat_kind="group"), post("e:4:0"))
    await database.commit(*(Delivered(id_, "9") for id_ in ids if id_ is not None))

    found = [await rows.key_in_group("telegram", chat_id, "9") for chat_id in ("-1", "-2", "7")]

    assert found == ["c:4:0", "d:4:0", None]
    assert await rows.key_in_group("telegram", "-1", "10") is None
    assert await rows.key_in_group("discord", "-1", "9") is None
