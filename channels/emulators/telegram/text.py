"""Text as Telegram holds it: lengths in UTF-16, entities, and what becomes of a text before anyone sees it.

Belongs here: entities, cleaning, trimming, and putting entities in order. Reading markup belongs to `html`, finding
links and commands to `detection`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

CODE = frozenset({"pre", "code"})
"""Nothing else is drawn inside these."""

SPLITTABLE = ("bold", "italic", "underline", "strikethrough", "spoiler")
"""These may begin and end anywhere, also inside one another."""

QUOTES = frozenset({"blockquote", "expandable_blockquote"})

_ORDER = (
    "blockquote",
    "expandable_blockquote",
    "pre",
    "code",
    "text_link",
    "text_mention",
    "custom_emoji",
    *SPLITTABLE,
)
_PRIORITY = {kind: place for place, kind in enumerate(_ORDER)}

_DROPPED = re.compile("[\r\u2028-\u202e\u0333\u033f\u030a]")
_BLANKED = re.compile("[\x00-\x09\x0b-\x1f]")
_INVISIBLE = (
    "\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u2800\ufeff"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of text with a meaning. `offset` and `length` are in UTF-16 code units."""

    type: str
    offset: int
    length: int
    url: str | None = None
    user_id: int | None = None
    language: str | None = None
    custom_emoji_id: str | None = None
    unix_time: int | None = None
    date_time_format: str | None = None

    @property
    def end(self) -> int:
        """Where the stretch is over."""
        return self.offset + self.length

    def crosses(self, other: "Entity") -> bool:
        """Whether the two share a unit."""
        return self.offset < other.end and other.offset < self.end

    def to_json(self) -> dict[str, Any]:
        """The entity as Telegram sends it; `user_id` stays a number, the message puts the person in its place."""
        given = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: value for name, value in given if value is not None}


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text with its entities, as it is stored and shown."""

    text: str = ""
    entities: tuple[Entity, ...] = ()


NOTHING_SAID = Formatted()


def units(text: str) -> int:
    """How long Telegram finds a text: its UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def ordered(entities: Iterable[Entity]) -> list[Entity]:
    """By place; the outer before the inner."""
    return sorted(entities, key=lambda e: (e.offset, -e.length, _PRIORITY.get(e.type, len(_PRIORITY))))


def is_blank(text: str) -> bool:
    """Whether a person would see nothing."""
    return not text.strip().strip(_INVISIBLE).strip()


def settle(text: str, entities: Sequence[Entity]) -> Formatted:
    """What Telegram keeps of a text: cleaned, trimmed, entities merged and the impossible ones dropped."""
    cleaned, entities = _clean(text, entities)
    trimmed, entities = _trim(cleaned, entities)
    return Formatted(trimmed, tuple(_compatible(entities)))


def _clean(text: str, entities: Sequence[Entity]) -> tuple[str, Sequence[Entity]]:
    """Control characters become spaces; carriage returns and marks that turn or strike lines go."""
    blanked = _BLANKED.sub(" ", text.replace("\r", "\u2028"))
    if not _DROPPED.search(blanked):
        return blanked, entities
    gone = [units(blanked[: match.start()]) for match in _DROPPED.finditer(blanked)]

    def moved(place: int) -> int:
        return place - sum(1 for removed in gone if removed < place)

    kept = [
        replace(e, offset=moved(e.offset), length=moved(e.end) - moved(e.offset))
        for e in entities
        if moved(e.end) > moved(e.offset)
    ]
    return _DROPPED.sub("", blanked), kept


def _trim(text: str, entities: Sequence[Entity]) -> tuple[str, Sequence[Entity]]:
    trimmed = text.strip(" \n")
    if trimmed == text:
        return text, entities
    lead, length = len(text) - len(text.lstrip(" \n")), units(trimmed)
    cut = [(e, max(0, e.offset - lead), min(length, e.end - lead)) for e in entities]
    return trimmed, [replace(e, offset=start, length=end - start) for e, start, end in cut if end > start]


def _compatible(entities: Sequence[Entity]) -> list[Entity]:
    """Quotes do not nest, code holds nothing else, equal styles that touch are one."""
    if not entities:
        return []
    quotes: list[Entity] = []
    solid: list[Entity] = []
    loose: dict[str, list[tuple[int, int]]] = {}
    for entity in ordered(entities):
        if entity.type in QUOTES:
            _keep_first(quotes, entity)
        elif entity.type in SPLITTABLE:
            loose.setdefault(entity.type, []).append((entity.offset, entity.end))
        else:
            _keep_first(solid, entity)
    code = [(e.offset, e.end) for e in solid if e.type in CODE]
    styles = [
        Entity(kind, start, end - start)
        for kind, spans in loose.items()
        for start, end in _without(_merged(spans), code)
    ]
    return ordered([*quotes, *solid, *styles])


def _keep_first(kept: list[Entity], entity: Entity) -> None:
    if not any(entity.crosses(other) for other in kept[-1:]):
        kept.append(entity)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _without(spans: list[tuple[int, int]], holes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    left: list[tuple[int, int]] = []
    for start, end in spans:
        place = start
        for hole_start, hole_end in holes:
            if hole_end <= place or hole_start >= end:
                continue
            if place < hole_start:
                left.append((place, hole_start))
            place = hole_end
        if place < end:
            left.append((place, end))
    return left
