"""Telegram's HTML (core.telegram.org/bots/api#html-style): what TDLib's parser takes, and what it counts.

A mention that Telegram makes of `@name` by itself is left alone: anyone in that chat can write it as well, and a name
may be there to be pressed. Links that call a person by number are not made.
"""

import re

from channels.formatting import limits
from channels.formatting.clean import utf16
from channels.formatting.flow import Look
from channels.formatting.lines import Box, BoxKind, Line, Link, Piece, Style, bolder, same
from channels.formatting.links import WEB, LinkRules
from channels.formatting.markup import Size, Spans, styled, with_plain

NAME = re.compile(r"@(?=\w)")
WORD_JOINER = "\u2060"
TAGS = {Style.BOLD: "b", Style.ITALIC: "i", Style.STRIKE: "s"}


def escaped(text: str) -> str:
    """Text as HTML, also inside quotation marks."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def opening_tag(style: Style | Link) -> str:
    """Of a look."""
    return f'<a href="{escaped(style.href)}">' if isinstance(style, Link) else f"<{TAGS[style]}>"


def closing_tag(style: Style | Link) -> str:
    """Of a look."""
    return "</a>" if isinstance(style, Link) else f"</{TAGS[style]}>"


def code_tag(text: str) -> str:
    """Code among words."""
    return f"<code>{escaped(text)}</code>"


SPANS = Spans(opening_tag, closing_tag, words=escaped, label=escaped, code=code_tag)


class Telegram:
    """Headings are bold, lists are characters, tables are aligned text, a quote inside a quote has a mark."""

    look = Look(bullet="• ", links=LinkRules(WEB | {"tg"}, public_hosts=True))

    def line(self, line: Line, indent: int) -> Piece:
        """The plain form is what Telegram makes of the HTML, to the character."""
        lead = "> " * (line.depth - 1) + " " * indent + line.marker
        if line.code:
            return with_plain(escaped(lead + line.text), lead, line)
        runs = bolder(line.runs) if line.heading else line.runs
        text = escaped(lead) + styled(runs, SPANS)
        return with_plain(text, lead, line)

    def opening(self, box: Box, line: Line) -> str:
        """A tag; the language only where there is one, as `code` inside `pre` counts as another entity."""
        if box.kind is BoxKind.QUOTE:
            return "<blockquote>"
        return f'<pre><code class="language-{escaped(box.language)}">' if box.language else "<pre>"

    def closing(self, box: Box, line: Line) -> str:
        """The tags of `opening`."""
        if box.kind is BoxKind.QUOTE:
            return "</blockquote>"
        return "</code></pre>" if box.language else "</pre>"

    def joint(self, before: Line, after: Line) -> Piece:
        """Breaks are characters."""
        return same("\n\n" if after.gap else "\n")

    def length(self, text: str) -> int:
        """UTF-16 units."""
        return utf16(text)

    def size(self, piece: Piece) -> Size:
        """Text after parsing, bytes before it, and entities: each closing tag is at most one."""
        return utf16(piece.plain), len(piece.text.encode()), piece.text.count("</")

    def room(self, limit: int) -> Size:
        """As `size`."""
        return limit, limits.TELEGRAM_BYTES, limits.TELEGRAM_ENTITIES

    def escape(self, text: str) -> str:
        """Somebody's name must not call a person who is called by it."""
        return escaped(NAME.sub(f"@{WORD_JOINER}", text))
