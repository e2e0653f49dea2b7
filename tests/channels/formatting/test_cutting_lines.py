"""Where a line is cut that has to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.formatting.cuts import cut_at, next_word


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("short", 10, "short"),
        ("One two. Three four", 12, "One two."),
        ('He said "no." She left', 16, 'He said "no."'),
        ("日本語の文。次の文です", 8, "日本語の文。"),
        ("A. bcdefgh ijklmno", 14, "A. bcdefgh"),
        ("version 1.25 is here", 12, "version 1.25"),
        ("one two three", 7, "one two"),
        ("one two three", 9, "one two"),
        ("abcdefghij", 4, "abcd"),
        ("   abcdefghij", 5, "   ab"),
    ],
)
def test_a_sentence_is_better_than_a_space_and_a_space_than_none(text: str, most: int, kept: str) -> None:
    assert text[: cut_at(text, most)] == kept


def test_code_has_no_sentences() -> None:
    code = "a. b = c[0]. d"

    assert cut_at(code, 13, code=True) == 12


@pytest.mark.parametrize(
    "drawn", ["👩‍👩‍👧‍👦", "👍🏽", "🇫🇷", "e\u0301\u0323", "❤\ufe0f", "🏴\U000e0067\U000e0062\U000e007f"]
)
def test_what_is_drawn_as_one_character_is_not_cut(drawn: str) -> None:
    text = drawn * 10

    cuts = {cut_at(text, most) for most in range(len(drawn), len(text))}

    assert all(cut % len(drawn) == 0 for cut in cuts)


def test_a_character_without_end_is_cut_all_the_same() -> None:
    assert cut_at("e" + "\u0301" * 1000, 500) == 500


@given(st.text(max_size=60), st.integers(1, 80), st.booleans())
def test_a_cut_takes_something_and_no_more_than_it_may(text: str, most: int, code: bool) -> None:
    cut = cut_at(text, most, code=code)

    assert min(1, len(text)) <= cut <= most


@pytest.mark.parametrize(
    ("text", "position", "shown"),
    [
        ("one two three", 2, "two three"),
        ("one two", 5, "wo"),
        ("x" * 100, 60, "x" * 40),
        ("a👍🏽b", 2, "b"),
        ("a", 1, ""),
    ],
)
def test_the_newest_starts_with_a_whole_word_or_character(text: str, position: int, shown: str) -> None:
    assert text[next_word(text, position) :] == shown
