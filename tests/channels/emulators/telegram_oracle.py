"""TDLib, which Telegram's own Bot API server runs, asked what it makes of a text. No network, no account."""

import json
from functools import cache
from typing import Any

import tdjson

from channels.emulators.telegram.text import Entity

KINDS = {
    "Bold": "bold",
    "Italic": "italic",
    "Underline": "underline",
    "Strikethrough": "strikethrough",
    "Spoiler": "spoiler",
    "Code": "code",
    "Pre": "pre",
    "PreCode": "pre",
    "TextUrl": "text_link",
    "MentionName": "text_mention",
    "BlockQuote": "blockquote",
    "ExpandableBlockQuote": "expandable_blockquote",
    "CustomEmoji": "custom_emoji",
    "DateTime": "date_time",
    "BotCommand": "bot_command",
    "Mention": "mention",
    "Hashtag": "hashtag",
    "Url": "url",
    "EmailAddress": "email",
}

Found = tuple[str, int, int, str]
"""An entity's kind, offset, length and what it carries."""


@cache
def _quiet() -> None:
    tdjson.td_execute(json.dumps({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0}).encode())


def ask(function: str, **values: Any) -> dict[str, Any]:
    _quiet()
    answer: dict[str, Any] = json.loads(tdjson.td_execute(json.dumps({"@type": function, **values}).encode()) or "{}")
    return answer


def parse(markup: str) -> dict[str, Any]:
    """The formatted text, or the error, of Telegram's HTML."""
    return ask("parseTextEntities", text=markup, parse_mode={"@type": "textParseModeHTML"})


def settle(formatted: dict[str, Any]) -> dict[str, Any]:
    """What TDLib keeps of a formatted text; of one without Markdown, whose marks it would read."""
    return ask("parseMarkdown", text=formatted)


def detect(text: str) -> list[Found]:
    """What TDLib finds in a text that nobody marked."""
    return found(ask("getTextEntities", text=text))


def found(formatted: dict[str, Any]) -> list[Found]:
    entities = []
    for entity in formatted["entities"]:
        kind = entity["type"]
        name = KINDS.get(kind["@type"].removeprefix("textEntityType"))
        if name is not None:
            carried = [
                kind[key] for key in ("url", "user_id", "language", "custom_emoji_id", "unix_time") if key in kind
            ]
            entities.append((name, entity["offset"], entity["length"], str(carried[0]) if carried else ""))
    return sorted(entities)


def ours(entities: tuple[Entity, ...]) -> list[Found]:
    """Our entities in the same shape."""
    return sorted(
        (e.type, e.offset, e.length, str(e.url or e.user_id or e.language or e.custom_emoji_id or e.unix_time or ""))
        for e in entities
    )


def coverage(text: str, entities: list[Found]) -> list[set[str]]:
    """Which kinds lie on each UTF-16 unit: what a person sees, however it is cut up."""
    units: list[set[str]] = [set() for _ in range(len(text.encode("utf-16-le")) // 2)]
    for kind, offset, length, _ in entities:
        for unit in units[offset : offset + length]:
            unit.add(kind)
    return units
