"""Views: results that a person would rather see than read about, made of what an app said.

Pure. Every string of a view is outside data: it becomes one plain line, capped, and a link is kept only where it is a
web address. A view only shows something; nothing in it acts. How it is drawn is the drawings' business.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from core.cards import (
    AgendaRow,
    AgendaView,
    Card,
    FileRow,
    FilesView,
    MailRow,
    MailView,
    MessageRow,
    MessagesView,
    ToolView,
    WebUrl,
)
from core.plain import plain

MAX_AGENDA: Final = 60
MAX_ROWS: Final = 30
"""Rows of any other view."""

LONGEST_URL: Final = 2_000
"""Characters of a link; a longer one is left out, for a cut one leads elsewhere."""

NAME, TITLE, TEXT, MOMENT, WORD = 80, 200, 500, 40, 20
"""Characters of a name, a title, a snippet or message, a moment in words, and a colour."""

UNNAMED: Final = "(no title)"

_URL: Final = TypeAdapter(WebUrl)
_WEB_URL: Final = re.compile(
    r"https?://[^\s\\\"<>^`{|}\x00-\x20\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]+", re.I
)

Row = Mapping[str, Any]
T = TypeVar("T", bound=Card)


def web_url(address: object) -> WebUrl | None:
    """The address as a link; None for anything but a web address without a name and password in it."""
    words = str(address).strip() if address is not None else ""
    if len(words) > LONGEST_URL or not _WEB_URL.fullmatch(words):
        return None
    try:
        url = _URL.validate_python(words)
        has_login = "@" in urlsplit(str(url)).netloc
    except (ValidationError, ValueError):
        return None
    return None if has_login or len(str(url)) > LONGEST_URL else url


# ---- a view of what an app said --------------------------------------------------------------------------------------


def agenda(rows: Iterable[Row], start: object = None, end: object = None) -> AgendaView:
    """Appointments between two moments; rows without a start are left out."""
    kept = _rows(AgendaRow, _AGENDA, rows, MAX_AGENDA)
    return AgendaView.model_validate({"rows": kept, "from": _moment_in_words(start), "to": _moment_in_words(end)})


def mail(rows: Iterable[Row]) -> MailView:
    """Mails; one needs somebody that it is `from`."""
    return MailView(rows=_rows(MailRow, _MAIL, rows, MAX_ROWS))


def files(rows: Iterable[Row]) -> FilesView:
    """Files."""
    return FilesView(rows=_rows(FileRow, _FILE, rows, MAX_ROWS))


def messages(place: str, rows: Iterable[Row]) -> MessagesView:
    """Messages of one place."""
    return MessagesView(place=plain(place, NAME), rows=_rows(MessageRow, _MESSAGE, rows, MAX_ROWS))


def cleaned(view: ToolView) -> ToolView:
    """The same view by these rules, whoever made it: asked for before it is stored, and again before it is drawn."""
    rows = [row.model_dump(by_alias=True) for row in view.rows]
    match view:
        case AgendaView():
            return agenda(rows, view.from_, view.to)
        case MailView():
            return mail(rows)
        case FilesView():
            return files(rows)
        case MessagesView():
            return messages(view.place, rows)


def _rows(kind: type[T], fields: Mapping[str, Callable[[object], object]], rows: Iterable[Row], most: int) -> list[T]:
    """The first rows that are any; what is wrong with a field costs the field, and with a needed one the row."""
    kept: list[T] = []
    for row in rows:
        if len(kept) == most:
            break
        given = {name: clean(row.get(name)) for name, clean in fields.items()}
        try:
            kept.append(kind.model_validate({name: value for name, value in given.items() if value is not None}))
        except ValidationError:
            continue
    return kept


# ---- one field -------------------------------------------------------------------------------------------------------


def _line(most: int) -> Callable[[object], str | None]:
    """A text of at most so many characters; None where nothing is left."""
    return lambda value: (plain(value, most) or None) if isinstance(value, str) else None


def _titled(value: object) -> str:
    return _line(TITLE)(value) or UNNAMED


def _moment(value: object) -> datetime | str | None:
    return value if isinstance(value, datetime) else _line(MOMENT)(value)


def _moment_in_words(value: object) -> str | None:
    return value.isoformat(timespec="minutes") if isinstance(value, datetime) else _line(MOMENT)(value)


def _truth(value: object) -> bool:
    return value is True


def _count(value: object) -> int:
    return min(value, 1_000) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


_AGENDA: Final[Mapping[str, Callable[[object], object]]] = {
    "title": _titled,
    "start": _moment,
    "end": _moment,
    "all_day": _truth,
    "location": _line(TITLE),
    "calendar": _line(NAME),
    "color": _line(WORD),
    "call": web_url,
    "url": web_url,
}
_MAIL: Final[Mapping[str, Callable[[object], object]]] = {
    "from": _line(NAME),
    "subject": _titled,
    "snippet": _line(TEXT),
    "date": _moment,
    "unread": _truth,
    "attachments": _count,
    "url": web_url,
}
_FILE: Final[Mapping[str, Callable[[object], object]]] = {
    "name": _titled,
    "mime": _line(NAME),
    "modified": _moment,
    "owner": _line(NAME),
    "url": web_url,
}
_MESSAGE: Final[Mapping[str, Callable[[object], object]]] = {
    "author": _line(NAME),
    "text": _line(TEXT),
    "at": _moment,
    "url": web_url,
}
