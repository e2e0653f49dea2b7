"""Skills on disk: which there are, which of them are on for whom, and what is said of files that are off."""

from collections.abc import Mapping
from pathlib import Path

from core.events import Origin
from core.preferences import Preferences
from core.settings import Settings
from core.skills.folder import MAX_SKILLS, read
from core.skills.modes import changed, with_modes
from core.skills.skill import SkillMode
from core.skills.skills import Skills
from core.store.queue import QueuedMessage
from tests.core.skills.skill_files import PLAIN, put

OWNER = Origin(kind="channel", role="owner")
LET_IN = Origin(kind="channel", role="let-in")
GUEST = Origin(kind="channel", role="guest")


async def skills(folder: Path, **settings: tuple[str, ...]) -> Skills:
    found = Skills(folder, Preferences(Settings.model_validate(settings)))
    await found.look()
    return found


def test_two_skills_come_with_conch_and_are_off() -> None:
    found = read(None)

    assert [(skill.id, skill.title, skill.mode) for skill in found.skills] == [
        ("meeting-notes", "Meeting notes", "off"),
        ("trip-planner", "Trip planner", "off"),
    ]
    assert found.faults == ()


def test_one_of_the_owner_takes_the_place_of_one_that_came_along(tmp_path: Path) -> None:
    put(tmp_path, "trip-planner", "name: My trips\ndescription: As I like it.\n")

    [planner] = [skill for skill in read(tmp_path).skills if skill.id == "trip-planner"]

    assert (planner.title, planner.built_in) == ("My trips", False)


def test_a_file_that_is_off_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    put(tmp_path, "packing")
    put(tmp_path, "broken", "name: Broken\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes.txt").write_text("words")

    found = read(tmp_path)

    assert "packing" in [skill.id for skill in found.skills]
    assert found.faults == (
        f"{tmp_path}/broken/SKILL.md has no `description:` with words in its head. The skill is left out.",
        f"{tmp_path}/empty/SKILL.md cannot be read: No such file or directory. The skill is left out.",
    )


def test_a_name_that_nobody_could_type_and_one_that_is_taken_are_said(tmp_path: Path) -> None:
    put(tmp_path, "Packing")
    put(tmp_path, "packing")
    put(tmp_path, "my skill")

    found = read(tmp_path)

    assert [fault.split("SKILL.md ")[1] for fault in found.faults] == [
        "lies in a folder whose name nobody could type: use letters, digits, `-` and `_`. The skill is left out.",
        "has the name of another skill. It is left out.",
    ]


def test_only_so_many_are_looked_at_and_that_is_said(tmp_path: Path) -> None:
    for number in range(MAX_SKILLS + 1):
        put(tmp_path, f"skill{number:03}")

    found = read(tmp_path)

    assert len(found.skills) == MAX_SKILLS + 2
    assert found.faults == (f"{tmp_path} holds 101 skills; only the first 100 are looked at.",)


async def test_a_file_just_written_counts_at_the_next_look(tmp_path: Path) -> None:
    found = await skills(tmp_path)
    before = [skill.id for skill in found.all()]

    put(tmp_path, "packing")
    await found.look()

    assert [skill.id for skill in found.all()] == sorted([*before, "packing"])


async def test_where_none_is_on_one_that_came_is_seen_as_well(tmp_path: Path) -> None:
    found = await skills(tmp_path / "skills")

    put(tmp_path / "skills", "packing")
    await found.keep_up()

    assert "packing" in [skill.id for skill in found.all()]


def test_each_skill_has_the_mode_whose_list_it_is_in_and_the_lesser_of_two() -> None:
    lists: Mapping[SkillMode, tuple[str, ...]] = {
        "automatic": ("Trip-Planner", "meeting-notes"),
        "when-asked": ("meeting-notes",),
    }

    modes = {skill.id: skill.mode for skill in with_modes(read(None).skills, lists)}

    assert modes == {"trip-planner": "automatic", "meeting-notes": "when-asked"}


def test_a_skill_that_is_given_a_mode_leaves_the_other_list() -> None:
    lists: Mapping[SkillMode, tuple[str, ...]] = {"automatic": ("a", "B"), "when-asked": ("c",)}

    assert changed(lists, "b", "when-asked") == {"automatic": ("a",), "when-asked": ("c", "b")}
    assert changed(lists, "c", "off") == {"automatic": ("a", "B"), "when-asked": ()}


async def test_people_have_only_the_skills_that_are_switched_on_for_them(tmp_path: Path) -> None:
    put(tmp_path, "packing")
    found = await skills(
        tmp_path,
        skills_automatic=("packing",),
        skills_when_asked=("trip-planner",),
        skills_for_people=("Packing", "meeting-notes"),
    )

    assert found.names(OWNER) == ("packing", "trip-planner")
    assert found.names(LET_IN) == ("packing",)
    assert found.names(GUEST) == ()
    assert [skill.id for skill in found.automatic(OWNER)] == ["packing"]


async def test_words_that_somebody_else_wrote_call_no_skill(tmp_path: Path) -> None:
    put(tmp_path, "packing", f"{PLAIN}permissions: [send]\n")
    found = await skills(tmp_path, skills_automatic=("packing",), skills_for_people=("packing",))
    text = "/packing for Rome"

    called = [
        [skill.id for skill in found.called(message)]
        for message in (
            QueuedMessage(text=text, origin=OWNER),
            QueuedMessage(text=text, origin=LET_IN, others_words=True),
            QueuedMessage(text=text, origin=OWNER, others_words=True, words_of="Eve"),
            QueuedMessage(text=text, origin=LET_IN, others_words=True, words_of="Eve"),
            QueuedMessage(text=text, origin=GUEST, others_words=True),
        )
    ]

    assert called == [["packing"], ["packing"], [], [], []]
