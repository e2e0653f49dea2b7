"""Skills in words: which a message calls by `/name`, and what the assistant is told of those it may use. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from commands.naming import fold_name, is_name
from core.skills.skill import Skill, may

MOST_CALLED: Final = 3
"""Skills of one message; several typed messages may have been joined into it."""

MAX_SECTION: Final = 2_400
"""Characters of the section in the system text."""
MAX_LINE: Final = 240

FOR_THIS: Final = "This is the message that it is for:"
"""Between what skills say and what the person wrote."""

_CALL: Final = re.compile(r"(?:\A|\n\s*\n)[ \t]*/([^\s/@]+)(?=\s|\Z)")
"""At the beginning, or after a blank line, which is how messages are joined."""

_HEAD: Final = (
    "Skills: ways of doing something that the person keeps. When one fits what was asked, call `use_skill` with its id"
    " before you begin, and follow what it says."
)


def named(text: str) -> tuple[str, ...]:
    """The names that a message calls, in order and each once."""
    names = (fold_name(name) for name in _CALL.findall(text) if is_name(name))
    return tuple(dict.fromkeys(names))[:MOST_CALLED]


def expanded(text: str, skills: Sequence[Skill]) -> str:
    """The message as it goes to an engine: what the skills say, then the person's words as they typed them."""
    if not skills:
        return text
    parts = [instructions(skill) for skill in skills]
    return "\n\n".join([*parts, f"{FOR_THIS}\n\n{text}"])


def instructions(skill: Skill) -> str:
    """What the assistant is told to do."""
    return f"Follow the skill “{skill.title}” now. {may(skill)} It says:\n\n{skill.body}"


def section(skills: Sequence[Skill]) -> str:
    """The skills that the assistant may use by itself; those that do not fit are counted."""
    if not skills:
        return ""
    lines = [_line(skill) for skill in skills]
    while lines and len(_joined(lines, len(skills))) > MAX_SECTION:
        lines.pop()
    return _joined(lines, len(skills))


def _joined(lines: Sequence[str], count: int) -> str:
    left = count - len(lines)
    more = [f"(And {left} more that do not fit here; the person can call them by name.)"] if left else []
    return "\n".join([_HEAD, *lines, *more])


def _line(skill: Skill) -> str:
    line = f"- {skill.id}: {skill.title}. {skill.description}"
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1].rstrip() + "…"
