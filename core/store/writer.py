"""The one writer of a SQLite database: it takes everything that waits and commits it once.

A flush to disk costs the same for one event as for a thousand, so the more wait, the less each costs. Nobody is told
"done" before the commit, and whoever watches the log sees an event only after it is durable.

The statements of a transaction run in the event loop, and only what may wait for the disk runs in a thread: the commit,
rare works, and everything that went wrong the quick way. (With all of it in the thread, Python's interpreter lock would
change hands around every statement, and a busy loop gives it back only every few milliseconds.)
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from core.clock import Clock
from core.errors import StoreUnavailable
from core.events import Event
from core.meter import Meter
from core.store.changes import RecentStates
from core.store.faults import translated
from core.store.sqlite import wait_for_lock
from core.store.transactions import Commit, Done, Failed, Job, Work, Written, run, write

MAX_JOBS = 1_000
"""In one transaction, so that nobody waits long for others."""

STATES = 1_000
"""Conversations whose fold is kept in memory."""

Publish = Callable[[Sequence[Event]], None]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A job, and who waits for it."""

    job: Job
    done: asyncio.Future[Any]


class Writer:
    """Commits jobs, one transaction after another."""

    def __init__(self, engine: Engine, clock: Clock, publish: Publish, busy_timeout: float, meter: Meter) -> None:
        self._engine = engine
        self._clock = clock
        self._publish = publish
        self._busy_timeout = busy_timeout
        self._meter = meter
        self._states = RecentStates(STATES)
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._woken = asyncio.Event()
        self._closed = False
        self._task = asyncio.create_task(self._run(), name="store-writer")

    def submit(self, job: Job) -> asyncio.Future[Any]:
        """Have a job done; the future has its result once it is durable.

        Cancelling the future does not take the job back.
        """
        done = self._loop.create_future()
        if self._closed:
            done.set_exception(StoreUnavailable("The database is closed."))
            return done
        self._waiting.append(_Waiting(job, done))
        self._woken.set()
        return done

    async def close(self) -> None:
        """Finish everything that was submitted, then let go of the database."""
        self._closed = True
        self._woken.set()
        await asyncio.shield(self._task)

    async def _run(self) -> None:
        while self._waiting or not self._closed:
            if not self._waiting:
                self._woken.clear()
                await self._woken.wait()
            batch, self._waiting = self._waiting[:MAX_JOBS], self._waiting[MAX_JOBS:]
            for kind in (Commit, Work):  # apart, for works are done in the thread
                alike = [one for one in batch if isinstance(one.job, kind)]
                if alike:
                    began = self._clock.monotonic()
                    written = await self._transact([one.job for one in alike])
                    self._meter.committed(len(alike), self._clock.monotonic() - began)
                    self._resolve(alike, written)
        await self._loop.run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    async def _transact(self, jobs: Sequence[Job]) -> Written:
        try:
            written = self._begin(jobs)
            if written is None:
                return await self._loop.run_in_executor(self._thread, self._carefully, jobs)
            await self._loop.run_in_executor(self._thread, self._commit)
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits, and the writer stays alive
            return Written([Failed(error)] * len(jobs))
        return written

    def _begin(self, jobs: Sequence[Job]) -> Written | None:
        """Run all statements; None when that is nothing for the loop, and nothing was written."""
        connection = self._connection
        if connection is None or not isinstance(jobs[0], Commit):
            return None
        try:
            with translated():
                connection.begin()
                return write(connection, jobs, self._clock.now(), self._states)
        except Exception:  # noqa: BLE001 - done again the careful way, which says whose fault it is
            self._roll_back()
            return None

    # ---- in the thread ---------------------------------------------------------------------------------------------

    def _commit(self) -> None:
        """End the transaction that the loop began."""
        with self._given_up_after_a_fault():
            if self._connection is not None:
                self._connection.commit()

    def _carefully(self, jobs: Sequence[Job]) -> Written:
        """Connect if need be, wait for others who hold the database, and find out which job is at fault."""
        with self._given_up_after_a_fault():
            if self._connection is None:
                self._connection = self._engine.connect()
            with wait_for_lock(self._connection, self._busy_timeout):
                return run(self._connection, jobs, self._clock.now(), self._states)

    @contextmanager
    def _given_up_after_a_fault(self) -> Iterator[None]:
        """A connection with a fault is not used again: the next transaction opens another."""
        try:
            with translated():
                yield
        except BaseException:
            self._states.clear()
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    # ---- in the loop -----------------------------------------------------------------------------------------------

    def _roll_back(self) -> None:
        self._states.clear()
        try:
            with translated():
                if self._connection is not None:
                    self._connection.rollback()
        except Exception:  # noqa: BLE001 - a connection that cannot even do that is given up
            self._disconnect()

    def _resolve(self, batch: Sequence[_Waiting], written: Written) -> None:
        if written.events:
            self._publish(written.events)
        for one, outcome in zip(batch, written.outcomes, strict=True):
            if one.done.done():  # whoever waited was cancelled
                continue
            if isinstance(outcome, Done):
                one.done.set_result(outcome.result)
            else:
                one.done.set_exception(outcome.error)
