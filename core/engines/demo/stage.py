"""What every script of the demo plays on, and the ways of speaking that they share."""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from core.engines.base import Text, TurnInput
from core.engines.demo.notebook import Notebook
from core.engines.script import Steps, Wait

LABEL = "**Demo:** "
"""The first words of every answer."""

CHUNK = 24
"""Characters of one streamed piece, about."""

CHUNK_SECONDS = 0.03

_WORDS = re.compile(r"\s*\S+\s*")


class Group(StrEnum):
    """What belongs together in a list, by its heading; in the order of the list."""

    ANSWERS = "Answers"
    MEMORY = "Memory"
    FILES = "Files"
    QUESTIONS = "Questions to you"
    PLANS = "Plans"
    APPS = "Apps and skills"
    FAILURES = "Failures"
    LISTS = "Lists"
    """Of what there is: they are not in a list themselves."""


@dataclass(frozen=True, slots=True)
class Journey:
    """Something to try: one sentence that a person types, and what it shows.

    `cue` is looked for anywhere in a short message, so that a cue inside a long text starts nothing. Where the journey
    `takes_words`, it must stand at the beginning of one of any length, and its group `words` is what is played with.
    """

    group: Group
    sentence: str
    shows: str
    cue: re.Pattern[str]
    play: "Callable[[Stage, str], Steps]"
    takes_words: bool = False
    changes_something: bool = False
    """In plan mode it is planned instead."""
    beyond_words: bool = False
    """It makes, does or asks something, which not everybody gets."""


def journey(
    group: Group,
    sentence: str,
    shows: str,
    cue: str,
    play: "Callable[[Stage, str], Steps]",
    *,
    takes_words: bool = False,
    changes_something: bool = False,
    beyond_words: bool = False,
) -> Journey:
    """With the cue as a pattern that minds neither case nor line ends."""
    pattern = re.compile(cue, re.IGNORECASE | re.DOTALL)
    return Journey(group, sentence, shows, pattern, play, takes_words, changes_something, beyond_words)


@dataclass(frozen=True, slots=True)
class Stage:
    """One turn as its script sees it."""

    turn: TurnInput
    notebook: Notebook
    journeys: tuple[Journey, ...]
    hint: str
    native: bool
    """It asks the person and keeps its plan by itself; otherwise through host tools."""
    today: date
    skill: str | None = None
    """The name of the skill that came with the person's words, to be followed."""
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_id(self) -> str:
        """An id that no other call in this conversation has."""
        return f"demo-{self.notebook.turns}-{next(self._ids)}"

    def has_tool(self, name: str) -> bool:
        """Whether the host gave this tool."""
        return any(tool.name == name for tool in self.turn.tools)


def say(text: str, seconds: float = CHUNK_SECONDS) -> Steps:
    """Stream words in small pieces, with a wait of `seconds` before each but the first."""
    for number, piece in enumerate(pieces(text)):
        if number:
            yield Wait(seconds)
        yield Text(piece)


def pieces(text: str, size: int = CHUNK) -> Iterator[str]:
    """The text in pieces of whole words, white space included; a piece ends with the word that reaches `size`."""
    piece = ""
    for word in _WORDS.findall(text):
        piece += word
        if len(piece) >= size:
            yield piece
            piece = ""
    if piece:
        yield piece
