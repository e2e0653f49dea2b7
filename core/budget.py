"""Budgets: what a turn may use, by what was used before. Pure.

There are four, each its own setting: tokens and US dollars, of one answer and of a day (UTC). Where the figures of the
day come from and who is told is in `core.spending`, what a person is told in `core.problems`.
"""

from dataclasses import dataclass, field
from typing import Literal

from core.engines.base import Allowance
from core.settings import Settings
from core.spent import NOTHING
from core.spent import Spent as Spent

MILESTONES = (50, 80)
"""Percent of a day's budget at which the owner is told."""
ALL = 100
"""Told in place of one of them, where a single answer came past it to the end of the budget."""

Unit = Literal["tokens", "cost"]
Span = Literal["turn", "day"]


@dataclass(frozen=True, slots=True)
class Budget:
    """One of the four, and how much it is."""

    span: Span
    unit: Unit
    limit: float

    @property
    def setting(self) -> str:
        """The name of its setting."""
        return f"budget_{self.span}_{self.unit}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be used now, and whose limits these are."""

    allowance: Allowance = field(default_factory=Allowance)
    tokens_by: Budget | None = None
    cost_by: Budget | None = None

    def reached(self, used: Spent) -> Budget | None:
        """The budget that somebody who may use no more has come to."""
        if self.allowance.tokens is not None and used.tokens >= self.allowance.tokens:
            return self.tokens_by
        if self.allowance.cost is not None and used.cost >= self.allowance.cost:
            return self.cost_by
        return self.tokens_by or self.cost_by


@dataclass(frozen=True, slots=True)
class Milestone:
    """So much of a day's budget is used; `percent` is one of `MILESTONES`, or `ALL`."""

    budget: Budget
    percent: int


def allowed(settings: Settings, today: Spent, turn: Spent = NOTHING) -> Allowed | Budget:
    """What a turn may use that used `turn` already (which is part of `today`); the budget, where nothing is left."""
    least: dict[Unit, tuple[float, Budget]] = {}
    for budget in budgets(settings):
        used = today if budget.span == "day" else turn
        left = budget.limit - (used.tokens if budget.unit == "tokens" else used.cost)
        if left <= 0:
            return budget
        if budget.unit not in least or left < least[budget.unit][0]:
            least[budget.unit] = left, budget
    tokens, cost = least.get("tokens"), least.get("cost")
    allowance = Allowance(int(tokens[0]) if tokens else None, cost[0] if cost else None)
    return Allowed(allowance, tokens[1] if tokens else None, cost[1] if cost else None)


def milestones(settings: Settings, today: Spent) -> tuple[Milestone, ...]:
    """What the owner is to know about the day's budgets: of each the highest share that is reached."""
    reached = []
    for budget in budgets(settings):
        if budget.span == "day":
            used = today.tokens if budget.unit == "tokens" else today.cost
            shares = [percent for percent in (*MILESTONES, ALL) if used * 100 >= budget.limit * percent]
            reached += [Milestone(budget, max(shares))] if shares else []
    return tuple(reached)


def budgets(settings: Settings) -> tuple[Budget, ...]:
    """Those that are set, the day's first: it is the harder one to wait for."""
    all_four: tuple[tuple[Span, Unit, float | None], ...] = (
        ("day", "tokens", settings.budget_day_tokens),
        ("day", "cost", settings.budget_day_cost),
        ("turn", "tokens", settings.budget_turn_tokens),
        ("turn", "cost", settings.budget_turn_cost),
    )
    return tuple(Budget(span, unit, limit) for span, unit, limit in all_four if limit is not None)
