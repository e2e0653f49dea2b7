"""Rows that go from state to state: each way is one conditional update, and one that comes too late changes nothing.

Which states there are and what the ways mean is in the module of the concern.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

from sqlalchemy import ColumnElement, Table, literal_column

from core.store.changes import Change, Transaction
from core.store.moments import to_stored
from core.store.statements import ChangeRows, firsts


class Way:
    """From one of some states to another, for rows with an `id`, a `state` and a `changed_at`.

    `columns` get a value of their own for each row, `sets` the same for all.
    """

    def __init__(self, table: Table, before: Sequence[StrEnum], after: StrEnum, *columns: str, **sets: object) -> None:
        states: list[ColumnElement[str]] = [literal_column(f"'{state.value}'") for state in before]
        can_go = table.c.state.in_(states)
        self._go = ChangeRows(table, ["id"], [*columns, "changed_at"], can_go, state=after.value, **sets)

    def go(self, tx: Transaction, changes: Sequence["Transition"]) -> list[bool]:
        """Which changes made the difference: where several are about one row, the first of them."""
        at = to_stored(tx.at)
        first = {change.id: change for change in reversed(changes)}
        rows = [(*change.values(), at, change.id) for change in first.values()]
        return firsts([(change.id,) for change in changes], self._go.run(tx.connection, rows))


@dataclass(frozen=True, slots=True)
class Transition(Change[bool]):
    """Send a row on its way; the result is whether it was in a state from which it could go."""

    way: ClassVar[Way]

    id: int

    def values(self) -> tuple[object, ...]:
        """Of the way's columns."""
        return ()

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence[Self]) -> Sequence[bool]:
        """One update of those that can go."""
        return cls.way.go(tx, changes)
