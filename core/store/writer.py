"""The one writer of a SQLite database: a thread that takes everything that waits and commits it once.

A flush to disk costs the same for one event as for a thousand, so the more wait, the less each costs. Nobody is told
"done" before the commit, and whoever watches the log sees an event only after it is durable.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import structlog
from sqlalchemy import Connection, Engine

from core.clock import Clock
from core.errors import StoreUnavailable
from core.events import Event
from core.store.changes import RecentStates
from core.store.faults import translated
from core.store.transactions import Done, Failed, Job, Outcome, run

_log = structlog.get_logger(__name__)

MAX_JOBS = 1_000
"""In one transaction, so that nobody waits long for others."""

STATES = 1_000
"""Conversations whose fold is kept in memory."""

Publish = Callable[[Sequence[Event]], None]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A job, and who waits for it in the loop."""

    job: Job
    done: asyncio.Future[Any]


class Writer:
    """Commits jobs from its own thread; all methods are called in the loop that it was started in."""

    def __init__(self, engine: Engine, clock: Clock, publish: Publish) -> None:
        self._engine = engine
        self._clock = clock
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._states = RecentStates(STATES)
        self._connection: Connection | None = None
        self._gathered: list[_Waiting] = []
        self._handed: SimpleQueue[list[_Waiting] | None] = SimpleQueue()
        self._closed: asyncio.Future[None] | None = None
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> asyncio.Future[Any]:
        """Have a job done; the future has its result once it is durable.

        Cancelling the future does not take the job back.
        """
        done = self._loop.create_future()
        if self._closed is not None:
            done.set_exception(StoreUnavailable("The database is closed."))
            return done
        if not self._gathered:
            # At the end of this round of the loop: whoever else wants to write in it rides along.
            self._loop.call_soon(self._hand_over)
        self._gathered.append(_Waiting(job, done))
        return done

    async def close(self) -> None:
        """Finish everything that was submitted, then let go of the database."""
        if self._closed is None:
            self._closed = self._loop.create_future()
            self._hand_over()
            self._handed.put(None)
        await asyncio.shield(self._closed)

    def _hand_over(self) -> None:
        if self._gathered:
            self._handed.put(self._gathered)
            self._gathered = []

    # ---- in the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        going_on = True
        while going_on:
            waiting, going_on = self._take()
            for start in range(0, len(waiting), MAX_JOBS):
                self._transact(waiting[start : start + MAX_JOBS])
        self._disconnect()
        self._loop.call_soon_threadsafe(self._end)

    def _take(self) -> tuple[list[_Waiting], bool]:
        """Everything that waits, and whether there can be more."""
        waiting: list[_Waiting] = []
        while not waiting or not self._handed.empty():
            handed = self._handed.get()
            if handed is None:
                return waiting, False
            waiting += handed
        return waiting, True

    def _transact(self, waiting: Sequence[_Waiting]) -> None:
        outcomes: Sequence[Outcome]
        events: Sequence[Event] = ()
        try:
            outcomes, events = run(self._connect(), [one.job for one in waiting], self._clock.now(), self._states)
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits, and the writer stays alive
            self._disconnect()
            outcomes = [Failed(error)] * len(waiting)
        self._loop.call_soon_threadsafe(self._resolve, waiting, outcomes, events)

    def _connect(self) -> Connection:
        if self._connection is None:
            with translated():
                self._connection = self._engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        """After a fault the next transaction begins with a new connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    # ---- in the loop again -----------------------------------------------------------------------------------------

    def _resolve(self, waiting: Sequence[_Waiting], outcomes: Sequence[Outcome], events: Sequence[Event]) -> None:
        if events:
            self._publish(events)
        for one, outcome in zip(waiting, outcomes, strict=True):
            if one.done.done():  # whoever waited was cancelled
                continue
            if isinstance(outcome, Done):
                one.done.set_result(outcome.result)
            else:
                one.done.set_exception(outcome.error)

    def _end(self) -> None:
        if self._closed is not None:
            self._closed.set_result(None)
