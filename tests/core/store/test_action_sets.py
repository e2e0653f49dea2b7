"""Sets of actions: who may claim one, once, for how long, and until when their buttons are seen."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.store import actions, outbox, tables
from core.store.actions import ActionRows, ClaimActions, CloseActions, Denied, Fade, OfferActions
from core.store.channels import Channels
from core.store.database import Database
from core.store.outbox import OutboxRows, Post
from core.store.retention import BUTTONS_KEPT, throw_away
from core.store.seats import Seat

ADA = Seat("telegram", "7", "", "7")
ADA_IN_A_THREAD = Seat("telegram", "7", "3", "7")
ADA_ELSEWHERE = Seat("telegram", "-9", "", "7")
ADA_AT_ANOTHER_BOT = Seat("other", "7", "", "7")
BOB = Seat("telegram", "8", "", "8")
BOB_IN_ADAS_CHAT = Seat("telegram", "7", "", "8")

LASTS = timedelta(minutes=10)


@pytest.fixture
def offer(database: Database, clock: ManualClock) -> Callable[..., Awaitable[bool]]:
    """Offers a set whose token hash, key and actions are all called alike."""

    async def offer(name: str, seat: Seat = ADA) -> bool:
        return await database.commit_one(OfferActions(seat, name, name, name, clock.now() + LASTS))

    return offer


@pytest.fixture
def press(database: Database) -> Callable[..., Awaitable[str | Denied]]:
    async def press(name: str, seat: Seat = ADA, update_id: str = "1") -> str | Denied:
        return await database.commit_one(ClaimActions(name, seat, update_id, "m1"))

    return press


Offer = Callable[..., Awaitable[bool]]
Press = Callable[..., Awaitable[str | Denied]]


async def test_the_first_press_gets_the_actions_and_a_second_finds_them_used(offer: Offer, press: Press) -> None:
    await offer("a")

    first, second = await press("a", update_id="1"), await press("a", update_id="2")

    assert (first, second) == ("a", Denied.USED)


async def test_of_many_presses_in_one_transaction_one_gets_it(database: Database, offer: Offer) -> None:
    await offer("a")

    results = await database.commit(*(ClaimActions("a", ADA, str(number), "m1") for number in range(100)))

    assert results == ("a", *[Denied.USED] * 99)


async def test_the_same_press_again_gets_the_same(offer: Offer, press: Press) -> None:
    await offer("a")
    await press("a", update_id="1")

    assert await press("a", update_id="1") == "a"


@pytest.mark.parametrize("seat", [BOB, BOB_IN_ADAS_CHAT, ADA_ELSEWHERE, ADA_IN_A_THREAD, ADA_AT_ANOTHER_BOT])
async def test_a_foreign_press_gets_nothing_and_takes_nothing(offer: Offer, press: Press, seat: Seat) -> None:
    await offer("a")

    foreign = await press("a", seat)

    assert foreign is Denied.FOREIGN
    assert await press("a", ADA, update_id="2") == "a"


async def test_a_foreign_press_hears_the_same_of_a_used_one(offer: Offer, press: Press) -> None:
    await offer("a")
    await press("a")

    assert await press("a", BOB) is Denied.FOREIGN


async def test_a_token_that_was_never_offered_is_unknown(press: Press) -> None:
    assert await press("a") is Denied.UNKNOWN


@pytest.mark.report("R079")
async def test_a_press_is_too_late_from_the_moment_the_time_is_over(
    offer: Offer, press: Press, clock: ManualClock
) -> None:
    await offer("early")
    await offer("late")

    await clock.advance(LASTS.total_seconds() - 0.001)
    early = await press("early")
    await clock.advance(0.001)
    late = await press("late", update_id="2")

    assert (early, late) == ("early", Denied.EXPIRED)


async def test_a_used_set_is_used_and_not_expired_later(offer: Offer, press: Press, clock: ManualClock) -> None:
    await offer("a")
    await press("a")

    await clock.advance(2 * LASTS.total_seconds())

    assert await press("a", update_id="2") is Denied.USED


async def test_offering_under_the_same_message_again_changes_nothing(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    first = await offer("a")
    again = await database.commit_one(OfferActions(ADA, "a", "other", "other", clock.now() + LASTS))

    assert (first, again) == (True, False)
    assert await press("other") is Denied.UNKNOWN
    assert await press("a") == "a"


# ---- bounds --------------------------------------------------------------------------------------------------------


async def test_a_seat_keeps_its_newest_twenty(offer: Offer, press: Press) -> None:
    await offer("bob's", BOB)

    for number in range(actions.MOST_OF_SEAT + 1):
        await offer(str(number))

    assert await press("0") is Denied.REPLACED
    assert await press("1") == "1"
    assert await press("20") == "20"
    assert await press("bob's", BOB) == "bob's"


async def test_used_sets_do_not_count(offer: Offer, press: Press) -> None:
    await offer("first")
    for number in range(actions.MOST_OF_SEAT):
        await offer(str(number))
        await press(str(number), update_id=str(number))

    assert await press("first", update_id="x") == "first"


async def test_a_channel_keeps_its_newest_twenty_thousand(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    seats = [Seat("telegram", str(number), "", str(number)) for number in range(actions.MOST_OF_CHANNEL)]
    at = clock.now() + LASTS
    rows = [
        {"token_hash": seat.chat_id, "key": seat.chat_id, "actions": seat.chat_id, "state": "open"}
        | {"expires_at": at, "fade_at": at, **asdict(seat)}
        for seat in seats
    ]
    await offer("elsewhere", ADA_AT_ANOTHER_BOT)
    await database.write(lambda connection: connection.execute(tables.action_set.insert(), rows))

    await offer("new", BOB_IN_ADAS_CHAT)

    assert await press("0", seats[0]) is Denied.REPLACED
    assert await press("1", seats[1]) == "1"
    assert await press("new", BOB_IN_ADAS_CHAT) == "new"
    assert await press("elsewhere", ADA_AT_ANOTHER_BOT) == "elsewhere"


@pytest.mark.report("R153")
async def test_what_stands_on_a_seat_can_be_closed(database: Database, offer: Offer, press: Press) -> None:
    await offer("a")
    await offer("b")
    await offer("thread", ADA_IN_A_THREAD)

    closed = await database.commit_one(CloseActions.of_seat(ADA))

    assert closed == 2
    assert await press("a") is Denied.REPLACED
    assert await press("thread", ADA_IN_A_THREAD) == "thread"


async def test_everything_of_a_person_can_be_closed(database: Database, offer: Offer, press: Press) -> None:
    await offer("a")
    await offer("thread", ADA_IN_A_THREAD)
    await offer("bob's", BOB)

    closed = await database.commit_one(CloseActions("telegram", "7"))

    assert closed == 2
    assert await press("thread", ADA_IN_A_THREAD) is Denied.REPLACED
    assert await press("bob's", BOB) == "bob's"


async def test_closing_comes_before_what_is_offered_in_the_same_transaction(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    await offer("old")

    await database.commit(OfferActions(ADA, "new", "new", "new", clock.now() + LASTS), CloseActions.of_seat(ADA))

    assert await press("old") is Denied.REPLACED
    assert await press("new") == "new"


# ---- with the message ----------------------------------------------------------------------------------------------


async def test_a_set_and_its_message_are_stored_together_or_not_at_all(
    database: Database, clock: ManualClock, press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bool:
        raise ValueError("no")

    monkeypatch.setattr(actions, "_offer", broken)
    post = Post("a", 0, 1, "telegram", "7", "private", None, "{}", outbox.Kind.NOTICE)

    with pytest.raises(ValueError, match="no"):
        await database.commit(post, OfferActions(ADA, "a", "a", "a", clock.now() + LASTS))

    assert await OutboxRows(database).of_key("a") == ()
    assert await press("a") is Denied.UNKNOWN


async def test_it_is_all_there_after_a_restart(
    database: Database, offer: Offer, press: Press, reopen: Callable[[], Awaitable[Database]]
) -> None:
    await offer("a")
    await offer("b")
    await press("a", update_id="1")
    await database.close()

    later = await reopen()
    results = await later.commit(ClaimActions("a", ADA, "2", "m"), ClaimActions("b", ADA, "3", "m"))

    assert results == (Denied.USED, "b")


async def test_sets_go_with_their_channel_and_after_two_days(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    await offer("other", ADA_AT_ANOTHER_BOT)
    await offer("a")

    await Channels(database).remove("other")
    without_channel = await press("other", ADA_AT_ANOTHER_BOT)
    await clock.advance((LASTS + BUTTONS_KEPT).total_seconds())
    kept = await throw_away(database)
    await clock.advance(0.001)
    gone = await throw_away(database)

    assert without_channel is Denied.UNKNOWN
    assert (kept, gone) == (0, 1)


# ---- until when buttons are seen -----------------------------------------------------------------------------------


async def fading(database: Database, clock: ManualClock, *channel_ids: str) -> list[str]:
    found = await ActionRows(database).fading(channel_ids or ("telegram",), clock.now())
    return [one.key for one in found]


async def test_buttons_are_to_go_when_the_time_is_over(database: Database, offer: Offer, clock: ManualClock) -> None:
    expires = clock.now() + LASTS
    await offer("a")

    before, due = await fading(database, clock), await ActionRows(database).next_fading(["telegram"])
    await clock.advance(LASTS.total_seconds())

    assert (before, due) == ([], expires)
    assert await fading(database, clock) == ["a"]


async def test_buttons_are_to_go_at_once_when_pressed_or_replaced(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    for name in ("pressed", "replaced", "open"):
        await offer(name, ADA_IN_A_THREAD if name == "replaced" else ADA)

    await press("pressed")
    await database.commit(CloseActions.of_seat(ADA_IN_A_THREAD))
    found = await ActionRows(database).fading(["telegram"], clock.now())

    assert [(one.key, one.message_id) for one in found] == [("pressed", "m1"), ("replaced", None)]


async def test_an_expired_set_whose_buttons_are_gone_is_expired_and_counts_no_more(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    await offer("old")
    await clock.advance(LASTS.total_seconds())
    [due] = await ActionRows(database).fading(["telegram"], clock.now())

    await database.commit(Fade(due.id))

    assert await database.commit_one(CloseActions.of_seat(ADA)) == 0
    assert await press("old") is Denied.EXPIRED


async def test_gone_buttons_are_not_looked_at_again_and_others_later(
    database: Database, offer: Offer, press: Press, clock: ManualClock
) -> None:
    for name in ("a", "b"):
        await offer(name)
        await press(name, update_id=name)
    first, second = await ActionRows(database).fading(["telegram"], clock.now())

    await database.commit(Fade(first.id), Fade(second.id, clock.now() + timedelta(seconds=5)))
    at_once = await fading(database, clock)
    await clock.advance(5)

    assert at_once == []
    assert await fading(database, clock) == ["b"]


async def test_only_channels_that_are_asked_for_are_looked_at(
    database: Database, offer: Offer, clock: ManualClock
) -> None:
    await offer("other", ADA_AT_ANOTHER_BOT)
    await clock.advance(LASTS.total_seconds())

    rows = ActionRows(database)
    assert await fading(database, clock, "telegram") == []
    assert await fading(database, clock, "telegram", "other") == ["other"]
    assert (await rows.next_fading(["telegram"]), await rows.next_fading([])) == (None, None)


# ---- in any order --------------------------------------------------------------------------------------------------

PRESSES = st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from([ADA, BOB]), st.sampled_from("123"))


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PRESSES, max_size=20), st.integers(1, 10**9))
def test_whoever_presses_what_in_any_order_one_press_of_the_right_person_gets_each(
    database_url: str, presses: list[tuple[str, Seat, str]], number: int
) -> None:
    async def run() -> None:
        clock = ManualClock()
        database = await Database.open(database_url, clock)
        await database.commit(CloseActions(ADA.channel_id, ADA.person_id))
        offers = [OfferActions(ADA, f"{name}{number}", f"{name}{number}", name, clock.now() + LASTS) for name in "abc"]
        new = all(await database.commit(*offers))
        claimed: dict[str, str] = {}
        for name, seat, update_id in presses:
            result = await database.commit_one(ClaimActions(f"{name}{number}", seat, update_id, "m"))
            if seat != ADA:
                assert result is Denied.FOREIGN
            elif new:
                assert result == (name if claimed.setdefault(name, update_id) == update_id else Denied.USED)
        await database.close()

    asyncio.run(run())
