"""What the commands about skills print."""

from collections.abc import Sequence

from conch.printing import table
from core.skills.skill import MODE_WORDS, Skill, may


def skills(found: Sequence[Skill], faults: Sequence[str]) -> str:
    """Which there are, and which files are none."""
    rows = [(skill.id, skill.title, MODE_WORDS[skill.mode], "Conch" if skill.built_in else "you") for skill in found]
    listed = table(("NAME", "TITLE", "USED", "FROM"), rows)
    return "\n".join([listed, *faults])


def skill(found: Skill) -> str:
    """All there is to know of one."""
    return (
        f"{found.title} (/{found.id})\n{found.description}\n"
        f"Used: {MODE_WORDS[found.mode]}\n{may(found)}\n\n{found.body}"
    )


def is_used(found: Skill) -> str:
    """When it is used from now on, and what it may do then."""
    match found.mode:
        case "automatic":
            return f"“{found.title}” is used whenever it fits, or when you send /{found.id}. {may(found)}"
        case "when-asked":
            return f"“{found.title}” is used only when you send /{found.id}. {may(found)}"
        case "off":
            return f"“{found.title}” is off."
