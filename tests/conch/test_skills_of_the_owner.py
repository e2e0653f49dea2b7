"""`conch skills`: which there are, when each is used, and what the doctor says of files that are off."""

from pathlib import Path

import pytest

from conch import checks
from conch import printing_skills as printing
from conch.admin import Admin
from conch.app import App
from conch.findings import Verdict
from conch.home import Home
from conch.skill_admin import SkillAdmin
from core.errors import NotFound
from core.skills.folder import read
from tests.core.skills.skill_files import put


@pytest.fixture
def skills(built: App, tmp_path: Path) -> SkillAdmin:
    put(tmp_path / "skills", "packing")
    return SkillAdmin(Admin(built).settings, read(tmp_path / "skills"))


async def test_a_skill_is_turned_on_to_when_asked_and_off_again(skills: SkillAdmin, built: App) -> None:
    steps = [
        (await skills.use("packing", mode)).mode for mode in ("automatic", "when-asked", "automatic", "off", "off")
    ]

    assert steps == ["automatic", "when-asked", "automatic", "off", "off"]
    assert (built.preferences.current.skills_automatic, built.preferences.current.skills_when_asked) == ((), ())


async def test_each_keeps_its_own_mode(skills: SkillAdmin) -> None:
    await skills.use("/Packing", "automatic")
    await skills.use("trip-planner", "automatic")
    await skills.use("packing", "when-asked")

    modes = {skill.id: skill.mode for skill in await skills.list()}

    assert modes == {"meeting-notes": "off", "packing": "when-asked", "trip-planner": "automatic"}


async def test_a_name_of_none_is_told_with_those_there_are(skills: SkillAdmin) -> None:
    with pytest.raises(NotFound, match="no skill “pack”"):
        await skills.use("pack", "automatic")


async def test_what_is_printed_says_when_and_what_it_may_do(skills: SkillAdmin) -> None:
    asked = printing.is_used(await skills.use("trip-planner", "when-asked"))
    listed = printing.skills(await skills.list(), ("x/SKILL.md is no UTF-8 text. The skill is left out.",))
    shown = printing.skill(await skills.find("packing"))

    assert asked == (
        "“Trip planner” is used only when you send /trip-planner. It may look things up and change files in the chat's "
        "own folder. It asks before it would change things elsewhere, send or post something or run commands."
    )
    assert [line.split()[0] for line in listed.splitlines()] == [
        "NAME",
        "meeting-notes",
        "packing",
        "trip-planner",
        "x/SKILL.md",
    ]
    assert shown.startswith("Packing (/packing)\nMakes a packing list.\nUsed: Off\nIt may look things up. It asks")
    assert shown.endswith("\n\nList what to pack.")


def test_the_doctor_names_each_file_that_is_off(tmp_path: Path) -> None:
    put(tmp_path / "skills", "packing", "name: Packing\n")

    [finding] = checks.about_skills(Home(tmp_path))

    assert (finding.verdict, finding.todo) == (Verdict.WARN, "Mend the file, or take its folder away.")
    assert "packing/SKILL.md has no `description:`" in finding.said
