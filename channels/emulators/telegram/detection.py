"""Entities that nobody marked: commands, mentions, hashtags, addresses. Telegram finds them in every text.

Belongs here: the patterns, narrower than Telegram's where it does not matter to a bot (bare domains, phone numbers and
card numbers are not found).
"""

import re
from collections.abc import Sequence

from channels.emulators.telegram.text import CODE, Entity, units

_PATTERNS = {
    "bot_command": re.compile(
        r"(?<![\w/<>])/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32}(?!\w)|(?![\w@]))(?![/<>])", re.ASCII
    ),
    "mention": re.compile(r"(?<!\w)@[a-zA-Z0-9_]{4,32}(?!\w)"),
    "hashtag": re.compile(r"(?<![\w#])#(?=\d*[^\W\d_])\w{1,256}(?![\w#])"),
    "url": re.compile(r"(?<![\w/])https?://[^\s<>\"/?#]+\.[^\s<>\"/?#]+[^\s<>\"]*(?<![.,;:!?)'\"])"),
    "email": re.compile(r"(?<![\w.+-])[\w.+-]+@[a-zA-Z0-9-]+\.[a-zA-Z]{2,}(?!\w)", re.ASCII),
}
_MARKS = re.compile(r"[/@#]")


def found(text: str, marked: Sequence[Entity] = ()) -> tuple[Entity, ...]:
    """What Telegram adds to the entities that are `marked`, by place; nothing inside code or another link."""
    if not _MARKS.search(text):
        return ()
    taken = [e for e in marked if e.type in CODE or e.type in ("text_link", "text_mention")]
    entities: list[Entity] = []
    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            entity = Entity(kind, units(text[: match.start()]), units(match[0]))
            if not any(entity.crosses(other) for other in (*taken, *entities)):
                entities.append(entity)
    return tuple(entities)
