"""What was used counts once, on its day."""

import asyncio
from datetime import date

import pytest

from core.clock import ManualClock
from core.errors import StoreUnavailable
from core.events import Usage
from core.spent import Spent
from core.store.database import Database
from core.store.usage import AddUsage, UsageRows, Used

FIRST, SECOND = date(2026, 1, 1), date(2026, 1, 2)
DAY = 86_400.0


@pytest.fixture
def usage(database: Database) -> UsageRows:
    return UsageRows(database)


async def test_uses_of_a_model_add_up_on_a_day(database: Database, usage: UsageRows) -> None:
    await database.commit(AddUsage("claude", "opus", Usage(input=100, output=10, cached=60, cost=0.5)))
    await database.commit(AddUsage("claude", "opus", Usage(input=1, output=2, cached=1, cost=0.25)))

    assert await usage.since(FIRST) == (Used(FIRST, "claude", "opus", 2, 0, 101, 12, 61, 0.75),)
    assert await usage.today() == Spent(113, 0.75)


async def test_models_engines_and_days_are_kept_apart(database: Database, usage: UsageRows, clock: ManualClock) -> None:
    await database.commit(AddUsage("claude", "opus", Usage(input=1, cost=1)))
    await clock.advance(DAY)
    for engine, model in (("ollama", None), ("claude", "haiku"), ("claude", "opus")):
        await database.commit(AddUsage(engine, model, Usage(input=2, cost=0)))

    rows = [(row.day, row.engine, row.model) for row in await usage.since(FIRST)]
    assert rows == [
        (SECOND, "claude", "haiku"),
        (SECOND, "claude", "opus"),
        (SECOND, "ollama", None),
        (FIRST, "claude", "opus"),
    ]
    assert await usage.today() == Spent(6, 0)
    assert len(await usage.since(SECOND)) == 3


async def test_a_day_without_any_use_has_spent_nothing(usage: UsageRows) -> None:
    assert await usage.today() == Spent()


async def test_uses_of_unknown_cost_are_counted_and_those_of_nothing_are_not(
    database: Database, usage: UsageRows
) -> None:
    await database.commit(AddUsage("m", None, Usage(input=1)), AddUsage("m", None, Usage()))

    [row] = await usage.since(FIRST)
    assert (row.turns, row.unpriced, row.cost) == (2, 1, 0)


async def test_what_was_no_turn_is_used_all_the_same(database: Database, usage: UsageRows) -> None:
    await database.commit(AddUsage("m", None, Usage(output=5, cost=0.1), turns=0))

    [row] = await usage.since(FIRST)
    assert (row.turns, row.output, row.cost) == (0, 5, 0.1)


async def test_many_at_once_lose_nothing(database: Database, usage: UsageRows) -> None:
    models = ("a", "b", None)

    await asyncio.gather(*(database.commit(AddUsage("m", models[number % 3], Usage(input=1))) for number in range(60)))

    assert [(row.model, row.input) for row in await usage.since(FIRST)] == [(None, 20), ("a", 20), ("b", 20)]


async def test_more_than_fits_32_bits_can_be_used(database: Database, usage: UsageRows) -> None:
    for _ in range(2):
        await database.commit(AddUsage("m", None, Usage(input=2**33, cached=2**33)))

    assert await usage.today() == Spent(2**34, 0)


async def test_what_is_not_stored_is_not_counted(database: Database, usage: UsageRows) -> None:
    await database.close()

    with pytest.raises(StoreUnavailable):
        await database.commit(AddUsage("m", None, Usage(input=1)))
