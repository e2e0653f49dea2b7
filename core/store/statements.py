"""Statements of the hot path: over many given rows at once, compiled once, run with values as the database stores them.

One statement for all rows is not only quicker. Python's SQLite module lets go of the interpreter lock around every step
of a statement, and while the event loop is busy each return costs up to a whole switch interval; fifty rows must not
cost fifty of them. SQLite keeps no journal of a statement that is allowed to fail half-way (`OR FAIL`), which is safe,
because a transaction with a failed statement is always rolled back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import (
    CTE,
    Column,
    ColumnElement,
    Connection,
    CursorResult,
    Executable,
    Table,
    bindparam,
    column,
    func,
    insert,
    select,
    update,
    values,
)
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")

STRIDE = 8
MOST = 64
"""Rows of one statement: a multiple of 8 up to 64, or fewer than 8, so that only 15 texts of it are ever compiled."""


def runs(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in runs of these lengths."""
    start = 0
    while left := len(rows) - start:
        size = min(left - left % STRIDE, MOST) or left
        yield rows[start : start + size]
        start += size


class GivenRows:
    """A statement over rows of these columns, which it finds in the table `given`.

    `build` may use further parameters by name; they get their values when it runs.
    """

    def __init__(self, columns: Sequence[Column[Any]], build: Callable[[CTE], Executable]) -> None:
        self._columns = columns
        self._build = build
        self._plans: dict[tuple[str, int], tuple[str, tuple[int | str, ...], Mapping[str, Any]]] = {}

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]], **named: object) -> list[CursorResult[Any]]:
        """Run it over all rows; one result for each run of them."""
        results = []
        for some in runs(rows):
            sql, order, constants = self._plan(connection, len(some))
            flat = tuple(chain.from_iterable(some))
            known = {**constants, **named}
            parameters = tuple(flat[name] if isinstance(name, int) else known[name] for name in order)
            results.append(connection.exec_driver_sql(sql, parameters))
        return results

    def _plan(self, connection: Connection, size: int) -> tuple[str, tuple[int | str, ...], Mapping[str, Any]]:
        """The text for so many rows, and which value goes where: a place in the rows, or a name."""
        plan = self._plans.get((connection.dialect.name, size))
        if plan is None:
            compiled = self._statement(size).compile(dialect=connection.dialect)
            names = compiled.positiontup or ()
            order = tuple(int(name[1:]) if name.startswith("$") else name for name in names)
            plan = self._plans[connection.dialect.name, size] = (str(compiled), order, dict(compiled.params))
        return plan

    def _statement(self, size: int) -> Executable:
        width = len(self._columns)
        rows = [
            tuple(bindparam(f"${row * width + place}", type_=self._columns[place].type) for place in range(width))
            for row in range(size)
        ]
        named = (column(given.name, given.type) for given in self._columns)
        return self._build(values(*named, name="given").data(rows).cte("given"))


class InsertRows(GivenRows):
    """An insert of rows of these columns."""

    def __init__(self, table: Table, *columns: str) -> None:
        super().__init__([table.c[name] for name in columns], lambda _: insert(table))
        self._table = table

    def numbered(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """Insert, and return the ids that the rows got, in their order.

        SQLite numbers the rows of one insert one after the other, and says the last number.
        """
        ids: list[int] = []
        for some, result in zip(runs(rows), self.run(connection, rows), strict=True):
            ids += range(result.lastrowid - len(some) + 1, result.lastrowid + 1)
        return ids

    def _statement(self, size: int) -> Executable:
        width = len(self._columns)
        rows = [
            {given.name: bindparam(f"${row * width + place}") for place, given in enumerate(self._columns)}
            for row in range(size)
        ]
        return insert(self._table).prefix_with("OR FAIL", dialect="sqlite").values(rows)


class UpdateRows(GivenRows):
    """An update of the rows with given keys; a given row holds the new values of `columns`, then the keys.

    `sets` is what all rows get besides, `where` a further condition on the row and what is given for it.
    """

    def __init__(
        self,
        table: Table,
        keys: Sequence[str],
        columns: Sequence[str],
        *,
        sets: Mapping[str, object] | None = None,
        where: Callable[[CTE], ColumnElement[bool]] | None = None,
    ) -> None:
        def build(given: CTE) -> Executable:
            news: dict[str, object] = {name: given.c[name] for name in columns}
            same = [table.c[key] == given.c[key] for key in keys]
            further = [where(given)] if where else []
            statement = update(table).prefix_with("OR FAIL", dialect="sqlite")
            return statement.values({**(sets or {}), **news}).where(*same, *further)

        super().__init__([table.c[name] for name in (*columns, *keys)], build)


class Matching:
    """Which of the given keys belong to a row that `where` holds for.

    The sole writer of a database may act on the answer: nothing changes until its transaction ends.
    """

    def __init__(self, table: Table, keys: Sequence[str], where: ColumnElement[bool]) -> None:
        def build(given: CTE, *what: ColumnElement[Any]) -> Executable:
            return select(*what).select_from(table).where(*(table.c[key] == given.c[key] for key in keys), where)

        columns = [table.c[key] for key in keys]
        self._count = GivenRows(columns, lambda given: build(given, func.count()))
        self._which = GivenRows(columns, lambda given: build(given, *columns))

    def among(self, connection: Connection, keys: Sequence[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
        """The keys that match. All of them or none is the usual case, and only counted."""
        distinct = tuple(dict.fromkeys(keys))
        count = sum(result.scalar_one() for result in self._count.run(connection, distinct))
        if count in (0, len(distinct)):
            return set(distinct) if count else set()
        return {tuple(row) for result in self._which.run(connection, distinct) for row in result}


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`, of this connection's database."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
