"""The skills there are: those in the data folder, `<id>/SKILL.md` each, and the ones that Conch brings.

Files are only read here. A skill of the owner's with the id of one that Conch brings takes its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from commands.naming import fold_name, is_name
from core.errors import UsageError
from core.skills.reading import MAX_BYTES, skill_from
from core.skills.skill import Skill

FILE: Final = "SKILL.md"
BUILT_IN: Final = Path(__file__).with_name("builtin")

MAX_SKILLS: Final = 100
"""Folders beyond these, in the order of their names, are not looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was read, by id, and what is wrong with the rest: a sentence each, for the owner."""

    skills: tuple[Skill, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reading:
    skills: dict[str, Skill] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read(folder: Path | None, built_in: Path = BUILT_IN) -> Found:
    """Everything there is now. A folder that is not there, or None, holds nothing."""
    found = _Reading()
    for path in _folders(built_in):
        _take(found, path, built_in=True)
    own = list(_folders(folder)) if folder else []
    if len(own) > MAX_SKILLS:
        found.faults.append(f"{folder} holds {len(own)} skills; only the first {MAX_SKILLS} are looked at.")
    for path in own[:MAX_SKILLS]:
        _take(found, path, built_in=False)
    return Found(tuple(sorted(found.skills.values(), key=lambda skill: skill.id)), tuple(found.faults))


def _folders(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    except OSError:
        return


def _take(found: _Reading, path: Path, *, built_in: bool) -> None:
    try:
        skill = _skill(path, built_in)
    except UsageError as fault:
        found.faults.append(f"{path / FILE} {fault}. The skill is left out.")
        return
    before = found.skills.get(skill.id)
    if before is not None and not before.built_in:
        found.faults.append(f"{path / FILE} has the name of another skill. It is left out.")
        return
    found.skills[skill.id] = skill


def _skill(path: Path, built_in: bool) -> Skill:
    if not is_name(path.name):
        raise UsageError("lies in a folder whose name nobody could type: use letters, digits, `-` and `_`")
    try:
        with (path / FILE).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise UsageError(f"cannot be read: {fault.strerror}") from fault
    return skill_from(fold_name(path.name), content, built_in=built_in)
