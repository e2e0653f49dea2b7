"""Statements that are special: those of the hot path, and those that databases word differently.

A `Prepared` one is compiled once for each database and run with plain tuples, many rows at a time.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Insert, Table, Update, bindparam
from sqlalchemy.dialects import postgresql, sqlite


class Prepared:
    """A statement whose parameters are named by `bindparam`, run with tuples in the order of `names`.

    Values go to the driver as they are: whoever calls gives them in stored form (`core.store.moments`).
    """

    def __init__(self, statement: Insert | Update, *names: str) -> None:
        self._statement = statement
        self._names = names
        self._sql: dict[str, str] = {}

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Once for each row."""
        if rows:
            connection.exec_driver_sql(self._compiled(connection), list(rows))

    def _compiled(self, connection: Connection) -> str:
        dialect = connection.dialect
        sql = self._sql.get(dialect.name)
        if sql is None:
            compiled = self._statement.compile(dialect=dialect)
            order = tuple(compiled.positiontup or ())
            if order != self._names:
                raise AssertionError(f"{dialect.name} wants {order}, not {self._names}")
            sql = self._sql[dialect.name] = str(compiled)
        return sql


def given(*names: str) -> dict[str, Any]:
    """Columns that get a parameter of the same name."""
    return {name: bindparam(name) for name in names}


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`, of this connection's database."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
