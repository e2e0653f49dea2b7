"""Which typed words pick a choice, and which are an ordinary message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.base import ButtonStyle
from channels.choices import LONGEST_REPLY, Choice, as_numbers, as_words, normalised, picked
from channels.formatting.parts import Dialect, format_message

PERMISSION = (
    Choice("Allow", ButtonStyle.PRIMARY),
    Choice("Always in this chat"),
    Choice("Don't allow", ButtonStyle.DANGER),
)
UNDO = (Choice("Undo"),)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("1", 0),
        ("1.", 0),
        ("\N{FULLWIDTH DIGIT ONE}", 0),
        ("\N{FULLWIDTH DIGIT THREE}\N{FULLWIDTH FULL STOP}", 2),
        (" 3 ", 2),
        ("(2)", 1),
        (" Allow! ", 0),
        ("ALWAYS in this   chat", 1),
        ("Don’t allow", 2),
        ("don't allow.", 2),
        ("yes", 0),
        ("Y", 0),
        ("ok", 0),
        ("Okay!", 0),
        ("sure", 0),
        ("go", 0),
        ("Go ahead", 0),
        ("👍", 0),
        (" 👍🏽 ", 0),
        ("no", 2),
        ("n", 2),
        ("Nope.", 2),
        ("don’t", 2),
        ("deny", 2),
        ("👎", 2),
    ],
)
def test_these_words_pick(words: str, place: int) -> None:
    assert picked(words, PERMISSION) == place


@pytest.mark.parametrize(
    "words",
    [
        "",
        "   ",
        "...",
        "1,3",
        "1 3",
        "10",
        "0",
        "4",
        "7",
        "²",
        "yes, and also look at the weather",
        "no way",
        "allow it",
        "/1",
        "/yes",
        " /allow",
        "-1",
        "+1",
        "1%",
        "$1",
        "👍👍",
        "🙂",
        "a" * 100,
    ],
)
def test_these_are_ordinary_messages(words: str) -> None:
    assert picked(words, PERMISSION) is None


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("C++", "C++"),
        ("c#!", "C#"),
        ("c", "C"),
        ("15", "15"),
        ("1.5", "1.5"),
        ("-15", "-15"),
        ("$5", "$5"),
        ("#2", "C"),
    ],
)
def test_a_sign_tells_choices_apart(words: str, label: str) -> None:
    choices = [Choice(each) for each in ("1.5", "C", "C++", "C#", "-15", "15", "$5")]

    place = picked(words, choices)

    assert place is not None
    assert choices[place].label == label


@pytest.mark.parametrize("words", ["yes", "ok", "👍", "no", "👎", "go"])
def test_a_yes_or_no_never_takes_a_lone_undo(words: str) -> None:
    assert picked(words, UNDO) is None


def test_a_label_comes_before_what_yes_means() -> None:
    choices = (Choice("Go", ButtonStyle.DANGER), Choice("Stay", ButtonStyle.PRIMARY))

    assert picked("go", choices) == 0


def test_where_numbers_are_answers_they_pick_nothing() -> None:
    assert picked("1", (Choice("Skip"),), numbered=False) is None
    assert picked("skip", (Choice("Skip"),), numbered=False) == 0


@given(st.text(max_size=80))
def test_whatever_is_typed_picks_one_that_there_is_or_nothing(words: str) -> None:
    place = picked(words, PERMISSION)

    assert place is None or 0 <= place < len(PERMISSION)
    assert place is None or len(normalised(words)) <= LONGEST_REPLY


@given(st.text(max_size=80))
def test_what_is_normalised_is_so_already_the_second_time(words: str) -> None:
    assert normalised(normalised(words)) == normalised(words)


def test_choices_are_said_as_numbers_one_on_each_line() -> None:
    markdown = as_numbers(["Allow", "Don't *ever* allow"])

    [part] = format_message(markdown, Dialect.text)
    assert part.text == "Reply with a number:\n1 Allow\n2 Don't *ever* allow"


def test_choices_are_said_as_words_where_numbers_are_answers() -> None:
    assert as_words(["Skip"]) == "Or reply “Skip”."
    assert as_words(["Friday", "Leave it out", "Skip"]) == "Or reply “Friday”, “Leave it out” or “Skip”."
