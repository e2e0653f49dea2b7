"""Typed words as the value of one field of a question: a label or a number of an option, a date in several spellings.

Pure, and careful: words that could mean two things are no value (then they are free text, which the model judges).
"""

import re
from typing import Any, Final, assert_never

from core.answers import fits, kept
from core.cards import ChoiceField, MomentField, NumberField, QuestionField, TextField

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        ),
        start=1,
    )
    for name in names
}

FULL_WIDTH: Final = str.maketrans({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)})
"""What East Asian keyboards write for ASCII. Superscripts and other shapes of digits were meant as what they are."""

_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_DOTTED: Final = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})", re.ASCII)
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_DAY_FIRST: Final = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th)? (?:of )?([a-z]+)\.?,? (\d{4})", re.ASCII)
_MONTH_FIRST: Final = re.compile(r"([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", re.ASCII)
_WEEKDAY: Final = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? ")
_TIME: Final = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))? ?(am|pm|a\.m\.|p\.m\.|h|o'clock|uhr)?", re.ASCII)
_DATE_AND_TIME: Final = re.compile(r"(.+?)(?:t(?=\d)| at |, ?| )(\d{1,2}(?:[:.h]\d{2})?(?: ?[apm.]{2,4})?)")
_NUMBER: Final = re.compile(r"([+-]?)(\d+)(?:([.,])(\d+))?", re.ASCII)
_COUNTS: Final = re.compile(r"[,;\s]+")
_LISTED: Final = re.compile(r",|;|\n| and | & ")


def from_words(field: QuestionField, words: str) -> Any | None:  # noqa: ANN401 - whatever kind of value the field has
    """The value that was typed, if it is surely one that the field takes; else None."""
    value = value_in(field, words)
    return value if fits(field, value) else None


def value_in(field: QuestionField, words: str) -> Any | None:  # noqa: ANN401 - whatever kind of value the field has
    """The value that was surely meant, whether the field takes it or not: the 30th of February is a date, too."""
    words = words.strip()
    match field:
        case ChoiceField():
            return kept(field, _choice(field, words))
        case MomentField():
            return kept(field, _moment(field.kind, " ".join(words.translate(FULL_WIDTH).lower().split())))
        case NumberField():
            return kept(field, _number(words.translate(FULL_WIDTH), field.unit))
        case TextField():
            return kept(field, words)
        case _:
            assert_never(field)


# ---- choices -------------------------------------------------------------------------------------------------------


def _choice(field: ChoiceField, words: str) -> Any:  # noqa: ANN401 - one id, or several
    one = _option(field, words)
    if one is not None:
        return one
    if field.multiple and (several := _several(field, words)):
        return several
    return words if field.other else None


def has_places(field: ChoiceField) -> bool:
    """Whether a typed number means an option's place: not where an option is called by such a number."""
    return not any(
        option.label.isascii() and option.label.isdigit() and len(option.label) <= 2 for option in field.options
    )


def _option(field: ChoiceField, words: str) -> str | None:
    """By its label, or by its place from 1; “1.” and “1)” count too."""
    wanted = _plain(words)
    for option in field.options:
        if wanted == _plain(option.label):
            return option.id
    if not has_places(field):
        return None
    place = words.translate(FULL_WIDTH).removesuffix(".").removesuffix(")")
    if place.isascii() and place.isdigit() and 1 <= int(place[:3]) <= len(field.options) and len(place) <= 2:
        return field.options[int(place) - 1].id
    return None


def _several(field: ChoiceField, words: str) -> list[str] | None:
    for separators in (_COUNTS, _LISTED):
        parts = [part.strip() for part in separators.split(words) if part.strip()]
        found = [_option(field, part) for part in parts]
        if len(parts) > 1 and None not in found:
            return [option for option in found if option is not None]
    return None


def _plain(words: str) -> str:
    return " ".join(words.replace("’", "'").casefold().split()).rstrip(".!")


# ---- dates and times -----------------------------------------------------------------------------------------------


def _moment(kind: str, words: str) -> str | None:
    if kind == "date":
        return _date(words)
    if kind == "time":
        return _time(words)
    found = _DATE_AND_TIME.fullmatch(words)
    if found is None:
        return None
    day, at = _date(found[1]), _time(found[2])
    return f"{day}T{at}" if day and at else None


def _date(words: str) -> str | None:
    words = _WEEKDAY.sub("", words, count=1)
    parts = _parts(words)
    if parts is None:
        return None
    year, month, day = parts
    return f"{year:04}-{month:02}-{day:02}"


def _parts(words: str) -> tuple[int, int, int] | None:
    """Year, month and day."""
    if found := _ISO.fullmatch(words):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _DOTTED.fullmatch(words):
        return int(found[3]), int(found[2]), int(found[1])
    if found := _SLASHED.fullmatch(words):
        return _slashed(int(found[1]), int(found[2]), int(found[3]))
    if (found := _DAY_FIRST.fullmatch(words)) and (month := _MONTHS.get(found[2])):
        return int(found[3]), month, int(found[1])
    if (found := _MONTH_FIRST.fullmatch(words)) and (month := _MONTHS.get(found[1])):
        return int(found[3]), month, int(found[2])
    return None


def _slashed(first: int, second: int, year: int) -> tuple[int, int, int] | None:
    """3/4/2026 is in March or in April, depending on who writes it; 24/12/2026 is clear."""
    if first > 12 or first == second:
        return year, second, first
    return (year, first, second) if second > 12 else None


def _time(words: str) -> str | None:
    found = _TIME.fullmatch(words)
    if found is None or (found[2] is None and found[3] is None):  # a lone 9 may be nine in the evening
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02}:{minute:02}"


# ---- numbers -------------------------------------------------------------------------------------------------------


def _number(words: str, unit: str | None) -> float | int | None:
    """Decimals after a point or a comma; 1,000 and 1.000 may be a thousand or a one, so they are neither."""
    words = words.strip()
    if unit:
        for end in (words.casefold().removesuffix(unit.casefold()), words.casefold().removeprefix(unit.casefold())):
            if end != words.casefold():
                words = end.strip()
                break
    found = _NUMBER.fullmatch(words.replace("−", "-"))
    if found is None or len(words) > 30:
        return None
    if found[3] and len(found[4]) == 3 and len(found[2]) <= 3 and found[2] != "0":
        return None
    sign = -1 if found[1] == "-" else 1
    return sign * (float(f"{found[2]}.{found[4]}") if found[4] else int(found[2]))
