"""How a SKILL.md is read: a head in YAML between lines of `---`, then the words for the assistant. Pure.

    ---
    name: Trip planner
    description: Plans a trip day by day.
    permissions: [read, work-folder]
    holds: [send]
    ---
    Ask where to and when. …

Only plain YAML is read, never one that makes objects. Other keys are left alone, so that files made for other programs
do as well.
"""

from collections.abc import Mapping
from typing import Final

import frontmatter
from frontmatter.default_handlers import YAMLHandler
from yaml import YAMLError

from core.errors import UsageError
from core.safety.permissions import ToolKind
from core.skills.skill import Skill

MAX_BYTES: Final = 64_000
"""Of one file."""
MAX_TITLE: Final = 80
MAX_DESCRIPTION: Final = 1_024

_KINDS: Final = ", ".join(kind.value for kind in ToolKind)


def skill_from(skill_id: str, content: bytes, *, built_in: bool = False) -> Skill:
    """The skill in a file's content.

    Raises:
        UsageError: what is wrong, as the end of a sentence that begins with the file's name.
    """
    head, body = _parted(content)
    name = _line(head, "name", MAX_TITLE)
    if not body:
        raise UsageError("says nothing below its head: write there what the assistant should do")
    return Skill(
        id=skill_id,
        title=_prettified(name) if name == skill_id else name,
        description=_line(head, "description", MAX_DESCRIPTION),
        body=body,
        permissions=_kinds(head, "permissions") or (ToolKind.READ,),
        holds=_kinds(head, "holds"),
        built_in=built_in,
    )


def _parted(content: bytes) -> tuple[Mapping[str, object], str]:
    if len(content) > MAX_BYTES:
        raise UsageError(f"is over {MAX_BYTES // 1000} kB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("is no UTF-8 text") from None
    try:
        post = frontmatter.loads(text, handler=YAMLHandler())
    except (YAMLError, ValueError, TypeError, AttributeError, RecursionError):
        raise UsageError("has a head that is no YAML") from None
    if not post.metadata:
        raise UsageError("has no head: it begins with a line `---`, then `name:` and `description:`, then `---`")
    return post.metadata, post.content.strip()


def _line(head: Mapping[str, object], key: str, longest: int) -> str:
    value = head.get(key)
    words = " ".join(value.split()) if isinstance(value, str) else ""
    if not words:
        raise UsageError(f"has no `{key}:` with words in its head")
    if len(words) > longest:
        raise UsageError(f"has a `{key}:` of {len(words):,} characters; up to {longest:,} fit")
    return words


def _kinds(head: Mapping[str, object], key: str) -> tuple[ToolKind, ...]:
    value = head.get(key)
    named = [value] if isinstance(value, str) else value
    if named is None:
        return ()
    known = {kind.value: kind for kind in ToolKind}
    if not isinstance(named, list) or not all(isinstance(name, str) and name in known for name in named):
        raise UsageError(f"has `{key}:` that are not among {_KINDS}")
    return tuple(kind for kind in ToolKind if kind.value in named)


def _prettified(skill_id: str) -> str:
    words = " ".join(skill_id.replace("-", " ").replace("_", " ").split()) or skill_id
    return words[:1].upper() + words[1:]
