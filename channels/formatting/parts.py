"""The way in: Markdown to the parts that an app takes, and plain words from outside to safe ones. Pure, never throws.

What Markdown means is in `markdown`, `flow` and `spans`, what an app makes of it in the file of its name, where a
message is broken in `split`.
"""

import re
import sys
from dataclasses import dataclass
from enum import StrEnum

from channels.formatting import limits
from channels.formatting.clean import clean
from channels.formatting.discord import DISCORD
from channels.formatting.flow import lines_of
from channels.formatting.lines import Line
from channels.formatting.markdown import parse
from channels.formatting.markup import Markup
from channels.formatting.slack import SLACK, Mrkdwn
from channels.formatting.split import newest as newest_of
from channels.formatting.split import parts_of
from channels.formatting.teams import TEAMS
from channels.formatting.telegram import Telegram
from channels.formatting.text import Text


class Dialect(StrEnum):
    """A markup. Slack has two: `slack` for its `markdown` block, `mrkdwn` for everything else."""

    telegram = "telegram"
    discord = "discord"
    slack = "slack"
    mrkdwn = "mrkdwn"
    teams = "teams"
    text = "text"


@dataclass(frozen=True, slots=True)
class Part:
    """One message of an app: its markup, and the same words with none, addresses of links in brackets if they fit."""

    text: str
    plain: str


MARKUPS: dict[Dialect, Markup] = {
    Dialect.telegram: Telegram(),
    Dialect.discord: DISCORD,
    Dialect.slack: SLACK,
    Dialect.mrkdwn: Mrkdwn(),
    Dialect.teams: TEAMS,
    Dialect.text: Text(),
}

LIMITS = {
    Dialect.telegram: limits.TELEGRAM_TEXT,
    Dialect.discord: limits.DISCORD_TEXT,
    Dialect.slack: limits.SLACK_MARKDOWN,
    Dialect.mrkdwn: limits.SLACK_TEXT,
    Dialect.teams: limits.TEAMS_TEXT,
    Dialect.text: sys.maxsize,
}

TABLE = re.compile(r"^[^\n]+\n[ >]*\|?[ ]*:?-+:?[ ]*\|[-:| ]*\n", re.MULTILINE)
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
LAST_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[^\n]*\Z", re.MULTILINE)
"""Of a preview: what it opens is not written yet, and what it closes is closed anyway."""

PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def format_message(markdown: str, dialect: Dialect, limit: int | None = None) -> tuple[Part, ...]:
    """The parts to send, in order; none where there is nothing to show.

    `limit`: in what the app counts (see `limits`); at least `limits.SMALLEST`, at most and by default what the app
    takes in a message.
    """
    most = allowed(dialect, limit)
    markup = MARKUPS[dialect]
    pieces = parts_of(lines(markdown, markup, most), markup, most)
    return tuple(Part(piece.text, piece.plain) for piece in pieces)


def fallback(part: Part, dialect: Dialect) -> tuple[Part, ...]:
    """What to send instead of a part whose markup the app has refused: mrkdwn for Slack's block, plain words elsewhere.

    More than one part where the fallback may be less long.
    """
    if dialect is Dialect.slack:
        return format_message(part.text, Dialect.mrkdwn)
    return (Part(part.plain, part.plain),)


def preview(markdown: str, dialect: Dialect, newest: int = limits.PREVIEW) -> Part:
    """The newest of a message that is still being written, as markup that stands alone; empty where nothing shows.

    `newest`: as `limit` of `format_message`. Takes time for the newest text only, however long the message is.
    """
    most = allowed(dialect, newest)
    markup = MARKUPS[dialect]
    written = LAST_FENCE.sub("", ending(markdown, most + most // 4))
    piece = newest_of(lines(written, markup, most), markup, most)
    return Part(piece.text, piece.plain)


def escape(text: str, dialect: Dialect) -> str:
    """Words from outside, a name or a file's name, for the middle of that dialect's markup.

    For words that go into Markdown which is still to be formatted use `literal`.
    """
    return MARKUPS[dialect].escape(clean(text))


def literal(text: str) -> str:
    """Words from outside as Markdown that says just them."""
    return "\n".join(PUNCTUATION.sub(r"\\\g<0>", line.strip()) for line in clean(text).split("\n"))


def allowed(dialect: Dialect, limit: int | None) -> int:
    """A limit within what the app takes and what a part can be."""
    most = LIMITS[dialect]
    return most if limit is None else max(limits.SMALLEST, min(limit, most))


def lines(markdown: str, markup: Markup, limit: int) -> list[Line]:
    """The message before it is split."""
    return lines_of(parse(clean(markdown)), markup.look, min(limit // 4, 2048))


def ending(markdown: str, count: int) -> str:
    """The last lines with at least `count` characters, at most twice as many, and what opens the block they are in."""
    if len(markdown) <= count:
        return markdown
    start = max(markdown.rfind("\n", 0, len(markdown) - count) + 1, len(markdown) - 2 * count)
    return (open_fence(markdown, start) or table_head(markdown, start)) + markdown[start:]


def open_fence(markdown: str, end: int) -> str:
    """The line of the fence that is open there, with its break; empty without one."""
    fence = ""
    for found in FENCE.finditer(markdown, 0, end):
        marks, info = found.groups()
        if not fence:
            fence = found.group()
        elif not info.strip() and marks.startswith(fence.strip()[:3]):
            fence = ""
    return f"{fence}\n" if fence else ""


def table_head(markdown: str, end: int) -> str:
    """The first two lines of the table that is open there; empty without one."""
    blank = markdown.rfind("\n\n", 0, end)
    found = TABLE.search(markdown, blank + 2 if blank >= 0 else 0, end)
    return found.group() if found else ""
