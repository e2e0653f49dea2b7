"""What the demo keeps of one conversation, and how it is stored. What is written into it is the scripts' to say."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from core.engines.base import Compacted
from core.engines.demo.quoting import shortened

KEPT_FACTS = 20
FACT_LENGTH = 300

SUMMARY_LENGTH = 2_000
"""Characters of the line that older facts are folded into."""

_NOTHING_TOLD = "nothing that you wanted me to remember"


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    turns: int = 0
    facts: tuple[str, ...] = ()
    turn_seq: int = 0
    folded: int = 0
    summary: str = ""


class Notebook:
    """How many turns there were, and the newest 20 facts it was told, each at most 300 characters.

    `turn_seq` is where the newest turn begins in the log. `folded` turns have become the `summary`, one line.
    """

    def __init__(
        self, turns: int = 0, facts: tuple[str, ...] = (), turn_seq: int = 0, folded: int = 0, summary: str = ""
    ) -> None:
        self.turns = turns
        self.turn_seq = turn_seq
        self._facts = deque(facts, maxlen=KEPT_FACTS)
        self._folded = folded
        self.summary = summary

    @classmethod
    def from_state(cls, state: Mapping[str, Any] | None) -> "Notebook":
        """As it was stored; an empty one where that cannot be read."""
        try:
            stored = _Stored.model_validate(state or {})
        except ValidationError:
            stored = _Stored()
        return cls(stored.turns, stored.facts, stored.turn_seq, stored.folded, stored.summary)

    @property
    def facts(self) -> tuple[str, ...]:
        """What it was told, oldest first."""
        return tuple(self._facts)

    def remember(self, fact: str) -> None:
        """Keep a fact; what was known already becomes the newest."""
        fact = shortened(" ".join(fact.split()), FACT_LENGTH)
        if fact in self._facts:
            self._facts.remove(fact)
        self._facts.append(fact)

    def fold(self) -> Compacted | None:
        """Make one line of everything before the newest turn; None when there is nothing before it."""
        turns = self.turns - 1 - self._folded
        if turns < 1:
            return None
        told = "; ".join(part for part in (self.summary, *self._facts) if part)
        # Of a line that is too long the newest facts are at its end.
        self.summary = told if len(told) <= SUMMARY_LENGTH else "…" + told[1 - SUMMARY_LENGTH :]
        self._folded += turns
        self._facts.clear()
        return Compacted(f"You told me: {self.summary or _NOTHING_TOLD}.", self.turn_seq, turns)

    def state(self) -> dict[str, Any]:
        """As JSON."""
        told = {"turns": self.turns, "facts": list(self._facts), "turn_seq": self.turn_seq}
        return {**told, "folded": self._folded, "summary": self.summary} if self._folded else told
