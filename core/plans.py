"""Plans: the steps that the assistant works through, and the plan that a person is asked to start.

Pure. Whoever shows a plan draws its steps as a checklist and the rest as Markdown.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.cards import PlanStep

MAX_STEPS: Final = 30
MAX_TITLE: Final = 200
MAX_PLAN: Final = 20_000
"""Characters of a plan that a person is asked to start."""

STEPS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "description": "The whole plan, in order.",
            "minItems": 1,
            "maxItems": MAX_STEPS,
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "maxLength": MAX_TITLE, "description": "One line."},
                    "state": {"type": "string", "enum": ["pending", "active", "done"]},
                },
                "required": ["title", "state"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["steps"],
    "additionalProperties": False,
}

PLAN_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "plan": {
            "type": "string",
            "maxLength": MAX_PLAN,
            "description": "The plan in Markdown: a list with one item a step, and what else the person should know.",
        }
    },
    "required": ["plan"],
    "additionalProperties": False,
}


def steps_from(args: Mapping[str, Any]) -> tuple[PlanStep, ...] | str:
    """The steps that `update_plan` was given, or what the model has to fix."""
    given = args.get("steps")
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MAX_STEPS:
        return f"Nothing was shown. `steps` must be a list of 1 to {MAX_STEPS} steps: send the whole plan again."
    steps = []
    for number, step in enumerate(given, start=1):
        title = step.get("title") if isinstance(step, Mapping) else None
        title = " ".join(title.split()) if isinstance(title, str) else ""
        state = step.get("state") or "pending" if isinstance(step, Mapping) else None
        if not 1 <= len(title) <= MAX_TITLE or state not in ("pending", "active", "done"):
            return (
                f"Nothing was shown. Step {number} needs a `title` of 1 to {MAX_TITLE} characters and a `state`:"
                " pending, active or done. Send the whole plan again."
            )
        steps.append(PlanStep(title=title, state=state))
    return tuple(steps)


def plan_from(args: Mapping[str, Any]) -> str | None:
    """The Markdown that `exit_plan_mode` was given; None where there is none, or more than 20,000 characters."""
    plan = args.get("plan")
    plan = plan.strip() if isinstance(plan, str) else ""
    return plan if 1 <= len(plan) <= MAX_PLAN else None


@dataclass(frozen=True, slots=True)
class Outline:
    """A plan as it is shown: its steps, all pending, and everything else as Markdown. Either may be empty."""

    steps: tuple[PlanStep, ...]
    rest: str


def outline(plan: str) -> Outline:
    """The top-level list items of a plan as steps; nothing gets lost. No list, or too long a one: all Markdown."""
    lines = plan.split("\n")
    items = list(_items(_BLOCKS.parse(plan)))
    if not 1 <= len(items) <= MAX_STEPS:
        return Outline((), plan.strip())
    steps: list[PlanStep] = []
    rest: list[str] = []
    end = 0
    for item in items:
        title, whole = _title(item.words)
        steps.append(PlanStep(title=title))
        rest += lines[end : item.start]
        if more := _more(lines, item, whole):
            rest += ["", f"Step {len(steps)}:", "", *more, ""]
        end = item.end
    rest += lines[end:]
    return Outline(tuple(steps), re.sub(r"\n{3,}", "\n\n", "\n".join(rest)).strip())


@dataclass(frozen=True, slots=True)
class _Item:
    """A list item: its lines, the words of its first paragraph, and the line after that."""

    start: int
    end: int
    words: str
    after: int


def _items(tokens: list[Token]) -> Iterator[_Item]:
    for at, token in enumerate(tokens):
        if token.type == "list_item_open" and token.level == 1 and token.map:
            start, end = token.map
            first = tokens[at + 2] if tokens[at + 1].type == "paragraph_open" else None
            if first is not None and first.map:
                yield _Item(start, end, first.content, first.map[1])
            else:
                yield _Item(start, end, "", start)


def _title(words: str) -> tuple[str, bool]:
    """The words as one plain line, and whether that is all of them."""
    words = _CHECKBOX.sub("", words)
    children = _INLINE.parseInline(words[:_LOOKED_AT])[0].children or []
    plain = "".join(" " if child.type.endswith("break") else child.content for child in children)
    plain = " ".join(plain.split()) or "…"
    whole = bool(words) and len(words) <= _LOOKED_AT and len(plain) <= MAX_TITLE
    return (plain if len(plain) <= MAX_TITLE else f"{plain[: MAX_TITLE - 1]}…"), whole


def _more(lines: list[str], item: _Item, whole: bool) -> list[str]:
    """What an item says beyond its title, without the indent of the list."""
    if not whole:
        marker = _MARKER.match(lines[item.start])
        first = lines[item.start][marker.end() :] if marker else lines[item.start]
        more = [first, *lines[item.start + 1 : item.end]]
    else:
        more = lines[item.after : item.end]
    indent = min((len(line) - len(line.lstrip()) for line in more[0 if whole else 1 :] if line.strip()), default=0)
    plain = [line[indent:] if at or whole else line for at, line in enumerate(more)]
    return plain if any(line.strip() for line in plain) else []


_LOOKED_AT: Final = 1_000
"""Characters of an item that are looked at for its title."""
_CHECKBOX: Final = re.compile(r"\[[ xX]\]\s+")
_MARKER: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")

_INLINE: Final = MarkdownIt("commonmark", {"html": False}).disable(["html_inline"])
_BLOCKS: Final = MarkdownIt("commonmark", {"html": False}).disable(["inline", "html_block"])
"""Where blocks begin and end is all that is wanted of the whole plan; its words are read item by item."""
