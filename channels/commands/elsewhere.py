"""What is said to a command that chats do not have: the skills as they are, or where on the machine it is done."""

from collections.abc import Sequence
from typing import Final

from channels.commands.call import CommandCall, Reply
from channels.formatting.parts import literal
from commands.command import Place
from core.skills.skill import MODE_WORDS, Skill
from core.skills.skills import Skills

AT_THE_TERMINAL: Final = {
    "apps": "conch apps list",
    "channels": "conch channels list",
    "providers": "conch engines list",
    "doctor": "conch doctor",
}
"""What is typed where Conch runs without a web side, by the command that the console has."""

PAGES: Final = {
    "new": "/chats/new",
    "resume": "/chats",
    "skills": "/skills",
    "commands": "/commands",
    "apps": "/apps",
    "channels": "/channels",
    "providers": "/engines",
    "usage": "/usage",
    "doctor": "/health",
    "settings": "/settings",
}
"""The console's pages, below its address, by the command that leads there."""


class SkillList:
    """Shows the owner every skill with when it is used, and people those that they can call."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    async def run(self, call: CommandCall) -> Reply:
        """One message; how they are turned on stands below."""
        await self._skills.look()
        if call.place is Place.OWNER_CHAT:
            return Reply(_to_the_owner(self._skills.all()))
        names = self._skills.names(call.origin)
        if not names:
            return Reply("No skill is on for you. The owner of this bot can turn some on.")
        return Reply("\n".join(["**Skills for you**", *(f"- {call.written(name=name)}" for name in names)]))


def at_the_terminal(call: CommandCall, name: str) -> str | None:
    """Where the owner does it without a console; None where the terminal has nothing like it."""
    if name not in AT_THE_TERMINAL or call.place is not Place.OWNER_CHAT:
        return None
    return f"{call.written()} is not in chats. Where Conch runs, type `{AT_THE_TERMINAL[name]}` in a terminal."


def _to_the_owner(skills: Sequence[Skill]) -> str:
    lines = [f"- `{skill.id}`: {literal(skill.title)}. {MODE_WORDS[skill.mode]}" for skill in skills]
    how = "Where Conch runs, type `conch skills on NAME` in a terminal to have one used whenever it fits; "
    return "\n".join(["**Skills**", *lines, "", how + "with `ask` it is used only when you call it, with `off` never."])
