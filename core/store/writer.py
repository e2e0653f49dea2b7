"""The one writer: it takes everything that waits and has it committed together.

A commit costs the same for one event as for a thousand, so the more wait, the less each costs. Nobody is told "done"
before the commit, and whoever watches the log sees an event only after it is durable. How a transaction is done is the
backend's.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.clock import Clock
from core.errors import MaybeDone, StoreUnavailable
from core.events import Event
from core.meter import Meter
from core.store.backend import Backend
from core.store.transactions import Commit, Done, Failed, Job, Work, Written

MAX_JOBS = 1_000
"""In one transaction, so that nobody waits long for others."""

Publish = Callable[[Sequence[Event]], None]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A job, and who waits for it."""

    job: Job
    done: asyncio.Future[Any]


class Writer:
    """Commits jobs, one transaction after another."""

    def __init__(self, backend: Backend, clock: Clock, publish: Publish, meter: Meter) -> None:
        self._backend = backend
        self._clock = clock
        self._publish = publish
        self._meter = meter
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
        """Finish everything that was submitted."""
        self._closed = True
        self._woken.set()
        await asyncio.shield(self._task)

    async def _run(self) -> None:
        while self._waiting or not self._closed:
            if not self._waiting:
                self._woken.clear()
                await self._woken.wait()
            batch, self._waiting = self._waiting[:MAX_JOBS], self._waiting[MAX_JOBS:]
            for kind in (Commit, Work):  # apart, so that no commit waits for a work that takes long
                alike = [one for one in batch if isinstance(one.job, kind)]
                if alike:
                    await self._settle(alike)

    async def _settle(self, batch: Sequence[_Waiting]) -> None:
        """Do these jobs in one transaction; when that fails, each in one of its own: only the faulty one fails then."""
        began = self._clock.monotonic()
        try:
            written = await self._backend.transact([one.job for one in batch], self._clock.now())
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits, and the writer stays alive
            if len(batch) == 1 or isinstance(error, StoreUnavailable | MaybeDone):
                written = Written([Failed(error)] * len(batch))
            else:
                for one in batch:
                    await self._settle([one])
                return
        self._meter.committed(len(batch), self._clock.monotonic() - began)
        self._resolve(batch, written)

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
