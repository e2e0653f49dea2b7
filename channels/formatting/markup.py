"""What an app's dialect has to say for itself, and what the dialects share. One dialect is one file beside this."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from channels.formatting.flow import Look
from channels.formatting.lines import Box, Line, Link, Piece, Run, Runs, Style, link_of

Size = tuple[int, ...]
"""What an app counts, one figure for each of its limits; sizes of neighbours add up."""


class Markup(Protocol):
    """An app's dialect: lines in, markup out."""

    @property
    def look(self) -> Look:
        """What the lines are to be made of."""

    def line(self, line: Line, indent: int) -> Piece:
        """A line with its marker, looks and quote marks, without its boxes."""

    def opening(self, box: Box, line: Line) -> str:
        """What stands before the first line of a box; `line` is that line."""

    def closing(self, box: Box, line: Line) -> str:
        """What stands after the last line of a box; `line` is that line."""

    def joint(self, before: Line, after: Line) -> Piece:
        """The break between two lines, outside of the boxes that only one of them is in."""

    def length(self, text: str) -> int:
        """Of plain text, as the app counts."""

    def size(self, piece: Piece) -> Size:
        """What the app counts of it, its length first."""

    def room(self, limit: int) -> Size:
        """What a message of that length may count."""

    def escape(self, text: str) -> str:
        """Clean plain text that says in this dialect exactly what it says."""


def together(one: Size, other: Size) -> Size:
    """The size of both."""
    return tuple(map(int.__add__, one, other))


def exceeds(size: Size, room: Size) -> bool:
    """Whether it is too much by any of the counts."""
    return any(map(int.__gt__, size, room))


@dataclass(frozen=True, slots=True)
class Spans:
    """How a dialect says words: what opens and closes a look, and each kind of text; `label` is that of a link."""

    opening: Callable[[Style | Link], str]
    closing: Callable[[Style | Link], str]
    words: Callable[[str], str]
    label: Callable[[str], str]
    code: Callable[[str], str]

    def say(self, run: Run, text: str) -> str:
        """Text of a run, without its looks."""
        if run.code:
            return self.code(text)
        return self.label(text) if link_of(run) else self.words(text)


def styled(runs: Runs, spans: Spans) -> str:
    """Runs in markup that nests. Spaces at the edge of a look go outside of it: `** a**` is not bold in Markdown."""
    if len(runs) == 1 and not runs[0].styles:
        return spans.say(runs[0], runs[0].text)
    said: list[str] = []
    open_styles: tuple[Style | Link, ...] = ()
    space = ""
    for run in runs:
        inner = run.text if run.code else run.text.strip()
        kept = shared(open_styles, run.styles)
        said += map(spans.closing, reversed(open_styles[kept:]))
        if not inner:
            open_styles, space = open_styles[:kept], space + run.text
            continue
        start = run.text.index(inner)
        said.append(space + run.text[:start])
        said += map(spans.opening, run.styles[kept:])
        said.append(spans.say(run, inner))
        open_styles, space = run.styles, run.text[start + len(inner) :]
    said += map(spans.closing, reversed(open_styles))
    return "".join(said) + space


def shared(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    """How many of the first are the same in both."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def with_plain(text: str, lead: str, line: Line) -> Piece:
    """A line's markup and its plain forms, `lead` being all before its words."""
    plain = lead + line.text
    linked = any(link_of(run) for run in line.runs)
    return Piece(text, plain, lead + line.spelled if linked else plain)
