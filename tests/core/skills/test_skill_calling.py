"""Skills in words: how one is called by its name, and what the assistant is told."""

import pytest

from core.safety.permissions import ToolKind
from core.skills.calling import MAX_SECTION, expanded, named, section
from core.skills.skill import Skill

PACKING = Skill("packing", "Packing", "Makes a packing list.", "List what to pack.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/packing for Rome", ("packing",)),
        ("/Packing", ("packing",)),
        ("hello\n\n/packing\nfor Rome", ("packing",)),
        ("/a one\n\n/b two\n\n/a three\n\n/c\n\n/d", ("a", "b", "c")),
        ("look into /packing please", ()),
        ("see\n/packing", ()),
        ("/etc/passwd", ()),
        ("/", ()),
        ("// packing", ()),
    ],
)
def test_a_skill_is_called_at_the_beginning_or_after_a_blank_line(text: str, names: tuple[str, ...]) -> None:
    assert named(text) == names


def test_the_words_of_the_skill_come_before_those_of_the_person() -> None:
    assert expanded("/packing for Rome", [PACKING]) == (
        "Follow the skill “Packing” now. It may look things up. It asks before it would change files in the chat's own "
        "folder, change things elsewhere, send or post something or run commands. It says:\n\nList what to pack.\n\n"
        "This is the message that it is for:\n\n/packing for Rome"
    )


def test_without_a_skill_a_message_stays_as_it_is() -> None:
    assert expanded("/packing for Rome", []) == "/packing for Rome"


def test_the_section_names_each_skill_in_one_line() -> None:
    *_, line = section([PACKING]).splitlines()

    assert line == "- packing: Packing. Makes a packing list."
    assert section([]) == ""


def test_a_section_that_would_be_too_long_counts_what_it_leaves_out() -> None:
    skills = [Skill(f"skill{number}", "Some skill", "Words. " * 60, "Do it.") for number in range(40)]

    text = section(skills)

    shown = text.count("\n- skill")
    assert len(text) <= MAX_SECTION
    assert text.endswith(f"(And {40 - shown} more that do not fit here; the person can call them by name.)")


def test_what_is_logged_of_a_use_holds_what_is_not_permitted() -> None:
    used = Skill("mail", "Mail", "Writes mail.", "Write.", permissions=(ToolKind.SEND,)).used("Ada")

    assert (used.skill_id, used.title, used.by) == ("mail", "Mail", "Ada")
    assert used.permissions == ("send",)
    assert used.holds == ("work-folder", "elsewhere", "command")
