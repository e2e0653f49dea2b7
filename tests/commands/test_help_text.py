import pytest

from commands.command import Place
from commands.helptext import help_text
from commands.registry import listed_at
from commands.resolution import OtherNames


def test_help_shows_what_may_be_run_here_with_its_sections() -> None:
    text = help_text("telegram", Place.GROUP, pending=())

    assert text == (
        "**This chat**\n"
        "- `/new` – Start a new conversation with your next message\n"
        "- `/stop` – Stop the answer and drop what is waiting behind it\n"
        "\n"
        "**Conch itself**\n"
        "- `/help` – Show what you can do here"
    )


@pytest.mark.parametrize("place", Place)
def test_help_names_every_command_listed_there_and_no_other(place: Place) -> None:
    lines = [line for line in help_text("discord", place, pending=()).splitlines() if line.startswith("- ")]

    named = [line.removeprefix("- `/").split("`")[0].split(" ")[0] for line in lines]

    assert named == [command.name for command in listed_at(place, pending=())]


def test_help_leaves_out_what_is_pending() -> None:
    text = help_text("telegram", Place.OWNER_CHAT, pending=("goal",))

    assert "/goal" not in text
    assert "/plan" in text


def test_on_slack_every_command_goes_through_the_one() -> None:
    text = help_text("slack", Place.OWNER_CHAT, OtherNames(own=("daily",)), pending=())

    assert "- `/conch goal [the goal, or clear]` – " in text
    assert "`/conch daily`" in text
    assert text.count("`/") == text.count("`/conch ")


def test_words_that_may_be_left_out_stand_in_square_brackets() -> None:
    text = help_text("console", Place.CONSOLE, pending=())

    assert "`/compact [what to keep]`" in text
    assert "`/rename <the new name>`" in text


def test_help_names_own_commands_skills_and_the_console() -> None:
    others = OtherNames(own=("daily", "trip"), skills=("tidy",), engine=("memory",))

    text = help_text("telegram", Place.PERSON_CHAT, others, console="https://conch.example/", pending=())

    assert text.endswith(
        "**Your own commands**: `/daily`, `/trip`\n\n**Skills**: `/tidy`\n\nThe console is at <https://conch.example/>."
    )


def test_a_name_that_cannot_be_typed_or_means_something_else_is_not_promised() -> None:
    text = help_text("telegram", Place.OWNER_CHAT, OtherNames(own=("my `report`", "new")), pending=())

    assert "Your own commands" not in text


def test_where_the_console_is_stays_untold_without_an_address() -> None:
    assert "The console is at" not in help_text("telegram", Place.PERSON_CHAT, pending=())
