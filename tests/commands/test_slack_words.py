import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.command import Place
from commands.parsing import ParsedCommand, parse_chat_command, slash_in
from commands.registry import COMMANDS
from commands.resolution import OtherNames
from commands.slackwords import parse_slack_words

OTHERS = OtherNames(own=("daily",), skills=("tidy",), engine=("explain",))


def words(text: str) -> ParsedCommand | None:
    return parse_slack_words(text, Place.OWNER_CHAT, OTHERS, pending=())


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_after_it_is_help(text: str) -> None:
    assert words(text) == ParsedCommand("help")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("new", ParsedCommand("new")),
        ("  Goal write a book ", ParsedCommand("goal", "write a book")),
        ("reset", ParsedCommand("reset")),
        ("?", ParsedCommand("?")),
        ("export", ParsedCommand("export")),
        ("start", ParsedCommand("start")),
        ("daily for Monday", ParsedCommand("daily", "for Monday")),
        ("tidy", ParsedCommand("tidy")),
        ("/new", ParsedCommand("new")),
    ],
)
def test_a_first_word_that_is_a_name_makes_a_command(text: str, command: ParsedCommand) -> None:
    assert words(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "what's on today?",
        "hello",
        "modle the economy of Peru",
        "/Users/ada/x",
        "ada@example.com",
        "new@home",
        "🙂",
        "helpful",
    ],
)
def test_anything_else_is_an_ordinary_message(text: str) -> None:
    assert words(text) is None


def test_a_single_word_that_is_nearly_a_name_is_a_command_that_went_wrong() -> None:
    assert words("modle") == ParsedCommand("modle")


def test_a_word_that_is_nearly_what_they_may_not_run_is_an_ordinary_message() -> None:
    assert parse_slack_words("modle", Place.PERSON_CHAT, pending=()) is None


def test_a_command_of_the_engine_needs_its_slash() -> None:
    assert words("explain this") is None
    assert words("/explain this") == ParsedCommand("explain", "this")


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_a_command_as_we_write_it_for_slack_is_read_back(name: str) -> None:
    after = slash_in("slack", name, "some words").removeprefix("/conch ")

    assert words(after) == ParsedCommand(name, "some words")


@given(st.text() | st.sampled_from(["new", "daily", "modle", "explain"]).flatmap(lambda w: st.text().map(w.__add__)))
def test_any_words_are_an_ordinary_message_or_the_command_that_a_slash_would_make_them(text: str) -> None:
    command = words(text)

    assert command in (None, ParsedCommand("help"), parse_chat_command("/" + text.strip().removeprefix("/")))
