"""What a turn may use, by the settings and by what was used before."""

from typing import Any

import pytest

from core.budget import Allowed, Budget, Milestone, allowed, milestones
from core.engines.base import Allowance
from core.events import Usage
from core.settings import Settings
from core.spent import NOTHING, Spent, spent


def settings(**given: Any) -> Settings:
    return Settings(**given)


def allowance(today: Spent, turn: Spent = NOTHING, **given: Any) -> Allowance:
    found = allowed(settings(**given), today, turn)
    assert isinstance(found, Allowed)
    return found.allowance


def test_without_budgets_there_is_no_limit() -> None:
    assert allowance(Spent(10**9, 10**6)) == Allowance()


@pytest.mark.parametrize(
    ("given", "today", "left"),
    [
        ({"budget_turn_tokens": 100}, Spent(500), Allowance(100)),
        ({"budget_day_tokens": 1_000}, Spent(400), Allowance(600)),
        ({"budget_turn_tokens": 100, "budget_day_tokens": 1_000}, Spent(400), Allowance(100)),
        ({"budget_turn_tokens": 100, "budget_day_tokens": 1_000}, Spent(950), Allowance(50)),
        ({"budget_turn_cost": 1, "budget_day_cost": 4}, Spent(cost=3.5), Allowance(None, 0.5)),
        ({"budget_turn_tokens": 100, "budget_day_cost": 4}, Spent(9, 3), Allowance(100, 1)),
    ],
)
def test_a_turn_may_use_the_smaller_of_its_budget_and_what_is_left_of_the_day(
    given: dict[str, Any], today: Spent, left: Allowance
) -> None:
    assert allowance(today, **given) == left


@pytest.mark.parametrize(
    ("given", "today", "budget"),
    [
        ({"budget_day_tokens": 1_000}, Spent(1_000), Budget("day", "tokens", 1_000)),
        ({"budget_day_tokens": 1_000, "budget_turn_tokens": 5}, Spent(2_000), Budget("day", "tokens", 1_000)),
        ({"budget_day_tokens": 1_000, "budget_day_cost": 2}, Spent(1, 2), Budget("day", "cost", 2)),
    ],
)
@pytest.mark.report("R199")
def test_where_nothing_is_left_of_the_day_nothing_is_allowed(
    given: dict[str, Any], today: Spent, budget: Budget
) -> None:
    assert allowed(settings(**given), today) == budget


def test_what_the_turn_used_already_counts_against_its_own_budget() -> None:
    given = {"budget_turn_tokens": 100}

    assert allowance(Spent(70), Spent(70), **given) == Allowance(30)
    assert allowed(settings(**given), Spent(100), Spent(100)) == Budget("turn", "tokens", 100)


def test_the_limit_that_was_come_to_can_be_named() -> None:
    found = allowed(settings(budget_turn_tokens=100, budget_day_cost=4), Spent(0, 3))

    assert isinstance(found, Allowed)
    assert found.reached(Spent(120, 0.1)) == Budget("turn", "tokens", 100)
    assert found.reached(Spent(20, 1.1)) == Budget("day", "cost", 4)


def test_a_budget_is_a_setting() -> None:
    names = {Budget(span, unit, 1).setting for span in ("turn", "day") for unit in ("tokens", "cost")}

    assert names <= set(Settings.model_fields)


@pytest.mark.parametrize(
    ("used", "percent"),
    [(0, None), (499, None), (500, 50), (799, 50), (800, 80), (999, 80), (1_000, 100), (5_000, 100)],
)
def test_half_of_a_day_and_most_of_it_are_milestones(used: int, percent: int | None) -> None:
    found = milestones(settings(budget_day_tokens=1_000, budget_turn_tokens=1), Spent(used))

    assert found == ((Milestone(Budget("day", "tokens", 1_000), percent),) if percent else ())


def test_tokens_and_dollars_have_milestones_of_their_own() -> None:
    found = milestones(settings(budget_day_tokens=100, budget_day_cost=10), Spent(60, 8))

    assert [(one.budget.unit, one.percent) for one in found] == [("tokens", 50), ("cost", 80)]


def test_a_usage_counts_tokens_in_and_out_and_its_cost_where_it_is_known() -> None:
    assert spent(Usage(input=10, output=5, cached=8, cost=0.5)) == Spent(15, 0.5)
    assert spent(Usage(input=1)) + spent(None) == Spent(1, 0)
