"""Cards in the store: opened once, filled in by one at a time, closed for good, and shown anew when they changed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.clock import ManualClock
from core.store.cards import (
    CardKind,
    CardPlace,
    CardRecord,
    CardRows,
    CloseCards,
    FillCard,
    OpenCard,
    Redrawn,
    RenewCard,
)
from core.store.database import Database
from core.store.retention import BUTTONS_KEPT, throw_away

ADA = CardPlace("telegram", "7", "private", "", "7")


def opening(name: str, place: CardPlace = ADA, kind: CardKind = CardKind.QUESTION, seq: int = 5) -> OpenCard:
    """A card whose handle, token hash, key and ref are all called alike."""
    return OpenCard(name, name, name, "c", 3, seq, kind, name, place, "{}")


@pytest.fixture
def rows(database: Database) -> CardRows:
    return CardRows(database)


async def card(rows: CardRows, name: str = "a") -> CardRecord:
    found = await rows.of_handle(name)
    assert found is not None
    return found


async def test_a_card_is_opened_once_however_often_its_turn_is_told(database: Database, rows: CardRows) -> None:
    first, again = await database.commit_one(opening("a")), await database.commit_one(opening("a", seq=9))

    assert (first, again) == (True, False)
    assert (await card(rows)).seq == 5


async def test_a_person_s_cards_are_found_newest_first(database: Database, rows: CardRows) -> None:
    bobs = replace(ADA, person_id="8")
    elsewhere = replace(ADA, thread="3")
    await database.commit(opening("a"), opening("b"), opening("c", bobs), opening("d", elsewhere), opening("e"))
    await database.commit(CloseCards("c", "Done.", ref="e"), opening("f", kind=CardKind.PLAN))

    lately = await rows.lately("telegram", "7", "", "7")

    assert [(one.handle, one.open) for one in lately] == [("e", False), ("b", True), ("a", True)]


async def test_two_who_fill_in_the_same_card_do_it_one_after_the_other(database: Database, rows: CardRows) -> None:
    await database.commit_one(opening("a"))
    before = await card(rows)
    fill = FillCard(before.id, before.version, '{"field": 1}', "u1")

    first, second = await database.commit(fill, replace(fill, draft='{"field": 9}', press="u2"))

    after = await card(rows)
    assert (first, second) == (True, False)
    assert (after.draft, after.press, after.version) == ('{"field": 1}', "u1", 1)


async def test_a_card_can_go_on_in_a_new_message_which_shows_it_at_once(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    await database.commit_one(opening("a"))
    before = await card(rows)
    await database.commit_one(FillCard(before.id, 0, "{}", "u1", message_id="m1"))

    await database.commit_one(FillCard(before.id, 1, "{}", "u2", key="second"))

    after = await card(rows)
    assert (after.key, after.message_id) == ("second", None)
    assert await rows.to_redraw(["telegram"], clock.now()) == ()


async def test_a_closed_card_is_neither_filled_in_nor_renewed(database: Database, rows: CardRows) -> None:
    await database.commit_one(opening("a"))
    await database.commit_one(CloseCards("c", "Ada chose tea.", ref="a"))
    closed = await card(rows)

    late = await database.commit(FillCard(closed.id, closed.version, "{}", "u"), RenewCard("c", 3, "a", 8))

    assert late == (False, False)
    assert (closed.open, closed.note) == (False, "Ada chose tea.")


async def test_the_first_note_stays(database: Database, rows: CardRows) -> None:
    await database.commit_one(opening("a"))

    first, second = await database.commit(CloseCards("c", "First.", ref="a"), CloseCards("c", "Second.", turn_seq=3))

    assert (first, second) == (1, 0)
    assert (await card(rows)).note == "First."


async def test_a_turn_s_end_closes_what_is_open_of_it_alone(database: Database, rows: CardRows) -> None:
    other = replace(opening("c"), turn_seq=9)
    await database.commit(opening("a"), opening("b"), other)

    closed = await database.commit_one(CloseCards("c", None, turn_seq=3))

    assert closed == 2
    assert (await card(rows, "c")).open


async def test_an_offer_outlives_its_turn_and_goes_by_its_name(database: Database, rows: CardRows) -> None:
    await database.commit(opening("a"), opening("o", kind=CardKind.OFFER))

    by_turn = await database.commit_one(CloseCards("c", None, turn_seq=3))
    still_open = (await card(rows, "o")).open
    by_name = await database.commit_one(CloseCards("c", "over", ref="o"))

    assert (by_turn, still_open, by_name) == (1, True, 1)
    assert (await card(rows, "o")).note == "over"


async def test_the_card_that_takes_the_place_of_another_stays(database: Database, rows: CardRows) -> None:
    await database.commit_one(opening("a", kind=CardKind.OFFER))
    anew = replace(opening("b", kind=CardKind.OFFER), ref="a")

    _, closed = await database.commit(anew, CloseCards("c", "further down", ref="a", but="b"))

    assert closed == 1
    assert [(await card(rows, name)).open for name in "ab"] == [False, True]


async def test_a_card_that_changes_by_itself_is_shown_anew_when_its_time_comes(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    later = clock.now() + timedelta(minutes=10)
    await database.commit_one(replace(opening("a", kind=CardKind.OFFER), redraw_at=later))

    due_now = await rows.to_redraw(["telegram"], clock.now())
    due_then = await rows.to_redraw(["telegram"], later)

    assert (due_now, [one.handle for one in due_then]) == ((), ["a"])
    assert await rows.next_redraw(["telegram"]) == later


async def test_what_changed_is_to_be_shown_until_the_app_shows_it(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    await database.commit_one(opening("a", kind=CardKind.PLAN))
    await database.commit_one(RenewCard("c", 3, "a", 8))

    [due] = await rows.to_redraw(["telegram"], clock.now())
    await database.commit_one(Redrawn(due.id, due.version))

    assert due.seq == 8
    assert await rows.next_redraw(["telegram"]) is None


async def test_a_change_while_it_is_being_shown_is_shown_too(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    await database.commit_one(opening("a", kind=CardKind.PLAN))
    await database.commit_one(RenewCard("c", 3, "a", 8))
    [due] = await rows.to_redraw(["telegram"], clock.now())

    await database.commit_one(RenewCard("c", 3, "a", 9))
    shown = await database.commit_one(Redrawn(due.id, due.version))

    assert shown is False
    assert [one.seq for one in await rows.to_redraw(["telegram"], clock.now())] == [9]


async def test_an_app_that_has_no_room_is_asked_again_later(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    await database.commit_one(opening("a"))
    await database.commit_one(CloseCards("c", "Done.", ref="a"))
    [due] = await rows.to_redraw(["telegram"], clock.now())
    later = clock.now() + timedelta(seconds=2)

    await database.commit_one(Redrawn(due.id, due.version, later))

    assert await rows.to_redraw(["telegram"], clock.now()) == ()
    assert await rows.next_redraw(["telegram"]) == later
    assert await rows.next_redraw(["another"]) is None


async def test_old_closed_cards_are_thrown_away_and_open_ones_stay(
    database: Database, rows: CardRows, clock: ManualClock
) -> None:
    await database.commit(opening("a"), opening("b"))
    await database.commit_one(CloseCards("c", "Done.", ref="a"))
    await clock.advance(BUTTONS_KEPT.total_seconds() + 1)

    gone = await throw_away(database)

    assert gone == 1
    assert await rows.of_handle("a") is None
    assert (await card(rows, "b")).open
