"""Menus in the store: one open per person and chat, changed in place, and faded when their time is over."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.clock import ManualClock
from core.store.database import Database
from core.store.menus import CloseMenus, FadeMenu, MenuRows, PutMenu
from core.store.retention import BUTTONS_KEPT, throw_away
from core.store.seats import Seat

ADA = Seat("telegram", "7", "", "7")
LASTS = timedelta(minutes=10)


@pytest.fixture
def rows(database: Database) -> MenuRows:
    return MenuRows(database)


def putting(clock: ManualClock, key: str, token: str, seat: Seat = ADA) -> PutMenu:
    return PutMenu(seat, key, token, "{}", f"words of {token}", "r", clock.now() + LASTS)


async def test_a_person_has_one_open_menu_in_a_chat(database: Database, rows: MenuRows, clock: ManualClock) -> None:
    bob = replace(ADA, person_id="8")
    await database.commit(putting(clock, "one", "a"), putting(clock, "bobs", "b", bob))

    await database.commit_one(putting(clock, "two", "c"))

    mine, bobs, first = await rows.of_seat(ADA), await rows.of_seat(bob), await rows.of_token("a")
    assert mine is not None
    assert mine.key == "two"
    assert bobs is not None
    assert bobs.key == "bobs"
    assert first is not None
    assert not first.open
    assert [menu.key for menu in await rows.fading(["telegram"], clock.now())] == ["one"]


async def test_a_menu_that_is_shown_anew_under_its_message_has_another_token(
    database: Database, rows: MenuRows, clock: ManualClock
) -> None:
    await database.commit_one(putting(clock, "one", "a"))

    await database.commit_one(replace(putting(clock, "one", "b"), message_id="55"))

    menu = await rows.of_token("b")
    assert await rows.of_token("a") is None
    assert menu is not None
    assert (menu.words, menu.message_id, menu.open) == ("words of b", "55", True)


async def test_what_is_closed_waits_for_no_words_any_more(
    database: Database, rows: MenuRows, clock: ManualClock
) -> None:
    await database.commit_one(replace(putting(clock, "one", "a"), waits_for="voice"))

    closed = await database.commit_one(CloseMenus.of_seat(ADA))
    again = await database.commit_one(CloseMenus("telegram", "7"))

    menu = await rows.of_token("a")
    assert (closed, again) == (1, 0)
    assert menu is not None
    assert menu.waits_for is None
    assert await rows.of_seat(ADA) is None


async def test_a_menu_fades_when_its_time_is_over(database: Database, rows: MenuRows, clock: ManualClock) -> None:
    await database.commit_one(putting(clock, "one", "a"))
    assert await rows.next_fading(["telegram"]) == clock.now() + LASTS
    await clock.advance(LASTS.total_seconds())

    [due] = await rows.fading(["telegram"], clock.now())
    later = clock.now() + timedelta(seconds=5)
    await database.commit_one(FadeMenu(due.token_hash, later))
    assert await rows.next_fading(["telegram"]) == later
    await database.commit_one(FadeMenu(due.token_hash))

    assert await rows.next_fading(["telegram"]) is None
    assert await rows.of_seat(ADA) is None


async def test_fading_leaves_a_menu_alone_that_was_shown_anew(
    database: Database, rows: MenuRows, clock: ManualClock
) -> None:
    await database.commit_one(putting(clock, "one", "a"))
    await clock.advance(LASTS.total_seconds())
    [due] = await rows.fading(["telegram"], clock.now())

    await database.commit_one(putting(clock, "one", "b"))
    await database.commit_one(FadeMenu(due.token_hash))

    menu = await rows.of_seat(ADA)
    assert menu is not None
    assert menu.token_hash == "b"


async def test_old_menus_are_thrown_away(database: Database, rows: MenuRows, clock: ManualClock) -> None:
    await database.commit_one(putting(clock, "one", "a"))
    await clock.advance((LASTS + BUTTONS_KEPT).total_seconds() + 1)

    gone = await throw_away(database)

    assert gone == 1
    assert await rows.of_token("a") is None
