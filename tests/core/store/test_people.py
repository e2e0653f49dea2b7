"""People: who is let in, who asked, and how a code lets one in once."""

import asyncio
import uuid
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import NotFound
from core.store.database import Database
from core.store.people import MAX_NAME, MAX_PREVIEW, MAX_REQUESTS, People, Role

CHANNEL = "telegram"
HALF_HOUR = timedelta(minutes=30)


@pytest.fixture
def people(database: Database) -> People:
    return People(database)


async def ask(people: People, clock: ManualClock, person_id: str = "9", name: str = "Eve", preview: str = "hi") -> bool:
    return await people.request(
        CHANNEL, person_id, name, None, chat_id=person_id, preview=preview, answered_before=clock.now() - HALF_HOUR
    )


async def roles(people: People) -> dict[str, Role]:
    return {person.person_id: person.role for person in await people.list(CHANNEL)}


# ---- let in, blocked, removed --------------------------------------------------------------------------------------


async def test_a_stranger_is_nobody(people: People) -> None:
    assert await people.get(CHANNEL, "7") is None


async def test_the_first_one_in_owns_the_channel_and_the_others_do_not(people: People) -> None:
    first = await people.let_in(CHANNEL, "7", by="console", name="Ada", username="ada")
    second = await people.let_in(CHANNEL, "8", by="7", name="Bob")
    elsewhere = await people.let_in("discord", "8", by="console", name="Bob")

    assert (first, second, elsewhere) == (Role.OWNER, Role.PERSON, Role.OWNER)
    ada = await people.get(CHANNEL, "7")
    assert ada is not None
    assert (ada.name, ada.username, ada.role, ada.let_in_by) == ("Ada", "ada", Role.OWNER, "console")


async def test_of_many_let_in_at_once_one_is_the_owner(people: People) -> None:
    got = await asyncio.gather(*(people.let_in(CHANNEL, str(n), by="hello", name="A") for n in range(8)))

    assert sorted(got) == [Role.OWNER] + [Role.PERSON] * 7


async def test_an_owner_who_is_let_in_again_stays_the_owner(people: People, clock: ManualClock) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    since = clock.now()
    await clock.advance(60)

    again = await people.let_in(CHANNEL, "7", by="hello", name="Ada L")

    ada = await people.get(CHANNEL, "7")
    assert ada is not None
    assert (again, ada.since, ada.name, ada.let_in_by) == (Role.OWNER, since, "Ada L", "console")


async def test_removing_the_owner_promotes_nobody(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")

    assert await people.remove(CHANNEL, "7") is True

    assert await roles(people) == {"8": Role.PERSON}
    assert await people.remove(CHANNEL, "7") is False


async def test_who_is_let_in_next_owns_a_channel_without_owner(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")
    await people.remove(CHANNEL, "7")

    assert await people.let_in(CHANNEL, "9", by="console", name="Cleo") is Role.OWNER
    assert await roles(people) == {"8": Role.PERSON, "9": Role.OWNER}


@pytest.mark.report("R107")
async def test_the_list_says_who_since_when_and_when_last_seen(people: People, clock: ManualClock) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    since = clock.now()
    await clock.advance(3_600)
    await people.touch(CHANNEL, "7", "Ada", None)

    (ada,) = await people.list(CHANNEL)

    assert (ada.since, ada.last_seen) == (since, clock.now())


@pytest.mark.report("R103")
async def test_a_name_never_makes_somebody_else_of_a_stranger(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada", username="ada")

    await people.touch(CHANNEL, "9", "Ada", "ada")

    assert await people.get(CHANNEL, "9") is None
    assert await people.get(CHANNEL, "Ada") is None


async def test_a_blocked_person_is_blocked_until_unblocked_or_let_in(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")

    await people.block(CHANNEL, "8")
    blocked = await roles(people)
    unblocked = await people.unblock(CHANNEL, "8"), await people.get(CHANNEL, "8")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")
    await people.block(CHANNEL, "8")
    let_in = await people.let_in(CHANNEL, "8", by="7", name="Bob")

    assert blocked == {"7": Role.OWNER, "8": Role.BLOCKED}
    assert (unblocked, let_in) == ((True, None), Role.PERSON)


async def test_only_a_blocked_person_can_be_unblocked(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")

    assert await people.unblock(CHANNEL, "7") is False
    assert await roles(people) == {"7": Role.OWNER}


async def test_a_blocked_owner_owns_nothing(people: People) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")

    await people.block(CHANNEL, "7")

    assert await roles(people) == {"7": Role.BLOCKED, "8": Role.PERSON}


async def test_nobody_unknown_can_be_blocked_or_let_in_without_a_name(people: People) -> None:
    with pytest.raises(NotFound):
        await people.block(CHANNEL, "9")
    with pytest.raises(NotFound):
        await people.let_in(CHANNEL, "9", by="console")


async def test_seeing_a_person_often_writes_once_a_minute_and_at_a_new_name(people: People, clock: ManualClock) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.touch(CHANNEL, "7", "Ada", None)
    first = clock.now()

    await clock.advance(59)
    await people.touch(CHANNEL, "7", "Ada", None)
    soon = await people.get(CHANNEL, "7")
    await people.touch(CHANNEL, "7", "Ada" * 200, "ada")
    renamed = await people.get(CHANNEL, "7")

    assert soon is not None
    assert renamed is not None
    assert (soon.last_seen, renamed.last_seen, renamed.username) == (first, clock.now(), "ada")
    assert len(renamed.name) == MAX_NAME


# ---- strangers -----------------------------------------------------------------------------------------------------


async def test_a_request_is_kept_short_and_answered(people: People, clock: ManualClock) -> None:
    answer = await ask(people, clock, name="E" * 500, preview="x" * 500)

    (request,) = await people.requests(CHANNEL)
    assert answer is True
    assert (request.person_id, request.chat_id, request.at) == ("9", "9", clock.now())
    assert (len(request.name), len(request.preview)) == (MAX_NAME, MAX_PREVIEW)


async def test_a_stranger_is_answered_once_in_half_an_hour(people: People, clock: ManualClock) -> None:
    first = [await ask(people, clock) for _ in range(3)]
    await clock.advance(30 * 60 - 1)
    too_soon = await ask(people, clock)
    await clock.advance(1)
    again = await ask(people, clock)

    assert (first, too_soon, again) == ([True, False, False], False, True)


async def test_many_messages_of_a_stranger_at_once_are_answered_once(people: People, clock: ManualClock) -> None:
    answers = await asyncio.gather(*(ask(people, clock) for _ in range(10)))

    assert sum(answers) == 1


async def test_a_stranger_who_writes_again_has_one_request_with_the_newest_words(
    people: People, clock: ManualClock
) -> None:
    await ask(people, clock, preview="first")
    await ask(people, clock, preview="second")

    assert [request.preview for request in await people.requests(CHANNEL)] == ["second"]


async def test_the_oldest_of_too_many_requests_goes(people: People, clock: ManualClock) -> None:
    for number in range(MAX_REQUESTS + 2):
        await ask(people, clock, str(number))
        await clock.advance(1)

    kept = [request.person_id for request in await people.requests(CHANNEL)]
    assert kept == [str(number) for number in range(MAX_REQUESTS + 1, 1, -1)]


async def test_letting_in_and_blocking_take_the_request_away(people: People, clock: ManualClock) -> None:
    for person_id in ("7", "8", "9"):
        await ask(people, clock, person_id, name=f"Name {person_id}")

    await people.let_in(CHANNEL, "7", by="console")
    await people.block(CHANNEL, "8")
    dismissed = await people.dismiss(CHANNEL, "9"), await people.dismiss(CHANNEL, "9")

    assert await people.requests(CHANNEL) == ()
    assert dismissed == (True, False)
    assert {person.person_id: person.name for person in await people.list(CHANNEL)} == {"7": "Name 7", "8": "Name 8"}


async def test_somebody_who_is_known_by_now_makes_no_request(people: People, clock: ManualClock) -> None:
    await people.let_in(CHANNEL, "7", by="console", name="Ada")
    await people.let_in(CHANNEL, "8", by="7", name="Bob")
    await people.block(CHANNEL, "8")

    assert [await ask(people, clock, person_id) for person_id in ("7", "8")] == [False, False]
    assert await people.requests(CHANNEL) == ()


async def test_what_is_said_now_and_then_is_told_apart_by_chat_and_by_what_it_is(
    people: People, clock: ManualClock
) -> None:
    before = clock.now() - HALF_HOUR

    told = [
        await people.tell(CHANNEL, chat, what, before)
        for chat, what in (("1", "groups"), ("1", "groups"), ("2", "groups"), ("1", "teams"))
    ]

    assert told == [True, False, True, True]


# ---- hello codes ---------------------------------------------------------------------------------------------------


async def hello(people: People, clock: ManualClock, code_hash: str = "ab12") -> None:
    await people.keep_hello(CHANNEL, code_hash, clock.now() + timedelta(minutes=10))


async def test_a_code_lets_one_in_once(people: People, clock: ManualClock) -> None:
    await hello(people, clock)
    await ask(people, clock, "7")

    first = await people.claim_hello(CHANNEL, "ab12", "7", "Ada", "ada")
    second = await people.claim_hello(CHANNEL, "ab12", "8", "Bob", None)

    assert (first, second) == (Role.OWNER, None)
    assert await roles(people) == {"7": Role.OWNER}
    assert await people.requests(CHANNEL) == ()


async def test_of_a_hundred_who_use_a_code_at_once_one_gets_in(people: People, clock: ManualClock) -> None:
    await hello(people, clock)

    got = await asyncio.gather(*(people.claim_hello(CHANNEL, "ab12", str(n), "A", None) for n in range(100)))

    assert [role for role in got if role is not None] == [Role.OWNER]
    assert len(await people.list(CHANNEL)) == 1


@pytest.mark.parametrize(
    ("channel_id", "code_hash", "after"),
    [(CHANNEL, "cd34", 0), ("discord", "ab12", 0), (CHANNEL, "ab12", 600)],
    ids=["another code", "another channel", "too late"],
)
async def test_a_code_that_is_not_good_lets_nobody_in(
    people: People, clock: ManualClock, channel_id: str, code_hash: str, after: int
) -> None:
    await hello(people, clock)
    await clock.advance(after)

    assert await people.claim_hello(channel_id, code_hash, "7", "Ada", None) is None
    assert await people.get(channel_id, "7") is None


async def test_a_blocked_sender_neither_gets_in_nor_uses_the_code_up(people: People, clock: ManualClock) -> None:
    await people.let_in(CHANNEL, "8", by="console", name="Bob")
    await people.block(CHANNEL, "8")
    await hello(people, clock)

    assert await people.claim_hello(CHANNEL, "ab12", "8", "Bob", None) is None
    assert await people.claim_hello(CHANNEL, "ab12", "7", "Ada", None) is Role.OWNER


# ---- whatever happens ----------------------------------------------------------------------------------------------

PEOPLE = st.sampled_from(["1", "2", "3"])
DEEDS = st.tuples(st.sampled_from(["let in", "block", "unblock", "remove", "ask", "dismiss", "hello"]), PEOPLE)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(DEEDS, max_size=15), st.integers(0, 10**9))
def test_a_channel_never_has_two_owners_and_nobody_is_let_in_by_themselves(
    database_url: str, deeds: list[tuple[str, str]], number: int
) -> None:
    channel_id = f"{number}:{len(deeds)}"

    async def run() -> None:
        clock = ManualClock()
        database = await Database.open(database_url, clock)
        people = People(database)
        for person in await people.list(channel_id):
            await people.remove(channel_id, person.person_id)
        before: dict[str, Role] = {}
        for deed, person_id in deeds:
            await _do(people, clock, channel_id, deed, person_id)
            now = {person.person_id: person.role for person in await people.list(channel_id)}
            assert list(now.values()).count(Role.OWNER) <= 1
            gained = {one for one, role in now.items() if role in (Role.OWNER, Role.PERSON) and before.get(one) != role}
            assert gained <= ({person_id} if deed in ("let in", "hello") else set())
            before = now
        await database.close()

    asyncio.run(run())


async def _do(people: People, clock: ManualClock, channel_id: str, deed: str, person_id: str) -> None:
    match deed:
        case "let in":
            await people.let_in(channel_id, person_id, by="console", name="A")
        case "block":
            if await people.get(channel_id, person_id):
                await people.block(channel_id, person_id)
        case "unblock":
            await people.unblock(channel_id, person_id)
        case "remove":
            await people.remove(channel_id, person_id)
        case "ask":
            await people.request(
                channel_id, person_id, "A", None, chat_id="1", preview="hi", answered_before=clock.now()
            )
        case "dismiss":
            await people.dismiss(channel_id, person_id)
        case "hello":
            code = uuid.uuid4().hex
            await people.keep_hello(channel_id, code, clock.now() + timedelta(minutes=1))
            await people.claim_hello(channel_id, code, person_id, "A", None)
