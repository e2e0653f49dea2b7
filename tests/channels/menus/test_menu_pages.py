"""How choices become buttons: three to nine of them, with the ways to the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.menu_views import Name, View
from channels.menus.menu import BACK, MORE, PREVIOUS, Choice, Choose, Menu, Sheet, Show, drawn
from core.events import Effort
from core.options import OptionsChange

WAYS = {MORE, PREVIOUS, BACK}


def sheet(count: int) -> Sheet:
    return Sheet("Pick", tuple(choice(f"choice {number}") for number in range(count)))


def choice(word: str, sure: str | None = None) -> Choice:
    return Choice(word, word, Choose(OptionsChange(model=word), f"Model: {word}"), sure=sure)


def labels(menu: Menu) -> list[str]:
    return [button.label for button in menu.buttons]


def walk(one: Sheet, view: View, room: int) -> list[Menu]:
    """Every page, from the first to the last."""
    pages = [drawn(one, view, room)]
    while more := [button.deed for button in pages[-1].buttons if button.label == MORE]:
        assert isinstance(more[0], Show)
        pages.append(drawn(one, more[0].view, room))
    return pages


@given(st.integers(0, 60), st.integers(0, 20), st.booleans())
def test_every_choice_is_on_exactly_one_page_and_no_page_is_too_full(count: int, room: int, within: bool) -> None:
    view = View(name=Name.MODEL, everywhere=within)

    pages = walk(sheet(count), view, room)

    found = [label for page in pages for label in labels(page) if label not in WAYS]
    assert found == [f"choice {number}" for number in range(count)]
    assert all(len(page.buttons) <= min(9, max(3, room)) for page in pages)


@given(st.integers(1, 60), st.integers(3, 9), st.booleans())
def test_more_and_previous_stand_only_where_there_is_more(count: int, room: int, within: bool) -> None:
    pages = walk(sheet(count), View(name=Name.MODEL, everywhere=within), room)

    for number, page in enumerate(pages):
        assert (MORE in labels(page)) == (number < len(pages) - 1)
        assert (PREVIOUS in labels(page)) == (number > 0)
    assert (BACK in labels(pages[0])) is within
    assert (BACK in labels(pages[-1])) is within


def test_previous_leads_where_more_came_from() -> None:
    one = sheet(20)
    [first, second, *_] = walk(one, View(name=Name.MODEL), 8)

    deed = next(button.deed for button in second.buttons if button.label == PREVIOUS)

    assert isinstance(deed, Show)
    assert drawn(one, deed.view, 8) == first


def test_a_page_that_is_not_there_any_more_is_the_last_one() -> None:
    menu = drawn(sheet(10), View(name=Name.MODEL, page=7), 8)

    assert labels(menu) == ["choice 7", "choice 8", "choice 9", PREVIOUS]


def test_what_has_to_be_meant_is_asked_about_and_no_leads_back() -> None:
    one = Sheet("Pick", (choice("gentle"), choice("bold", sure="Really?")))
    view = View(name=Name.MODE)

    asking = drawn(one, view, 8).buttons[1].deed
    assert isinstance(asking, Show)
    question = drawn(one, asking.view, 8)
    yes, no = question.buttons

    assert (question.text, yes.deed) == ("Really?", one.choices[1].deed)
    assert no.deed == Show(view)


def test_a_label_that_is_too_long_is_cut_and_keeps_its_tick() -> None:
    long = Choice("a", "word " * 30, choice("a").deed, ticked=True)

    [label] = labels(drawn(Sheet("Pick", (long,)), View(name=Name.MODEL), 8))

    assert label.startswith("✓ word word")
    assert label.endswith("…")
    assert len(label) <= 60


def test_a_question_about_a_choice_that_is_gone_shows_the_menu() -> None:
    menu = drawn(sheet(2), View(name=Name.MODE, sure="bold"), 8)

    assert labels(menu) == ["choice 0", "choice 1"]


@pytest.mark.parametrize(
    "other",
    [
        Sheet("Pick this", (choice("a"),)),
        Sheet("Pick", (choice("b"),)),
        Sheet("Pick", (choice("a"), choice("b"))),
        Sheet("Pick", (Choice("a", "a", choice("a").deed, ticked=True),)),
        Sheet("Pick", (Choice("a", "a", Choose(OptionsChange(effort=Effort.LOW), "x")),)),
        Sheet("Pick", (choice("a"),), waits_for="voice"),
    ],
)
def test_anything_else_that_is_shown_is_another_revision(other: Sheet) -> None:
    view = View(name=Name.MODEL)

    one, again = drawn(Sheet("Pick", (choice("a"),)), view, 8), drawn(Sheet("Pick", (choice("a"),)), view, 8)

    assert one.revision == again.revision
    assert drawn(other, view, 8).revision != one.revision


def test_what_only_tells_may_change_without_another_revision() -> None:
    view = View(name=Name.STATUS)

    before, after = (drawn(Sheet("", (choice("a"),), live=live), view, 8) for live in ("idle", "answering"))

    assert before.revision == after.revision
    assert (before.words, after.words) == ("idle", "answering")


@given(st.integers(0, 60), st.integers(0, 20), st.booleans())
def test_only_the_choices_are_options_to_list(count: int, room: int, within: bool) -> None:
    pages = walk(sheet(count), View(name=Name.MODEL, everywhere=within), room)

    buttons = [button for page in pages for button in page.buttons]
    assert all(button.option is (button.label not in WAYS) for button in buttons)


def test_neither_yes_nor_no_is_an_option_to_list() -> None:
    asked = drawn(Sheet("Pick", (choice("full", sure="Sure?"),)), View(name=Name.MODE, sure="full"), room=8)

    assert [button.option for button in asked.buttons] == [False, False]
