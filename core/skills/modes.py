"""When each skill is used, as the settings have it: lists of ids, so that a change counts at once. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from commands.naming import fold_name
from core.settings import Settings
from core.skills.skill import Skill, SkillMode

SETTINGS: Final[Mapping[SkillMode, str]] = {"automatic": "skills_automatic", "when-asked": "skills_when_asked"}
"""Which setting lists the skills of a mode; a skill that none lists is off."""


def with_modes(skills: Iterable[Skill], lists: Mapping[SkillMode, Iterable[str]]) -> tuple[Skill, ...]:
    """The skills, each with its mode. One that stands in both lists is used when asked: that is the less of the two."""
    named = {mode: set(map(fold_name, ids)) for mode, ids in lists.items()}
    return tuple(replace(skill, mode=_mode(skill.id, named)) for skill in skills)


def lists_of(settings: Settings) -> Mapping[SkillMode, tuple[str, ...]]:
    """The ids by mode."""
    return {"automatic": settings.skills_automatic, "when-asked": settings.skills_when_asked}


def changed(
    lists: Mapping[SkillMode, Iterable[str]], skill_id: str, mode: SkillMode
) -> Mapping[SkillMode, tuple[str, ...]]:
    """The lists after a skill was given a mode."""
    without = {each: tuple(name for name in ids if fold_name(name) != skill_id) for each, ids in lists.items()}
    return {each: (*ids, skill_id) if each == mode else ids for each, ids in without.items()}


def switched(settings: Settings, skill_id: str, mode: SkillMode) -> Mapping[str, tuple[str, ...]]:
    """The settings that change when a skill is given a mode, with what they are then."""
    before = lists_of(settings)
    return {SETTINGS[each]: ids for each, ids in changed(before, skill_id, mode).items() if ids != before[each]}


def _mode(skill_id: str, named: Mapping[SkillMode, set[str]]) -> SkillMode:
    order: tuple[SkillMode, ...] = ("when-asked", "automatic")
    return next((mode for mode in order if skill_id in named.get(mode, ())), "off")
