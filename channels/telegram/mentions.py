"""Who a text is meant for: mentions of the bot, and commands that name a bot.

Telegram counts an entity's place in UTF-16 units; everything here that takes or gives a place says which units.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from channels.telegram.fields import Json, need_number, need_text, need_thing

_SEPARATOR_AFTER_NAME = re.compile(r"\s*[,:;]?(?=\s|$)\s*")


@dataclass(frozen=True, slots=True)
class Addressed:
    """A text without the bot's name at its edges. `to_other_bot`: it is a command that names another bot."""

    text: str
    mentioned: bool = False
    to_other_bot: bool = False


@dataclass(frozen=True, slots=True)
class _Span:
    """A piece of a text, in Python's own characters."""

    start: int
    end: int


def read_address(words: str, entities: Sequence[Json], bot_id: int, username: str | None) -> Addressed:
    """Find the bot's name and cut it out at the start and the end; in the middle it is part of the sentence.

    `/help@our_bot` becomes `/help`. `username` has no `@`; Telegram does not mind its case.
    """
    names: list[_Span] = []
    wanted = f"@{username}".lower() if username else None
    for kind, span, entity in _placed(words, entities):
        name = words[span.start : span.end].lower()
        if (kind == "mention" and name == wanted) or (kind == "text_mention" and _names(entity, bot_id)):
            names.append(span)
        elif kind == "bot_command" and "@" in name:
            if wanted is not None and name.endswith(wanted):
                return Addressed(_without_name_after_command(words, span, len(wanted)), mentioned=True)
            if span.start == 0:
                return Addressed(words, to_other_bot=True)
    if not names:
        return Addressed(words)
    return Addressed(_without_names_at_the_edges(words, names), mentioned=True)


def _placed(words: str, entities: Sequence[Json]) -> Iterator[tuple[str, _Span, Json]]:
    """The entities that can name a bot, in order, with their places in Python's characters."""
    units: bytes | None = None
    for entity in entities:
        kind = need_text(entity, "type")
        if kind not in ("mention", "text_mention", "bot_command"):
            continue
        start, length = need_number(entity, "offset"), need_number(entity, "length")
        if start < 0 or length < 0:
            raise ValueError("an entity lies outside its text")
        if units is None:
            units = words.encode("utf-16-le", "surrogatepass")
        yield kind, _Span(_characters(units, start), _characters(units, start + length)), entity


def _names(entity: Json, bot_id: int) -> bool:
    return need_number(need_thing(entity, "user"), "id") == bot_id


def _characters(units: bytes, place: int) -> int:
    """How many of Python's characters the first `place` UTF-16 units are."""
    return len(units[: 2 * place].decode("utf-16-le", "replace"))


def _without_name_after_command(words: str, command: _Span, name_length: int) -> str:
    return words[: command.end - name_length] + words[command.end :]


def _without_names_at_the_edges(words: str, names: Sequence[_Span]) -> str:
    start, end = 0, len(words)
    for name in names:
        if words[start : name.start].strip():
            break
        separator = _SEPARATOR_AFTER_NAME.match(words, name.end)
        start = separator.end() if separator else name.end
    for name in reversed(names):
        if name.start < start or words[name.end : end].strip():
            break
        end = name.start
    return words[start:end].strip()
