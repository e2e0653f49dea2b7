"""Replies to send next: which words become chips under an answer, and when they may stand there.

Pure but for `Suggested`, which keeps what the assistant suggested until its turn ends. How chips are drawn, and that
they go as soon as anything newer is in the chat, is the drawings' business.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.cards import ReplySuggestion
from core.conversation_state import ConversationState
from core.events import EventData, OfferShown, Replies, Tainted
from core.plain import plain

MAX_REPLIES: Final = 3
MAX_REPLY: Final = 120
"""Characters of a chip; what is longer is dropped, for a cut one would send other words."""

CHARTS: Final = False
"""Whether something here can make a chart, so that Conch may suggest one: not before there is a tool for it."""

REPLIES_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "replies": {
            "type": "array",
            "description": "Whole messages in the person's words, exactly as they would be sent. [] takes them back.",
            "maxItems": MAX_REPLIES,
            "items": {"type": "string", "maxLength": MAX_REPLY},
        }
    },
    "required": ["replies"],
    "additionalProperties": False,
}

FILLER: Final = frozenset(
    {
        *(
            "ok",
            "okay",
            "yes",
            "no",
            "yes please",
            "no thanks",
            "sure",
            "great",
            "cool",
            "nice",
            "got it",
            "sounds good",
        ),
        *(
            "thanks",
            "thank you",
            "thank you very much",
            "thanks a lot",
            "perfect",
            "yep",
            "nope",
            "please",
            "please do",
        ),
        *("tell me more", "more", "go on", "continue", "please continue", "go ahead", "what else", "anything else"),
        *("hello", "hi", "bye", "goodbye", "i see", "interesting", "why", "how", "what", "help", "next"),
    }
)
"""What a person types faster than they find it on a chip."""

CHART_IT: Final = "Show it as a chart"

FEWEST_ROWS: Final = 2
"""Of a table that makes a chart."""


def replies_from(args: Mapping[str, Any]) -> tuple[ReplySuggestion, ...] | str:
    """The chips that `suggest_replies` was given (none takes earlier ones back), or what the model has to fix."""
    given = args.get("replies")
    if not isinstance(given, list | tuple):
        return f"Nothing is suggested. `replies` must be a list of up to {MAX_REPLIES} texts."
    kept: dict[str, str] = {}
    for words in given:
        line = plain(words, MAX_REPLY + 1) if isinstance(words, str) else ""
        meant = _meaning(line)
        if 1 <= len(line) <= MAX_REPLY and meant and meant not in FILLER:
            kept.setdefault(meant, line)
    return tuple(ReplySuggestion(text=line) for line in list(kept.values())[:MAX_REPLIES])


def _meaning(line: str) -> str:
    """What two chips have in common that say the same."""
    return " ".join(re.sub(r"[^\w\s']|_", " ", line.casefold().replace("’", "'")).split())


# ---- Conch's own ---------------------------------------------------------------------------------------------------


def own_replies(words: str, *, charts: bool = CHARTS) -> tuple[ReplySuggestion, ...]:
    """What Conch suggests by itself after an answer: a chart, where it has a table with numbers."""
    return (ReplySuggestion(text=CHART_IT),) if charts and _has_table_of_numbers(words) else ()


def _has_table_of_numbers(markdown: str) -> bool:
    """Outside code, two rows or more, and a column other than the first that is all numbers."""
    lines = _FENCED.sub("\n", markdown).split("\n")
    return any(
        _RULE.fullmatch(line) and "|" in line and _has_numbers(_rows_after(lines, at))
        for at, line in enumerate(lines)
        if at > 0 and "|" in lines[at - 1]
    )


def _rows_after(lines: Sequence[str], rule: int) -> list[list[str]]:
    rows = []
    for line in lines[rule + 1 :]:
        if "|" not in line:
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return rows


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) < FEWEST_ROWS:
        return False
    columns = range(1, min(len(row) for row in rows))
    return any(all(_NUMBER.fullmatch(row[column]) for row in rows) for column in columns)


_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_RULE: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")
_NUMBER: Final = re.compile(r"[-+−]?[$€£¥]?\s?\d[\d., ’']*\s?(?:%|[$€£¥]|[A-Za-z]{1,4})?")


# ---- at the end of a turn ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Suggested:
    """What the assistant suggests in the turn that runs; the last call wins."""

    replies: tuple[ReplySuggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Chips:
    """What may stand under the answer of a turn that went well and has somebody there."""

    assistant: tuple[ReplySuggestion, ...] = ()
    conch: tuple[ReplySuggestion, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to show at all."""
        return bool(self.assistant or self.conch)

    def events(self, state: ConversationState, ending: Sequence[EventData]) -> tuple[EventData, ...]:
        """What follows `ending` in a conversation that is so; nothing where something else waits for the person.

        Words that came from outside may have put words into the assistant's mouth: then only Conch's own are shown.
        """
        if state.open_offers or any(isinstance(event, OfferShown) for event in ending):
            return ()
        tainted = state.tainted or any(isinstance(event, Tainted) for event in ending)
        if self.assistant and not tainted:
            return (Replies(replies=self.assistant),)
        return (Replies(replies=self.conch, by="conch"),) if self.conch else ()


NO_CHIPS: Final = Chips()
