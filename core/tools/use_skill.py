"""`use_skill`: read what a skill says, and have its holds count from here on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from core.engines.base import HostTool, ToolAnswer
from core.safety.permissions import ToolKind
from core.skills.calling import instructions
from core.skills.skill import Skill
from core.tools.tool import Desk

USE_SKILL: Final = "use_skill"
ASSISTANT: Final = "assistant"

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": "The skill's id, as your instructions list it."}},
    "required": ["id"],
    "additionalProperties": False,
}


class UseSkill:
    """Uses one of the skills that this turn may use by itself."""

    kind = ToolKind.READ
    spec = HostTool(
        USE_SKILL,
        "Read how the person wants something done, by the id of a skill from your instructions, and then follow it.",
        _SCHEMA,
    )

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = {skill.id: skill for skill in skills}

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """What it says. That it was used is logged first, so that its holds count before anything else is called."""
        skill = self._skills.get(str(args.get("id", "")).strip().lower())
        if skill is None:
            return ToolAnswer(f"There is no such skill here. There is: {', '.join(self._skills)}.", failed=True)
        await desk.record(skill.used(ASSISTANT))
        return ToolAnswer(instructions(skill))
