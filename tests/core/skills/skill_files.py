"""Skill files for tests."""

from pathlib import Path

PLAIN = "name: Packing\ndescription: Makes a packing list.\n"


def skill_file(head: str = PLAIN, body: str = "List what to pack.") -> bytes:
    """A SKILL.md."""
    return f"---\n{head}---\n{body}\n".encode()


def put(folder: Path, skill_id: str, head: str = PLAIN, body: str = "List what to pack.") -> None:
    """A skill in a folder of skills."""
    (folder / skill_id).mkdir(parents=True)
    (folder / skill_id / "SKILL.md").write_bytes(skill_file(head, body))
