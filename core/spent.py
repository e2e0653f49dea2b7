"""What was used, as budgets count it."""

from dataclasses import dataclass

from core.events import Usage


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens in and out together, and US dollars as far as they are known."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.tokens + other.tokens, self.cost + other.cost)


NOTHING = Spent()


def spent(usage: Usage | None) -> Spent:
    """What a usage counts for."""
    return Spent(usage.input + usage.output, usage.cost or 0.0) if usage else NOTHING
