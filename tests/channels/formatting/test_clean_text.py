"""What no app takes is gone before anything is measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.formatting.clean import clean, shows, utf16


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\x00b", "ab"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("one\r\ntwo\rthree\u2028four\x85five", "one\ntwo\nthree\nfour\nfive"),
        ("one\x0btwo\x0cthree", "one two three"),
        ("tab\tstays", "tab\tstays"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("a pair in halves: \ud83d\ude00", "a pair in halves: 😀"),
        ("file\u202egpj.exe", "filegpj.exe"),
        ("\ufeffmark", "mark"),
        ("left as it is: é 日本 👩‍👩‍👧‍👦 \u200f", "left as it is: é 日本 👩‍👩‍👧‍👦 \u200f"),
    ],
)
def test_characters_that_apps_refuse_are_taken_out(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_can_be_sent_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    assert "\x00" not in cleaned.encode().decode()


@pytest.mark.parametrize("nothing", ["", " \n\t", "\u200b\u200d", "\u2800", "\u3164", "\ufe0f", "\u00a0\u3000"])
def test_a_text_of_spaces_and_invisible_characters_shows_nothing(nothing: str) -> None:
    assert not shows(nothing)


@pytest.mark.parametrize("something", ["a", "\u200ba", "日", "🙂", "❤\ufe0f", "\U0001faea", "\u0301", "—"])
def test_anything_else_shows(something: str) -> None:
    assert shows(something)


@pytest.mark.parametrize(("text", "units"), [("", 0), ("abc", 3), ("é日", 2), ("😀", 2), ("👩‍👩‍👧", 8)])
def test_length_is_counted_in_utf16_units(text: str, units: int) -> None:
    assert utf16(text) == units
