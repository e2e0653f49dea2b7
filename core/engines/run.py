"""One engine at work on one turn: its events in order, and an end that comes whatever the engine does.

An engine may break, forget to end, go on after its end, hang, ignore a stop or refuse to let go: here each of these
becomes one `Ended`. What an event means for the log is decided in `core.turn`, how a call back keeps its place among
them in `core.engines.calls`.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping
from typing import Any

import structlog

from core.cards import ToolView
from core.clock import Clock
from core.engines.base import Ended, EndReason, Engine, EngineEvent, Host, Session, TurnInput
from core.engines.calls import Call, OrderedHost

_log = structlog.get_logger(__name__)

STOP_GRACE = 4.0
"""Seconds that an engine has to end after a stop, and to let go after its end; then it is abandoned."""

AHEAD = 1_000
"""Events that an engine may be ahead of whoever reads them."""


class EngineRun:
    """Opens a session, plays one turn on it and closes it again, in a task of its own.

    Whoever began it reads until `Ended`, then calls `take_back` and `let_go`. Nothing that waits for the log or a chat
    app keeps the engine from going on.
    """

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._events: asyncio.Queue[EngineEvent | Call] = asyncio.Queue(AHEAD)
        self._host: OrderedHost | None = None
        self._session: Session | None = None
        self._work: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._ended = False
        self._abandoned = False
        self.memory: Mapping[str, Any] | None = None
        """What the session remembers after the end; None when it broke or was abandoned, for then nobody knows."""

    def begin(self, turn: TurnInput, memory: Mapping[str, Any] | None, host: Host) -> None:
        """Start to answer, going on from an earlier run's memory."""
        self._host = OrderedHost(host, self._events.put)
        self._work = asyncio.create_task(self._run(turn, memory, self._host), name="engine")

    async def next(self) -> EngineEvent | Call:
        """The next event, or a call that waits for those before it; after a stop, `Ended` comes within the grace."""
        return await self._events.get()

    @property
    def is_ahead(self) -> bool:
        """Whether the next event is there already."""
        return not self._events.empty()

    def take_view(self, call_id: str) -> ToolView | None:
        """What a call of a host tool wants to show the person, once."""
        return self._host.take_view(call_id) if self._host else None

    def stop(self) -> None:
        """Ask the engine to end. Harmless when it was asked before, has ended or never began."""
        if self._work is not None and self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(self._work), name="stop engine")

    async def take_back(self) -> None:
        """Cancel what the engine still calls back, and come back when that is over, within the grace."""
        calls = self._cancel_calls()
        if calls and not await self._within_grace(asyncio.gather(*calls, return_exceptions=True)):
            _log.error("a call of an engine did not end", engine=self._engine.id)

    async def let_go(self) -> None:
        """Come back when the engine has let go of everything, or is abandoned."""
        if self._stopping is not None:
            self._stopping.cancel()
        if self._work is None or self._work.done() or self._abandoned:
            return
        if not await self._within_grace(self._work):
            _log.warning("an engine did not let go and was abandoned", engine=self._engine.id)
            self.abandon()

    def abandon(self) -> None:
        """Leave the engine to itself: nobody reads it any more."""
        self._abandoned = True
        self._cancel_calls()
        for task in (self._work, self._stopping):
            if task is not None:
                task.cancel()

    def _cancel_calls(self) -> Collection[asyncio.Task[Any]]:
        return self._host.cancel() if self._host else ()

    async def _within_grace(self, work: asyncio.Future[Any]) -> bool:
        grace = asyncio.create_task(self._clock.sleep(STOP_GRACE))
        await asyncio.wait({work, grace}, return_when=asyncio.FIRST_COMPLETED)
        grace.cancel()
        return work.done()

    # ---- the engine's task -----------------------------------------------------------------------------------------

    async def _run(self, turn: TurnInput, memory: Mapping[str, Any] | None, host: Host) -> None:
        ended = Ended(EndReason.CRASHED)
        try:
            self._session = await self._engine.open(memory)
            if self._stopping is None:
                ended = await self._play(self._session, turn, host)
                self.memory = self._session.state()
            else:
                ended = Ended(EndReason.CANCELLED)
        except asyncio.CancelledError:
            # Ours, when it was stopped before there was a session; else something in the engine was cancelled.
            ended = Ended(EndReason.CANCELLED if self._stopping else EndReason.CRASHED)
        except Exception:  # noqa: BLE001 - whatever an engine raises, the turn ends in words
            _log.exception("an engine failed", engine=self._engine.id)
        if not self._abandoned:
            self._ended = True
            await self._events.put(ended)
        await self._close()

    async def _play(self, session: Session, turn: TurnInput, host: Host) -> Ended:
        events = session.run(turn, host)
        try:
            async for event in events:
                if isinstance(event, Ended):
                    return event
                await self._events.put(event)
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()
        _log.error("an engine ended without saying so", engine=self._engine.id)
        return Ended(EndReason.CRASHED)

    async def _close(self) -> None:
        if self._session is not None:
            try:
                await self._session.close()
            except Exception:  # noqa: BLE001 - the answer has ended already
                _log.exception("an engine failed to let go", engine=self._engine.id)

    # ---- a stop ----------------------------------------------------------------------------------------------------

    async def _stop(self, work: asyncio.Task[None]) -> None:
        """Ask, and abandon the engine when it goes on."""
        ask = asyncio.create_task(self._ask_to_end(work))
        try:
            await self._clock.sleep(STOP_GRACE)
        finally:
            ask.cancel()
        if not self._ended:
            _log.warning("an engine ignored a stop and was abandoned", engine=self._engine.id)
            self._abandoned = True
            self._cancel_calls()
            work.cancel()
            await self._events.put(Ended(EndReason.CANCELLED))

    async def _ask_to_end(self, work: asyncio.Task[None]) -> None:
        try:
            if self._session is not None:
                await self._session.cancel()
                self._cancel_calls()
                return
        except Exception:  # noqa: BLE001 - then it is not asked but cut off
            _log.exception("an engine could not be asked to end", engine=self._engine.id)
        if not self._ended:
            work.cancel()
