"""What Telegram itself makes of HTML: TDLib's parser, the one inside the Bot API server, without a network."""

import json
from dataclasses import dataclass
from typing import Any

import tdjson

tdjson.td_execute(json.dumps({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0}).encode())


@dataclass(frozen=True, slots=True)
class Entity:
    """A formatted stretch; `kind` as TDLib names it, `about` its address or language."""

    kind: str
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a person would see."""

    text: str
    entities: tuple[Entity, ...]

    @property
    def length(self) -> int:
        """UTF-16 units."""
        return len(self.text.encode("utf-16-le")) // 2


def parse_html(html: str) -> Parsed:
    """The parsed text; an AssertionError with Telegram's words where it refuses the HTML."""
    request = {"@type": "parseTextEntities", "text": html, "parse_mode": {"@type": "textParseModeHTML"}}
    answer: dict[str, Any] = json.loads(tdjson.td_execute(json.dumps(request).encode()) or b"{}")
    assert answer["@type"] == "formattedText", f"{answer['message']}: {html}"
    return Parsed(answer["text"], tuple(entity(answer["text"], found) for found in answer["entities"]))


def entity(text: str, found: dict[str, Any]) -> Entity:
    """One entity with the words it is about."""
    units = text.encode("utf-16-le")
    words = units[2 * found["offset"] : 2 * (found["offset"] + found["length"])].decode("utf-16-le")
    kind = found["type"]
    return Entity(kind["@type"].removeprefix("textEntityType"), words, kind.get("url") or kind.get("language") or "")
