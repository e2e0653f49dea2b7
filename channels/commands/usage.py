"""The command about what was used: tokens and US dollars, today and this month, and what budgets leave."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

from channels.commands.call import CommandCall, Reply
from channels.formatting.parts import literal
from core.budget import Budget, Spent, budgets
from core.preferences import Preferences
from core.settings import Settings
from core.store.usage import UsageRows, Used

MOST_MODELS: Final = 8
"""Lines about models; what else was used is in one more."""

_TITLES: Final = {
    "budget_day_tokens": "Tokens a day",
    "budget_day_cost": "Dollars a day",
    "budget_turn_tokens": "Tokens an answer",
    "budget_turn_cost": "Dollars an answer",
}


class Usage:
    """Shows the sums, by model too. Days and months are UTC, as budgets are."""

    def __init__(self, rows: UsageRows, preferences: Preferences, now: Callable[[], datetime]) -> None:
        self._rows = rows
        self._preferences = preferences
        self._now = now

    async def run(self, call: CommandCall) -> Reply:
        """Everything in one message."""
        today = self._now().date()
        month = await self._rows.since(today.replace(day=1))
        of_today = [one for one in month if one.day == today]
        parts = [f"**Today** (UTC): {_sum(of_today)}\n**This month**: {_sum(month)}"]
        if month:
            parts.append("\n".join(["**By model, this month**", *_by_model(month)]))
        parts.append(_budgets(call, self._preferences.current, _spent(of_today)))
        unpriced = sum(one.unpriced for one in month)
        if unpriced:
            parts.append(f"The price of {unpriced:,} {'use is' if unpriced == 1 else 'uses is'} not known, so the")
            parts[-1] += " dollars leave that out."
        return Reply("\n\n".join(parts))


def _spent(used: Iterable[Used]) -> Spent:
    return sum((Spent(one.input + one.output, one.cost) for one in used), Spent())


def _sum(used: Sequence[Used]) -> str:
    if not used:
        return "nothing"
    answers = sum(one.turns for one in used)
    return f"{said_spent(_spent(used))}, {answers:,} {'answer' if answers == 1 else 'answers'}"


def said_spent(spent: Spent) -> str:
    """Dollars and tokens as a person reads them."""
    return f"{dollars(spent.cost)}, {spent.tokens:,} tokens"


def dollars(cost: float) -> str:
    """An amount; a very small one is not shown as nothing."""
    return "less than $0.01" if 0 < cost < 0.005 else f"${cost:,.2f}"


def _by_model(month: Sequence[Used]) -> list[str]:
    sums: dict[str, Spent] = {}
    for one in month:
        name = f"{one.model} ({one.engine})" if one.model else one.engine
        sums[name] = sums.get(name, Spent()) + Spent(one.input + one.output, one.cost)
    ordered = sorted(sums.items(), key=lambda item: (-item[1].cost, -item[1].tokens, item[0]))
    lines = [f"- {literal(name)}: {said_spent(spent)}" for name, spent in ordered[:MOST_MODELS]]
    rest = ordered[MOST_MODELS:]
    if rest:
        lines.append(f"- {len(rest)} more: {said_spent(sum((spent for _, spent in rest), Spent()))}")
    return lines


def _budgets(call: CommandCall, settings: Settings, today: Spent) -> str:
    lines = [f"- {title}: {left}" for title, left in day_left(settings, today)]
    lines += [f"- {_TITLES[one.setting]}: {_amount(one, one.limit)}" for one in budgets(settings) if one.span == "turn"]
    where = call.written(name="settings")
    if not lines:
        return f"No budget is set. {where} sets one."
    return "\n".join(["**Budgets**", *lines, "", f"A day's budget starts anew at 00:00 UTC. {where} changes it."])


def day_left(settings: Settings, today: Spent) -> list[tuple[str, str]]:
    """What the budgets of the day leave: the name of each, and the words."""
    return [(_TITLES[budget.setting], _left(budget, today)) for budget in budgets(settings) if budget.span == "day"]


def _left(budget: Budget, today: Spent) -> str:
    left = max(0.0, budget.limit - (today.tokens if budget.unit == "tokens" else today.cost))
    return f"{_amount(budget, left)} left of {_amount(budget, budget.limit)}"


def _amount(budget: Budget, amount: float) -> str:
    return f"{int(amount):,}" if budget.unit == "tokens" else f"${amount:,.2f}"
