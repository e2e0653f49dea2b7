"""How values read on a page: days, sizes, numbers, and sentences of ours. Every template has these at hand."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup

from commands.parsing import written_in
from web.markdown import render


def say(words: str) -> Markup:
    """A sentence of ours, in which commands are written as the console has them, and names of others are literal."""
    return render(written_in("console", words))


def size(count: int | None) -> str:
    """Bytes as people read them; nothing where nobody knows."""
    if count is None:
        return ""
    amount, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "bytes" or amount >= 10 else f"{amount:.1f} {unit}"


def plain_number(value: float) -> str:
    """As an input takes it: whole where it is whole."""
    return str(int(value)) if float(value).is_integer() else str(value)


def spoken_day(value: datetime | str) -> str:
    """A day as people read it; what is no moment stands as it came."""
    moment = moment_of(value)
    return f"{moment:%a} {moment.day} {moment:%B %Y}" if moment is not None else str(value)


def spoken(value: datetime | str | None) -> str:
    """A day, with the time where there is one."""
    if value is None:
        return ""
    moment = moment_of(value)
    timed = moment is not None and (isinstance(value, datetime) or ":" in value)
    return f"{spoken_day(value)}, {moment:%H:%M}" if timed else spoken_day(value)


def moment_of(value: datetime | str | None) -> datetime | None:
    """The moment that a value of a view is; None for words that are none."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def segment(name: str) -> str:
    """A name as one part of an address, whatever is in it."""
    return quote(name, safe="", errors="replace")


WORDS: Final[Mapping[str, Callable[..., Any]]] = {
    "markdown": render,
    "say": say,
    "size": size,
    "plain_number": plain_number,
    "spoken": spoken,
    "segment": segment,
}
"""By the names that templates use."""
