"""Markdown blocks to lines: what indents, what quotes, where a blank line goes. No markup, no limits of an app."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from channels.formatting import tables
from channels.formatting.lines import Box, BoxKind, Line, Run, Runs
from channels.formatting.links import LinkRules, spoken
from channels.formatting.spans import styled_lines

RULE = "———"
DEEPEST_INDENT = 24
LONGEST_MARKER = 24
LONGEST_LANGUAGE = 20
LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]+")
TICKS = re.compile("`+")
TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
NOWHERE = (-1, -1)


@dataclass(frozen=True, slots=True)
class Look:
    """What an app wants its lines to be made of."""

    bullet: str = "- "
    links: LinkRules = field(default_factory=LinkRules)


@dataclass(slots=True)
class Level:
    """A list that is open: the number of its next item (None for bullets), where its markers and its text begin."""

    number: int | None
    base: int
    indent: int


def lines_of(tokens: Sequence[Token], look: Look, longest: int) -> list[Line]:
    """The lines of a message; `longest` is what may have to fit on a line unbroken, a link's address or a header."""
    flow = Flow(look, longest, used_labels(tokens))
    for token in tokens:
        flow.read(token)
    return flow.lines


def used_labels(tokens: Sequence[Token]) -> set[str]:
    """Labels of link definitions that some link uses; the others would vanish with their words."""
    if not any(token.type == "definition" for token in tokens):
        return set()
    spans = [child for token in tokens for child in token.children or []]
    return {str(token.meta["label"]) for token in spans if "label" in token.meta}


def with_task_box(runs: Runs) -> Runs:
    """`[ ]` at the start of an item as a box; apps that know task lists differ, all of them show a box."""
    if runs and (box := TASKS.get(runs[0].text[:4])) and not runs[0].code:
        return (runs[0]._replace(text=box + runs[0].text[4:]), *runs[1:])
    return runs


def language_of(info: str) -> tuple[str, str]:
    """What a fence says it holds, and what it says besides (a file's name, as a rule), which is for reading."""
    first, _, rest = info.strip().partition(" ")
    if LANGUAGE.fullmatch(first) and len(first) <= LONGEST_LANGUAGE:
        return first, rest.strip()
    return "", info.strip()


class Flow:
    """Walks block tokens once. Blank lines are where the source has them, whatever Markdown makes of it."""

    def __init__(self, look: Look, longest: int, used: set[str]) -> None:
        self.lines: list[Line] = []
        self._look = look
        self._longest = longest
        self._used = used
        self._levels: list[Level] = []
        self._marker = ""
        self._quotes: list[Box] = []
        self._heading = 0
        self._rows: list[list[Runs]] = []
        self._sides: list[str] = []
        self._source: Sequence[int] = NOWHERE
        self._end = 0
        self._handlers: dict[str, Callable[[Token], object]] = {
            "inline": self._words,
            "heading_open": self._heading_open,
            "heading_close": self._heading_close,
            "fence": self._code,
            "code_block": self._code,
            "hr": self._rule,
            "definition": self._definition,
            "blockquote_open": lambda _: self._quotes.append(Box(BoxKind.QUOTE)),
            "blockquote_close": lambda _: self._quotes.pop(),
            "bullet_list_open": self._list_open,
            "ordered_list_open": self._list_open,
            "bullet_list_close": lambda _: self._levels.pop(),
            "ordered_list_close": lambda _: self._levels.pop(),
            "list_item_open": self._item_open,
            "list_item_close": lambda _: self._say_marker(),
            "table_open": self._table_open,
            "tr_open": lambda _: self._rows.append([]),
            "th_open": lambda token: self._sides.append(str(token.attrs.get("style", "")).removeprefix("text-align:")),
            "table_close": self._table_close,
        }

    def read(self, token: Token) -> None:
        """Take one token."""
        if handler := self._handlers.get(token.type):
            handler(token)

    def _say(
        self,
        runs: Runs,
        source: Sequence[int] = NOWHERE,
        *,
        heading: int = 0,
        code: Box | None = None,
        gap: bool = False,
        soft: bool = False,
        header: bool = False,
    ) -> None:
        """One more line, put where the walk is. A blank one goes before it where `source`, its lines there, has one."""
        start, end = source
        marker, self._marker = self._marker, ""
        indent = (self._levels[-1].indent if self._levels else 0) - len(marker)
        if len(marker) > LONGEST_MARKER:
            marker, runs = "", (Run(marker), *runs)
        gap = bool(self.lines) and (gap or start > self._end)
        indent = 0 if code else min(indent, DEEPEST_INDENT)
        quote = self._quotes[0] if self._quotes else None
        self.lines.append(Line(runs, indent, marker, heading, quote, len(self._quotes), code, gap, soft, header))
        self._end = max(self._end, end)

    # ---- words -----------------------------------------------------------------------------------------------------

    def _words(self, token: Token) -> None:
        # Aligned text has no links: their addresses are said in words.
        links = LinkRules() if self._rows else self._look.links
        spans = styled_lines(token.children or [], links, self._longest)
        if self._rows:
            self._rows[-1].append(tuple(run for runs in spans for run in runs))
            return
        if self._marker and not self._heading:
            spans[0] = with_task_box(spans[0])
        self._say(spans[0], token.map or NOWHERE, heading=self._heading)
        for runs in spans[1:]:
            self._say(runs, heading=self._heading, soft=True)

    def _heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1:])

    def _heading_close(self, _: Token) -> None:
        self._heading = 0

    def _rule(self, token: Token) -> None:
        self._say((Run(RULE),), token.map or NOWHERE, gap=True)
        self._end -= 1  # and a blank line after it

    def _definition(self, token: Token) -> None:
        """One that a link uses is not for reading; any other is words with a colon after the first."""
        meta = token.meta
        if meta["id"] in self._used:
            self._used.remove(meta["id"])
            return
        title = f' "{meta["title"]}"' if meta["title"] else ""
        for line in f"[{meta['label']}]: {spoken(meta['url'])}{title}".split("\n"):
            self._say((Run(line),), token.map or NOWHERE)

    # ---- lists -----------------------------------------------------------------------------------------------------

    def _list_open(self, token: Token) -> None:
        base = self._levels[-1].indent if self._levels else 0
        number = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
        self._levels.append(Level(number, base, base))

    def _item_open(self, _: Token) -> None:
        level = self._levels[-1]
        marker = self._look.bullet
        if level.number is not None:
            marker = f"{level.number}. "
            level.number += 1
        level.indent = level.base + len(marker)
        self._marker += marker

    def _say_marker(self, source: Sequence[int] = NOWHERE) -> None:
        """A marker that no words of its item came for."""
        if self._marker:
            self._say((), source)

    # ---- code and tables -------------------------------------------------------------------------------------------

    def _code(self, token: Token) -> None:
        content = token.content.rstrip()
        source = token.map or NOWHERE
        language, title = language_of(token.info) if content else ("", token.info.strip())
        if title:
            self._say((Run(title),), source)
        if not content:
            return
        self._say_marker(source)
        ticks = max(map(len, TICKS.findall(content)), default=0)
        box = Box(BoxKind.CODE, language, ticks=ticks)
        for line in content.split("\n"):
            self._say((Run(line, code=True),) if line else (), source, code=box)
            source = NOWHERE
        self._end = max(self._end, (token.map or NOWHERE)[1])

    def _table_open(self, token: Token) -> None:
        self._sides.clear()
        self._source = token.map or NOWHERE

    def _table_close(self, _: Token) -> None:
        rows, self._rows = self._rows, []
        lines = tables.aligned(rows, self._sides)
        said = sum(len(run.text) for runs in lines[:2] for run in runs)
        header = tuple(lines[:2]) if said <= self._longest else ()
        ticks = max((len(found) for runs in lines for run in runs for found in TICKS.findall(run.text)), default=0)
        box = Box(BoxKind.TABLE, header=header, ticks=ticks)
        self._say_marker(self._source)
        for number, runs in enumerate(lines):
            self._say(runs, self._source, code=box, gap=number == 0, header=number < 2)
        self._end -= 1  # and a blank line after it
