"""What the dialects that descend from Markdown share: emphasis, links, fences, quote marks, what a backslash protects.

Nothing of one app; Telegram's HTML and Slack's mrkdwn are other languages.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from channels.formatting.flow import TICKS, Look
from channels.formatting.lines import Box, BoxKind, Line, Link, Piece, Runs, Style, bolder, same
from channels.formatting.markup import Size, Spans, styled, with_plain

Replace = Callable[[str], str]

MARKS = {Style.BOLD: "**", Style.ITALIC: "*", Style.STRIKE: "~~"}
LONGEST_FENCE = 8
ZERO_WIDTH_SPACE = "\u200b"
"""Put inside what would call someone, where no escape is known to hold."""

# An underscore between two letters starts nothing. `](` would make a link of brackets, `||` hides words in Discord.
SPECIAL = re.compile(r"[\\*`~]|(?<![^\W_])_|_(?![^\W_])|(?<=\])\(|\|(?=\|)|(?<=\|)\|")
NOTHING_SPECIAL = re.compile(r"[^\\*`~_()\[\]|<&@#]*")
"""Text that any escaping would leave as it is, as most is."""

LINE_START = re.compile(r"(?:#|>|=|:?-|\+(?=\s|$)|\||\d+(?=[.)](?:\s|$)))")
ADDRESS = re.compile(r"https?://[\w\-.~:/?#!$&+,;=%]+")
BRACKET = re.compile(r"[\[\]]")
IN_TARGET = re.compile(r"[()<>| ]|@(?=everyone|here|channel)", re.IGNORECASE)
IN_ADDRESS = re.compile(r"[_~]")


def protected(text: str) -> str:
    """A backslash before what would be markup in the middle of a line."""
    return SPECIAL.sub(r"\\\g<0>", text)


def protected_start(markup: str) -> str:
    """The same for what would be markup only at the start of a line: headings, quotes, lists, rules, tables."""
    if found := LINE_START.match(markup):
        place = found.end() if found.group()[0].isdigit() else 0
        return f"{markup[:place]}\\{markup[place:]}"
    return markup


def linked_address(text: str) -> str:
    """An address with characters that emphasis is made of, as a link to itself."""
    return f"[{protected(text)}]({target(text)})" if IN_ADDRESS.search(text) else text


def target(href: str) -> str:
    """An address for the brackets of a link: nothing in it ends them, or calls anyone on the way."""
    return IN_TARGET.sub(lambda found: quote(found.group(), safe=""), href)


def quote_marks(line: Line) -> str:
    """In front of every line of a quote, one for each quote it is in."""
    return "> " * line.depth


def code_span(text: str) -> str:
    """Code among words, between more backticks than it has in a row."""
    ticks = "`" * (max(map(len, TICKS.findall(text)), default=0) + 1)
    edge = " " if text[0] == "`" or text[-1] == "`" or (text[0] == text[-1] == " " and text.strip()) else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def split_ticks(text: str, most: int) -> str:
    """Text in which no more than `most` backticks follow each other, so that they end nothing."""
    if "`" * (most + 1) not in text:
        return text
    return re.sub(f"`{{{most + 1},}}", lambda found: ZERO_WIDTH_SPACE.join(found.group()), text)


@dataclass(frozen=True, slots=True)
class Markdown:
    """A dialect of Markdown as data.

    `escaped` protects text, and `address` a web address among it; `harmless` takes from code what would still call
    someone. `count` measures what the app measures. `headings`: so many levels are drawn as headings, the others are
    bold. `marks_lists`: list items are the app's own. `fences_grow`: a fence may be longer than three backticks.
    `newline` breaks a line inside a paragraph, `line_end` any other; `space` is what indents are made of.
    """

    look: Look
    escaped: Replace
    address: Replace
    harmless: Replace
    count: Callable[[str], int]
    headings: int
    marks_lists: bool = True
    fences_grow: bool = True
    newline: str = "\n"
    line_end: str = "\n"
    space: str = " "

    def line(self, line: Line, indent: int) -> Piece:
        """Quote marks come first, whatever is inside of what: all apps know them there."""
        text = self._coded(line.text) if line.code else self._worded(line, indent)
        marks = quote_marks(line)
        return with_plain(marks + text, marks + " " * indent + line.marker, line)

    def _coded(self, text: str) -> str:
        return self.harmless(split_ticks(text, LONGEST_FENCE - 1 if self.fences_grow else 2))

    def _worded(self, line: Line, indent: int) -> str:
        as_heading = 0 < line.heading <= self.headings and not line.marker
        runs = bolder(line.runs) if line.heading and not as_heading else line.runs
        words = self._styled(runs)
        if line.runs and not line.runs[0].styles and not line.runs[0].code:
            words = protected_start(words)
        if as_heading:
            closed = words.endswith("#") and not words.endswith("\\#")  # which Markdown takes for decoration
            return f"{'#' * line.heading} {words[:-1]}\\#" if closed else f"{'#' * line.heading} {words}"
        marker = line.marker if self.marks_lists else protected_start(line.marker)
        if marker and not words:
            words = ZERO_WIDTH_SPACE  # an empty item under a line makes a heading of that line
        return self.space * indent + marker + words

    def _styled(self, runs: Runs) -> str:
        return styled(runs, Spans(opening_mark, closing_mark, self.words, self._label, self._span))

    def words(self, text: str) -> str:
        """Text with the web addresses in it: a backslash in one would break it."""
        if NOTHING_SPECIAL.fullmatch(text):
            return text
        if "://" not in text:
            return self.escaped(text)
        said: list[str] = []
        position = 0
        for found in ADDRESS.finditer(text):
            said += self.escaped(text[position : found.start()]), self.address(found.group())
            position = found.end()
        return "".join(said) + self.escaped(text[position:])

    def _label(self, text: str) -> str:
        return BRACKET.sub(r"\\\g<0>", self.escaped(text))

    def _span(self, text: str) -> str:
        return code_span(self.harmless(split_ticks(text, LONGEST_FENCE - 1 if self.fences_grow else 1)))

    def opening(self, box: Box, line: Line) -> str:
        """A fence."""
        if box.kind is BoxKind.QUOTE:
            return ""
        return f"{quote_marks(line)}{self._fence(box)}{box.language}\n"

    def closing(self, box: Box, line: Line) -> str:
        """A fence."""
        if box.kind is BoxKind.QUOTE:
            return ""
        return f"\n{quote_marks(line)}{self._fence(box)}"

    def _fence(self, box: Box) -> str:
        return "`" * (min(max(3, box.ticks + 1), LONGEST_FENCE) if self.fences_grow else 3)

    def joint(self, before: Line, after: Line) -> Piece:
        """A blank line inside a quote has its mark, so that the quote goes on; without a blank line none ends."""
        within = before.quote is after.quote
        if after.gap or before.depth > after.depth or not (within or before.quote is None):
            return same("\n>\n" if within and after.quote else "\n\n")
        if before.code or after.code:
            return same("\n")
        return same("\n")._replace(text=self.newline if after.soft else self.line_end)

    def length(self, text: str) -> int:
        """As the app counts."""
        return self.count(text)

    def size(self, piece: Piece) -> Size:
        """The markup as sent."""
        return (self.count(piece.text),)

    def room(self, limit: int) -> Size:
        """As `size`."""
        return (limit,)

    def escape(self, text: str) -> str:
        """Each line so that it starts nothing."""
        return self.newline.join(protected_start(self.words(line.strip())) for line in text.split("\n"))


def closing_mark(style: Style | Link) -> str:
    """Of a look."""
    return f"]({target(style.href)})" if isinstance(style, Link) else MARKS[style]


def opening_mark(style: Style | Link) -> str:
    """Of a look."""
    return "[" if isinstance(style, Link) else MARKS[style]
