"""What differs from one kind of database to another. Everything else in the store is the same for all of them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from core.store.transactions import Job, Written

T = TypeVar("T")


class Backend(Protocol):
    """An open database of one kind, used in the event loop.

    Whatever raises `StoreUnavailable` was not done, and works again once the database does.
    """

    async def transact(self, jobs: Sequence[Job], at: datetime) -> Written:
        """Do all jobs in one transaction, durable when it returns; `at` is the time of everything in it.

        Called again only after it returned. What it raises undid everything.

        Raises:
            MaybeDone: the connection was lost while it was committed, and nobody could be asked in time.
        """
        ...

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query; each of its statements sees everything that was committed before. It cannot write."""
        ...

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """As `read`, in the quickest way for a few rows that are found by their key."""
        ...

    async def close(self) -> None:
        """Let go of the database; harmless a second time."""
        ...
