"""What a message is between Markdown and an app's markup: lines of styled runs. Data and slicing, no markup.

A cut between two characters of a run is always a safe one: markup is made of whole lines afterwards, so no tag, escape
or fence can be cut.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Style(Enum):
    """How words look."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an address; one that the app accepts, see `links`."""

    href: str


class Run(NamedTuple):
    """Words with the same look; `styles` from the outermost in, none twice."""

    text: str
    styles: tuple[Style | Link, ...] = ()
    code: bool = False


Runs = tuple[Run, ...]


class BoxKind(Enum):
    """What stands between an opening and a closing."""

    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, eq=False, slots=True)
class Box:
    """Lines that belong together; the same box is the same object.

    `header` is said again where the box goes on in the next part; `ticks` is the longest run of backticks inside.
    """

    kind: BoxKind
    language: str = ""
    header: tuple[Runs, ...] = ()
    ticks: int = 0


class Line(NamedTuple):
    """One line of a message.

    `indent` counts spaces before `marker` (a bullet or a number, with the space after it). `quote` is the outermost
    quote and `depth` how many there are. `gap`: a blank line stands before it. `soft`: it goes on the paragraph of the
    line before it. `header`: it belongs to the header of its box.
    """

    runs: Runs
    indent: int = 0
    marker: str = ""
    heading: int = 0
    quote: Box | None = None
    depth: int = 0
    code: Box | None = None
    gap: bool = False
    soft: bool = False
    header: bool = False

    @property
    def text(self) -> str:
        """The words."""
        return "".join([run.text for run in self.runs])

    @property
    def spelled(self) -> str:
        """The words, with the address of each link in brackets behind its label."""
        said: list[str] = []
        link = None
        for run in self.runs:
            if link and link_of(run) != link:
                said.append(f" ({link.href})")
            link = link_of(run)
            said.append(run.text)
        return "".join(said) + (f" ({link.href})" if link else "")

    @property
    def length(self) -> int:
        """How many characters the words have."""
        return sum([len(run.text) for run in self.runs])

    @property
    def boxes(self) -> tuple[Box, ...]:
        """From the outermost in."""
        if self.quote:
            return (self.quote, self.code) if self.code else (self.quote,)
        return (self.code,) if self.code else ()


class Piece(NamedTuple):
    """Something in an app's markup, in plain text, and in plain text with the addresses of links."""

    text: str
    plain: str
    spelled: str


def same(text: str) -> Piece:
    """What is said alike in all forms."""
    return Piece(text, text, text)


def joined(pieces: Iterable[Piece]) -> Piece:
    """One after the other."""
    texts, plains, spelled = zip(*pieces, strict=True)
    return Piece("".join(texts), "".join(plains), "".join(spelled))


def first(runs: Runs, count: int) -> Runs:
    """The first `count` characters."""
    kept: list[Run] = []
    for run in runs:
        if count <= 0:
            break
        kept.append(run if len(run.text) <= count else run._replace(text=run.text[:count]))
        count -= len(run.text)
    return tuple(kept)


def after(runs: Runs, count: int) -> Runs:
    """All but the first `count` characters."""
    kept: list[Run] = []
    for run in runs:
        if count < len(run.text):
            kept.append(run if count <= 0 else run._replace(text=run.text[count:]))
        count -= len(run.text)
    return tuple(kept)


def merged(runs: list[Run]) -> Runs:
    """Neighbours of the same look as one, so that what an app reads across them is seen as a whole; no empty ones."""
    kept: list[Run] = []
    for run in runs:
        if kept and kept[-1].styles == run.styles and kept[-1].code == run.code:
            kept[-1] = run._replace(text=kept[-1].text + run.text)
        elif run.text:
            kept.append(run)
    return tuple(kept)


def bolder(runs: Runs) -> Runs:
    """All of it bold."""
    return tuple(run if Style.BOLD in run.styles else run._replace(styles=(Style.BOLD, *run.styles)) for run in runs)


def link_of(run: Run) -> Link | None:
    """The link that a run is part of."""
    for style in run.styles:
        if isinstance(style, Link):
            return style
    return None
