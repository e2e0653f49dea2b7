"""The page about skills: its example is one."""

import re
from pathlib import Path

from core.safety.permissions import ToolKind
from core.skills.reading import skill_from

PAGE = Path(__file__).parents[3] / "docs" / "skills.md"


def test_the_example_of_the_page_is_a_skill_and_its_table_has_every_word() -> None:
    page = PAGE.read_text(encoding="utf-8")
    [example] = re.findall(r"```markdown\n(.*?)```", page, re.DOTALL)

    skill = skill_from("packing-list", example.encode())

    assert (skill.title, skill.holds) == ("Packing list", (ToolKind.SEND,))
    assert skill.held == (ToolKind.ELSEWHERE, ToolKind.SEND, ToolKind.COMMAND)
    assert re.findall(r"^\| `([\w-]+)`", page, re.MULTILINE) == [kind.value for kind in ToolKind]
