"""What models were used: tokens and US dollars, by day (UTC), engine and model.

A use is added in the transaction that ends it (a turn, one engine's try at it, a summary), so that it counts once
whatever is tried again. Budgets are in `core.budget`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from sqlalchemy import func, select

from core.events import Usage
from core.spent import Spent
from core.store import tables
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.statements import AddRows

_USAGE = tables.usage
_KEY = ("day", "engine", "model")
_FIGURES = ("turns", "unpriced", "input", "output", "cached", "cost")
_ADD = AddRows(_USAGE, _KEY, _FIGURES)


@dataclass(frozen=True, slots=True)
class AddUsage(Change[None]):
    """A model (None: the engine has none) was used, today. `turns` is 0 for what was no turn."""

    step: ClassVar[Step] = Step.ADD_USAGE

    engine: str
    model: str | None
    usage: Usage
    turns: int = 1

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["AddUsage"]) -> Sequence[None]:
        """One write each, in the order of the keys: where several processes write, none waits for the other."""
        day = tx.at.date().isoformat()
        rows = [
            (
                day,
                change.engine,
                change.model or "",
                change.turns,
                int(change.usage.cost is None and bool(change.usage.input or change.usage.output)),
                change.usage.input,
                change.usage.output,
                change.usage.cached,
                change.usage.cost or 0.0,
            )
            for change in changes
        ]
        _ADD.run(tx.connection, sorted(rows))
        return [None] * len(changes)


@dataclass(frozen=True, slots=True)
class Used:
    """What was used of a model on a day. `cached` is part of `input`, `unpriced` counts uses of unknown cost."""

    day: date
    engine: str
    model: str | None
    turns: int
    unpriced: int
    input: int
    output: int
    cached: int
    cost: float


class UsageRows:
    """Reads what was used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def today(self) -> Spent:
        """All of this day (UTC)."""
        sums = (func.coalesce(func.sum(column), 0) for column in (_USAGE.c.input + _USAGE.c.output, _USAGE.c.cost))
        query = select(*sums).where(_USAGE.c.day == self._database.now().date().isoformat())
        tokens, cost = await self._database.peek(lambda connection: connection.execute(query).one())
        return Spent(int(tokens), float(cost))

    async def since(self, day: date) -> tuple[Used, ...]:
        """From this day (UTC) on, by day, engine and model, the newest day first."""
        query = select(_USAGE).where(_USAGE.c.day >= day.isoformat())
        query = query.order_by(_USAGE.c.day.desc(), _USAGE.c.engine, _USAGE.c.model)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(
            Used(date.fromisoformat(row.day), row.engine, row.model or None, *(getattr(row, name) for name in _FIGURES))
            for row in rows
        )
