"""Slack's two languages: standard Markdown for the `markdown` block, and mrkdwn for text where that is refused.

Sources: docs.slack.dev/reference/block-kit/blocks/markdown-block, docs.slack.dev/messaging/formatting-message-text.
The adapter must not ask for `parse=full` or `link_names`, which look for names in plain words.
"""

import re

from channels.formatting.clean import utf16
from channels.formatting.commonmark import (
    ZERO_WIDTH_SPACE,
    Markdown,
    linked_address,
    protected,
    quote_marks,
    split_ticks,
    target,
)
from channels.formatting.flow import Look
from channels.formatting.lines import Box, BoxKind, Line, Link, Piece, Style, bolder, same
from channels.formatting.links import WEB, LinkRules
from channels.formatting.markup import Size, Spans, styled, with_plain

LINKS = LinkRules(WEB | {"mailto"})
MRKDWN_MARKS = {Style.BOLD: "*", Style.ITALIC: "_", Style.STRIKE: "~"}
# <!channel>, <!subteam^S1>, <!date^…>, <@U1>, <#C1>; and what calls everybody where Slack is let to look for names.
CALLS = re.compile(r"(?<=<)(?=!(?:channel|here|everyone|subteam|date)|[@#][A-Z0-9]+[>|])", re.IGNORECASE)
CALLS_ALL = re.compile(r"@(?=(?:channel|here|everyone)\b)", re.IGNORECASE)
ENTITY = re.compile(r"&(?=#?\w+;)")


def harmless(code: str) -> str:
    """Code without a working mention: Slack may look for them there as well."""
    return CALLS.sub(ZERO_WIDTH_SPACE, code) if "<" in code else code


def calling_nobody(text: str) -> str:
    """Words without a working mention, also should Slack take `&lt;` for the sign it stands for."""
    return CALLS_ALL.sub(f"@{ZERO_WIDTH_SPACE}", harmless(text)) if "@" in text else harmless(text)


def escaped(text: str) -> str:
    """Words between addresses, for the `markdown` block."""
    return ENTITY.sub("&amp;", protected(calling_nobody(text))).replace("<", "&lt;")


SLACK = Markdown(
    look=Look(links=LINKS),
    escaped=escaped,
    address=linked_address,
    harmless=harmless,
    count=utf16,
    headings=6,
    newline="  \n",
)


def entities(text: str) -> str:
    """Text for mrkdwn, which knows these three and no other escape: a lone `*` may still make words bold."""
    return calling_nobody(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def opening_mark(style: Style | Link) -> str:
    """Of a look in mrkdwn."""
    return f"<{entities(target(style.href))}|" if isinstance(style, Link) else MRKDWN_MARKS[style]


def closing_mark(style: Style | Link) -> str:
    """Of a look in mrkdwn."""
    return ">" if isinstance(style, Link) else MRKDWN_MARKS[style]


def code_span(text: str) -> str:
    """Code among words; mrkdwn cannot say a backtick in it."""
    return f"`{entities(text.replace('`', 'ˋ'))}`"


MRKDWN_SPANS = Spans(opening_mark, closing_mark, words=entities, label=entities, code=code_span)


class Mrkdwn:
    """No headings, no lists and no tables of its own; a fence has no language."""

    look = Look(bullet="• ", links=LINKS)

    def line(self, line: Line, indent: int) -> Piece:
        """One quote mark is markup, more are words."""
        marks = quote_marks(line)
        text = marks[:2] + entities(marks[2:])
        if line.code:
            return with_plain(text + entities(split_ticks(line.text, 2)), marks, line)
        runs = bolder(line.runs) if line.heading else line.runs
        text += " " * indent + line.marker + styled(runs, MRKDWN_SPANS)
        return with_plain(text, marks + " " * indent + line.marker, line)

    def opening(self, box: Box, line: Line) -> str:
        """A fence."""
        return "" if box.kind is BoxKind.QUOTE else f"{quote_marks(line)[:2]}```\n"

    def closing(self, box: Box, line: Line) -> str:
        """A fence."""
        return "" if box.kind is BoxKind.QUOTE else f"\n{quote_marks(line)[:2]}```"

    def joint(self, before: Line, after: Line) -> Piece:
        """A blank line inside a quote has its mark."""
        mark = ">" if after.gap and before.quote and before.quote is after.quote else ""
        middle = f"{mark}\n" if after.gap else ""
        return same(f"\n{middle}")

    def length(self, text: str) -> int:
        """UTF-16 units."""
        return utf16(text)

    def size(self, piece: Piece) -> Size:
        """The markup as sent."""
        return (utf16(piece.text),)

    def room(self, limit: int) -> Size:
        """As `size`."""
        return (limit,)

    def escape(self, text: str) -> str:
        """A quote mark at the start of a line is an entity as well."""
        return entities(text)
