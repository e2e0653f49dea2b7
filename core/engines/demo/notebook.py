"""What the demo keeps of one conversation, and how it is stored. What is written into it is the scripts' to say."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from core.engines.demo.quoting import shortened

KEPT_FACTS = 20
FACT_LENGTH = 300


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    turns: int = 0
    facts: tuple[str, ...] = ()


class Notebook:
    """How many turns there were, and the newest 20 facts it was told, each at most 300 characters."""

    def __init__(self, turns: int = 0, facts: tuple[str, ...] = ()) -> None:
        self.turns = turns
        self._facts = deque(facts, maxlen=KEPT_FACTS)

    @classmethod
    def from_state(cls, state: Mapping[str, Any] | None) -> "Notebook":
        """As it was stored; an empty one where that cannot be read."""
        try:
            stored = _Stored.model_validate(state or {})
        except ValidationError:
            stored = _Stored()
        return cls(stored.turns, stored.facts)

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

    def state(self) -> dict[str, Any]:
        """As JSON."""
        return {"turns": self.turns, "facts": list(self._facts)}
