"""SKILL.md: what is read in one, and what is said of one that is off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.safety.permissions import ToolKind
from core.skills.reading import MAX_BYTES, skill_from
from core.skills.skill import may
from tests.core.skills.skill_files import PLAIN, skill_file


def test_a_file_says_name_description_permissions_holds_and_what_to_do() -> None:
    head = f"{PLAIN}permissions: [work-folder, send]\nholds: [send]\n"

    skill = skill_from("packing", skill_file(head))

    assert (skill.title, skill.description) == ("Packing", "Makes a packing list.")
    assert skill.permissions == (ToolKind.WORK_FOLDER, ToolKind.SEND)
    assert skill.holds == (ToolKind.SEND,)
    assert skill.body == "List what to pack."
    assert skill.mode == "off"


def test_what_a_skill_does_not_say_it_may_do_is_asked_about() -> None:
    skill = skill_from("packing", skill_file())

    assert skill.permissions == (ToolKind.READ,)
    assert skill.held == (ToolKind.WORK_FOLDER, ToolKind.ELSEWHERE, ToolKind.SEND, ToolKind.COMMAND)


def test_what_it_may_do_reads_as_plain_sentences() -> None:
    careful = skill_from("packing", skill_file(f"{PLAIN}permissions: [read, work-folder, elsewhere, command]\n"))
    free = skill_from("packing", skill_file(f"{PLAIN}permissions: [work-folder, elsewhere, send, command]\n"))

    assert may(careful) == (
        "It may look things up, change files in the chat's own folder, change things elsewhere and run commands. "
        "It asks before it would send or post something."
    )
    assert "asks" not in may(free)


def test_a_hold_on_reading_is_kept_as_well() -> None:
    skill = skill_from("packing", skill_file(f"{PLAIN}holds: read\n"))

    assert ToolKind.READ in skill.held


def test_files_made_for_other_programs_do_as_well() -> None:
    head = (
        "name: packing-list\ndescription: >\n  Makes a\n  list.\nlicense: MIT\nallowed-tools: Bash\nmetadata: {a: 1}\n"
    )

    skill = skill_from("packing-list", skill_file(head))

    assert (skill.title, skill.description) == ("Packing list", "Makes a list.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Just words.", "has no head"),
        (b"", "has no head"),
        (b"---\n- a\n- b\n---\nwords", "has no head"),
        (b"---\nname: [\n---\nwords", "has a head that is no YAML"),
        (b"---\nname: !!python/object/apply:os.getcwd []\n---\nwords", "has a head that is no YAML"),
        (b"\xff\xfe", "is no UTF-8 text"),
        (b"x" * (MAX_BYTES + 1), "is over 64 kB"),
        (skill_file("description: d\n"), "has no `name:`"),
        (skill_file("name: 3\ndescription: d\n"), "has no `name:`"),
        (skill_file("name: n\n"), "has no `description:`"),
        (skill_file(f"name: {'n' * 81}\ndescription: d\n"), "has a `name:` of 81 characters; up to 80 fit"),
        (skill_file(f"{PLAIN}permissions: [everything]\n"), "has `permissions:` that are not among read, work-folder"),
        (skill_file(f"{PLAIN}holds: {{send: true}}\n"), "has `holds:` that are not among"),
        (skill_file(body=""), "says nothing below its head"),
    ],
)
def test_what_is_wrong_is_said_plainly(content: bytes, said: str) -> None:
    with pytest.raises(UsageError) as fault:
        skill_from("packing", content)

    assert str(fault.value).startswith(said)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: skill_file(f"{PLAIN}{text}\n"))))
def test_whatever_a_file_holds_it_is_a_skill_or_said_to_be_none(content: bytes) -> None:
    try:
        skill = skill_from("packing", content)
    except UsageError:
        return

    assert skill.title
    assert skill.body
