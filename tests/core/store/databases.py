"""Empty databases on the PostgreSQL server that the tests were given."""

import asyncio
import os
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from sqlalchemy import NullPool, Row, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

VARIABLE = "CONCH_TEST_POSTGRES_URL"


class PostgresServer:
    """Makes databases and throws them away."""

    def __init__(self) -> None:
        self._url = make_url(os.environ[VARIABLE])

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """The address of a new one that is a copy of `template`, a database that nobody is connected to."""
        name = f"conch_test_{uuid.uuid4().hex}"
        self.run(f'CREATE DATABASE {name} TEMPLATE "{template}"')
        try:
            yield self._url.set(database=name).render_as_string(hide_password=False)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def run(self, statement: str, url: str | None = None) -> Sequence[Row[Any]]:
        """Run one statement; in a thread, so that it disturbs no event loop of a test."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._run(statement, url)).result()

    async def _run(self, statement: str, url: str | None) -> Sequence[Row[Any]]:
        engine = create_async_engine(url or self._url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        try:
            async with engine.connect() as connection:
                result = await connection.execute(text(statement))
                return result.all() if result.returns_rows else ()
        finally:
            await engine.dispose()
