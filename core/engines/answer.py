"""One answer on its way out, and the promises that every engine makes about it.

An engine writes an answer as an async generator and hands it to `Answers`, which makes sure that exactly one `Ended`
comes, as the last event, and that a stop ends the answer at whatever it waits for. What is said is the engine's.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Self

import structlog

from core.engines.base import Ended, EndReason, EngineEvent

_log = structlog.get_logger(__name__)

_CANCELLED = Ended(EndReason.CANCELLED)
_CRASHED = Ended(EndReason.CRASHED, "Something broke while I was answering. Send it again, or look in the log for why.")
_ONE_AT_A_TIME = Ended(EndReason.REJECTED, "I am still answering here. Stop that answer first, or wait for it.")


class Answer:
    """The events of one turn, ended by exactly one `Ended`.

    The generator runs in the task that reads; a stop from another task is thrown in where it waits, the way
    `asyncio.timeout` does it, so that an answer costs neither a task nor a queue of its own. A generator that comes to
    its end without an `Ended` is done. What it raises goes to the log, never to the person.
    """

    def __init__(self, events: AsyncGenerator[EngineEvent]) -> None:
        self._events = events
        self._reader: asyncio.Task[object] | None = None
        self._begun = False
        self._stopped = False
        self._interrupted = False
        self._over = False

    @property
    def running(self) -> bool:
        """Begun, and neither ended nor stopped; also while the generator still lets go of what it held."""
        return self._reader is not None or (self._begun and not self._over and not self._stopped)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> EngineEvent:
        if self._over:
            raise StopAsyncIteration
        self._begun = True
        event = _CANCELLED if self._stopped else await self._next()
        if self._stopped:
            event = _CANCELLED
        if isinstance(event, Ended):
            self._over = True
            await self._let_go()
        return event

    def stop(self) -> None:
        """End with `Ended(cancelled)` and nothing before it. A second stop changes nothing."""
        if self._stopped or self._over:
            return
        self._stopped = True
        # The reader stopping itself (a host call that cancels) is not thrown at: it sees the flag at its next event.
        if self._reader is not None and self._reader is not asyncio.current_task():
            self._interrupted = True
            self._reader.cancel()

    async def close(self) -> None:
        """Stop, and let go at once of what the generator holds where nobody is reading."""
        self.stop()
        if self._reader is None:
            await self._let_go()

    async def _next(self) -> EngineEvent:
        """The generator's next event; what it raises instead becomes an `Ended`."""
        try:
            return await self._interruptible()
        except StopAsyncIteration:
            return Ended(EndReason.DONE)
        except Exception:  # noqa: BLE001 - whatever breaks, the turn ends in a plain sentence
            _log.exception("an engine broke off its answer")
            return _CRASHED

    async def _interruptible(self) -> EngineEvent:
        task = asyncio.current_task()
        assert task is not None, "an answer is read inside a task"  # noqa: S101 - for the type checker
        cancels_before = task.cancelling()
        self._reader = task
        try:
            return await anext(self._events)
        except asyncio.CancelledError:
            if task.cancelling() - self._interrupted > cancels_before:
                self._over = True
                raise
            # Ours, or something that the answer waited for was cancelled by itself: nobody cancelled the reader.
            return _CANCELLED
        finally:
            self._reader = None
            if self._interrupted:
                task.uncancel()

    async def _let_go(self) -> None:
        try:
            await self._events.aclose()
        except Exception:  # noqa: BLE001 - the answer has ended already
            _log.exception("an engine broke while it let go of an answer")


class Answers:
    """The answers of one session, one at a time."""

    def __init__(self) -> None:
        self._current: Answer | None = None
        self._closed = False

    def begin(self, events: AsyncGenerator[EngineEvent]) -> Answer:
        """The next answer; stopped before its first event is read, it never begins.

        While another one runs it is refused, after `close` it is cancelled: both say so by their only event.
        """
        if self._closed:
            return Answer(_only(_CANCELLED))
        if self._current is not None:
            if self._current.running:
                return Answer(_only(_ONE_AT_A_TIME))
            self._current.stop()
        self._current = Answer(events)
        return self._current

    def stop(self) -> None:
        """Stop the answer that runs or is about to; harmless when there is none."""
        if self._current is not None:
            self._current.stop()

    async def close(self) -> None:
        """Stop, and begin no other."""
        self._closed = True
        if self._current is not None:
            await self._current.close()


async def _only(event: EngineEvent) -> AsyncGenerator[EngineEvent]:
    yield event
