import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.naming import fold_name, is_name


@pytest.mark.parametrize("name", ["new", "?", "bg-2", "my_thing", "übung", "помощь", "助けて", "नया", "ช่วย", "x" * 64])
def test_a_name_is_letters_digits_and_three_signs_of_any_script(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "x" * 65, "two words", "a/b", "a@b", "a.b", "a`b", "né!", "²", "🙂"])
def test_anything_else_is_no_name(name: str) -> None:
    assert not is_name(name)


def test_a_composed_and_a_decomposed_name_are_the_same() -> None:
    assert fold_name(unicodedata.normalize("NFD", "CAFÉ")) == "café"


@given(st.text())
def test_folding_twice_changes_nothing_more(typed: str) -> None:
    once = fold_name(typed)

    assert fold_name(once) == once
