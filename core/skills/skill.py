"""What a skill is: its words, what it may do, and when it is used. Pure. Its file is read in `core.skills.reading`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.events import SkillUsed
from core.safety.permissions import ToolKind

SkillMode = Literal["off", "when-asked", "automatic"]

MODE_WORDS: Final[Mapping[SkillMode, str]] = {
    "off": "Off",
    "when-asked": "When I ask",
    "automatic": "Automatically",
}

MAY: Final[Mapping[ToolKind, str]] = {
    ToolKind.READ: "look things up",
    ToolKind.WORK_FOLDER: "change files in the chat's own folder",
    ToolKind.ELSEWHERE: "change things elsewhere",
    ToolKind.SEND: "send or post something",
    ToolKind.COMMAND: "run commands",
}
"""All that a skill can be said to do; there is nothing else to permit."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill with when it is used.

    `id` is what is typed after the slash. `permissions` are what it may do as the chat's mode has it; before anything
    else, and before what is in `holds`, the chat asks from the first use on, until a person ends that.
    """

    id: str
    title: str
    description: str
    body: str
    permissions: tuple[ToolKind, ...] = (ToolKind.READ,)
    holds: tuple[ToolKind, ...] = ()
    mode: SkillMode = "off"
    built_in: bool = False

    @property
    def held(self) -> tuple[ToolKind, ...]:
        """What the chat asks about once the skill was used, in every mode."""
        allowed = {*self.permissions, ToolKind.READ} - set(self.holds)
        return tuple(kind for kind in ToolKind if kind not in allowed)

    def used(self, by: str) -> SkillUsed:
        """The event that says it was used; `by` is who wanted it, for people."""
        return SkillUsed(
            skill_id=self.id,
            name=self.id,
            title=self.title,
            by=by,
            permissions=tuple(kind.value for kind in self.permissions),
            holds=tuple(kind.value for kind in self.held),
        )


def may(skill: Skill) -> str:
    """What it may do and before what it asks, as one or two sentences for people."""
    free = [MAY[kind] for kind in ToolKind if kind not in skill.held]
    asks = [MAY[kind] for kind in skill.held]
    allowed = f"It may {listed(free, 'and')}." if free else ""
    return f"{allowed} It asks before it would {listed(asks, 'or')}.".strip() if asks else allowed


def listed(words: Sequence[str], last: str) -> str:
    """Words in a row, at least one, with `last` before the last of them."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end
