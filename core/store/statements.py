"""Statements of the hot path: over many given rows at once, compiled once, run with values as the database stores them.

One statement for all rows is quicker than one for each, all the more since SQLite keeps no journal of a statement
that may fail half-way (`OR FAIL`). That is safe: a transaction with a failed statement is always rolled back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar, cast

from sqlalchemy import (
    CTE,
    ClauseElement,
    Column,
    ColumnElement,
    Connection,
    CursorResult,
    Row,
    Select,
    Table,
    TextClause,
    bindparam,
    column,
    func,
    insert,
    select,
    update,
    values,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.compiler import SQLCompiler

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


@dataclass(frozen=True, slots=True)
class _Plan:
    """A compiled text; `order` says what each parameter is, a place in the rows or a name. None: the rows as given."""

    sql: str
    order: tuple[int | str, ...] | None
    constants: Mapping[str, Any]


class GivenRows:
    """A statement over rows of these columns, which it finds in the table `given`.

    `build` may use further parameters by name; they get their values when it runs.
    """

    def __init__(self, columns: Sequence[Column[Any]], build: Callable[[CTE], ClauseElement]) -> None:
        self._columns = columns
        self._build = build
        self._plans: dict[tuple[str, int], _Plan] = {}

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]], **named: object) -> list[CursorResult[Any]]:
        """Run it over all rows; one result for each run of them."""
        results = []
        for some in runs(rows):
            plan = self._plan(connection, len(some))
            flat = tuple(chain.from_iterable(some))
            if plan.order is not None:
                known = {**plan.constants, **named}
                flat = tuple(flat[name] if isinstance(name, int) else known[name] for name in plan.order)
            results.append(connection.exec_driver_sql(plan.sql, flat))
        return results

    def _plan(self, connection: Connection, size: int) -> _Plan:
        """The text for so many rows, and which value goes where."""
        plan = self._plans.get((connection.dialect.name, size))
        if plan is None:
            compiled = _compile(self._statement(size), connection)
            names = compiled.positiontup or ()
            order = tuple(int(name[1:]) if name.startswith("$") else name for name in names)
            as_given = order == tuple(range(size * len(self._columns)))
            plan = _Plan(str(compiled), None if as_given else order, dict(compiled.params))
            self._plans[connection.dialect.name, size] = plan
        return plan

    def _statement(self, size: int) -> ClauseElement:
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

    def _statement(self, size: int) -> ClauseElement:
        width = len(self._columns)
        rows: list[dict[str, Any]] = [
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
        def build(given: CTE) -> ClauseElement:
            news: dict[str, object] = {name: given.c[name] for name in columns}
            same = [table.c[key] == given.c[key] for key in keys]
            further = [where(given)] if where else []
            statement = update(table).prefix_with("OR FAIL", dialect="sqlite")
            return statement.values({**(sets or {}), **news}).where(*same, *further)

        super().__init__([table.c[name] for name in (*columns, *keys)], build)


class Lookup:
    """A query for a few rows; its parameters are named by `bindparam`. Rows come as the database stores them."""

    def __init__(self, query: Select[Any]) -> None:
        self._query = query
        self._plans: dict[str, tuple[str, tuple[str, ...], Mapping[str, Any]]] = {}

    def run(self, connection: Connection, **named: object) -> CursorResult[Any]:
        """What it finds, row by row."""
        plan = self._plans.get(connection.dialect.name)
        if plan is None:
            compiled = _compile(self._query, connection)
            order = tuple(compiled.positiontup or ())
            plan = self._plans[connection.dialect.name] = (str(compiled), order, dict(compiled.params))
        sql, order, constants = plan
        known = {**constants, **named}
        return connection.exec_driver_sql(sql, tuple(known[name] for name in order))

    def row(self, connection: Connection, **named: object) -> Row[Any] | None:
        """The only row that there can be."""
        return self.run(connection, **named).one_or_none()


class Matching:
    """Which of the given keys belong to a row that `where` holds for.

    The sole writer of a database may act on the answer: nothing changes until its transaction ends.
    """

    def __init__(self, table: Table, keys: Sequence[str], where: ColumnElement[bool] | TextClause) -> None:
        def build(given: CTE, *what: ColumnElement[Any]) -> ClauseElement:
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


def _compile(statement: ClauseElement, connection: Connection) -> SQLCompiler:
    return cast("SQLCompiler", statement.compile(dialect=connection.dialect))


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`, of this connection's database."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
