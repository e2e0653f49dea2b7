"""How a view reads in a chat: a list in Markdown, a line a row, the rest of a long one as a number.

Pure. Everything in a view is outside data: it is made literal, calls nobody, and a link leads where it says. A row has
no next step here.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

from channels.formatting.parts import literal
from core.cards import (
    AgendaRow,
    AgendaView,
    FileRow,
    FilesView,
    MailRow,
    MailView,
    MessageRow,
    MessagesView,
    ToolView,
    WebUrl,
)
from core.views import cleaned

SHOWN: Final = 10
"""Rows of a view in a chat; the others are counted."""

LONGEST: Final = 160
"""Characters of a snippet or a message in a list."""

_CALLS: Final = re.compile(r"@(?=\w)")
_JOINER: Final = "\u2060"
"""Takes no room, and keeps an app from reading a name after “@” as a call."""


def view_text(view: ToolView) -> str:
    """The whole message; an empty view says that there is nothing."""
    view = cleaned(view)
    match view:
        case AgendaView(rows=rows):
            return _message(_span(view), "No appointments.", _agenda(rows[:SHOWN]), len(rows))
        case MailView(rows=rows):
            return _message("**Mail**", "No mail found.", [_mail(row) for row in rows[:SHOWN]], len(rows))
        case FilesView(rows=rows):
            return _message("**Files**", "No files found.", [_file(row) for row in rows[:SHOWN]], len(rows))
        case MessagesView(rows=rows):
            head = f"**{_words(view.place)}**" if view.place else "**Messages**"
            return _message(head, "No messages.", [_said(row) for row in rows[:SHOWN]], len(rows))


def _message(head: str, nothing: str, lines: Sequence[str], count: int) -> str:
    if not count:
        return f"{head}\n\n{nothing}"
    more = [f"_{count - SHOWN} more_"] if count > SHOWN else []
    return "\n\n".join([head, "\n".join(lines), *more])


# ---- agenda ----------------------------------------------------------------------------------------------------------


def _span(view: AgendaView) -> str:
    ends = [_day(end) for end in (view.from_, view.to) if end]
    named = " – ".join(dict.fromkeys(ends))
    return f"**Agenda**, {named}" if named else "**Agenda**"


def _agenda(rows: Sequence[AgendaRow]) -> list[str]:
    """Day by day, as they come."""
    lines: list[str] = []
    for day, appointments in groupby(rows, lambda row: _day(row.start)):
        lines.append(f"{day}:" if not lines else f"\n{day}:")
        lines += [f"- {_appointment(row)}" for row in appointments]
    return lines


def _appointment(row: AgendaRow) -> str:
    when = "" if row.all_day else _hours(row)
    place = f", {_words(row.location)}" if row.location else ""
    call = f" · [join]({_href(row.call)})" if row.call else ""
    return f"{when}{_linked(row.title, row.url)}{place}{call}"


def _hours(row: AgendaRow) -> str:
    start, end = _as_moment(row.start), _as_moment(row.end)
    if start is None:
        return ""
    until = f"–{end:%H:%M}" if end is not None and end.date() == start.date() and end > start else ""
    return f"{start:%H:%M}{until} "


# ---- mail, files, messages -------------------------------------------------------------------------------------------


def _mail(row: MailRow) -> str:
    subject = _linked(row.subject, row.url)
    files = f" · {row.attachments} {'file' if row.attachments == 1 else 'files'}" if row.attachments else ""
    snippet = f": {_short(row.snippet)}" if row.snippet else ""
    return f"- {'● ' if row.unread else ''}{_words(row.sender)} · {subject}{_after(row.date)}{files}{snippet}"


def _file(row: FileRow) -> str:
    owner = f" · {_words(row.owner)}" if row.owner else ""
    link = f" · [open]({_href(row.url)})" if row.url else ""  # a file's name often reads as an address itself
    return f"- {_words(row.name)}{owner}{_after(row.modified)}{link}"


def _said(row: MessageRow) -> str:
    link = f" · [open]({_href(row.url)})" if row.url else ""
    return f"- {_words(row.author)}{_after(row.at)}: {_short(row.text)}{link}"


# ---- words, links and moments ----------------------------------------------------------------------------------------


def _words(text: str) -> str:
    return literal(_CALLS.sub(f"@{_JOINER}", text))


def _short(text: str) -> str:
    return _words(text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…")


def _linked(words: str, url: WebUrl | None) -> str:
    return f"[{_words(words)}]({_href(url)})" if url is not None else _words(words)


def _href(url: WebUrl) -> str:
    """For between the brackets of a link, which an address must not close."""
    return str(url).replace("(", "%28").replace(")", "%29")


def _as_moment(value: datetime | str | None) -> datetime | None:
    """As the log has it: a moment is a text there."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def _day(value: datetime | str) -> str:
    moment = _as_moment(value)
    return f"{moment:%a} {moment.day} {moment:%B %Y}" if moment is not None else _words(str(value))


def _after(value: datetime | str | None) -> str:
    if value is None:
        return ""
    moment = _as_moment(value)
    at = f", {moment:%H:%M}" if moment is not None and _has_time(value) else ""
    return f" · {_day(value)}{at}"


def _has_time(value: datetime | str) -> bool:
    return isinstance(value, datetime) or ":" in value
