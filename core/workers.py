"""From one turn to the next: who works in a conversation, what goes next, and what is held until an engine can answer.

One worker per conversation while something goes on there. What others may ask for is in `core.conversations`.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

import structlog

from core import problems
from core.activities import Activities, Activity
from core.asking import Asking
from core.clock import Clock
from core.compacting import Compaction, Compactions
from core.engines.base import Engine
from core.engines.registry import Engines, is_ready
from core.engines.run import STOP_GRACE
from core.errors import StoreUnavailable
from core.events import Address, Origin, TurnHeld
from core.joining import as_chosen, carried_first, joined, together
from core.offers.desk import carrier
from core.patience import patiently, until_stored
from core.projections import ConversationState
from core.store.database import Database
from core.store.log import Append, EventLog
from core.store.queue import QueuedItem
from core.turn import Turn, TurnStop
from core.turns import Turns
from core.waiting import HELD_EXPIRES, Waiting

_log = structlog.get_logger(__name__)

T = TypeVar("T")

HELD_RETRY: Final = 30.0
"""Seconds between looks whether an engine can answer what is held."""

CLOSING: Final = 3 * STOP_GRACE
"""Seconds for turns that the end of the program interrupts to be closed; what is left the next start closes."""

LOOK: Final = 1.0
"""Seconds between looks at the end whether a turn waits for a person by now."""


class Workers:
    """The work that goes on in this process."""

    def __init__(
        self,
        *,
        database: Database,
        engines: Engines,
        turns: Turns,
        compactions: Compactions,
        waiting: Waiting,
        activities: Activities,
        asking: Asking,
        clock: Clock,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._engines = engines
        self._turns = turns
        self._compactions = compactions
        self._waiting = waiting
        self._activities = activities
        self._asking = asking
        self._clock = clock
        self._tasks: set[asyncio.Task[Any]] = set()
        self._watch: asyncio.Task[None] | None = None
        self.closing = False
        """The program is about to end: nothing new begins."""

    # ---- from one turn to the next ---------------------------------------------------------------------------------

    def begin(self, conversation_id: str, activity: Activity, turn: Turn | None) -> None:
        """Have somebody answer, or look what waits. Only in `Activities.alone`."""
        activity.turn, activity.told_to_wait = turn, False
        activity.worker = self.spawn(self._work(conversation_id, activity))

    def begin_to_fold(self, conversation_id: str, activity: Activity, compaction: Compaction) -> None:
        """Have what was said folded, then look what waits. Only in `Activities.alone`."""
        activity.compaction = compaction
        activity.worker = self.spawn(self._fold(conversation_id, activity, compaction))

    async def _work(self, conversation_id: str, activity: Activity) -> None:
        """Answer, then what came meanwhile, until nothing waits or nothing can answer it."""
        turn = activity.turn
        while turn := turn or await patiently(partial(self._next, conversation_id), self._clock):
            await self._turns.run(turn)
            turn = activity.turn = None

    async def _fold(self, conversation_id: str, activity: Activity, compaction: Compaction) -> None:
        await self._compactions.run(compaction)
        activity.compaction = None
        await self._work(conversation_id, activity)

    async def _next(self, conversation_id: str) -> Turn | None:
        """A turn for what waits; None when nothing does or can be answered now: then the worker is done."""
        async with self._activities.alone(conversation_id) as activity:
            turn = None
            try:
                if activity.waiting and not self.closing:
                    turn = await self._open_waiting(conversation_id, activity)
            except StoreUnavailable:
                raise
            except Exception:  # noqa: BLE001 - the conversation goes on; the next start looks again
                _log.exception("what waits cannot be answered", conversation=conversation_id)
            activity.turn, activity.told_to_wait = turn, False
            if turn is None:
                activity.worker = None
            return turn

    async def _open_waiting(self, conversation_id: str, activity: Activity) -> Turn | None:
        waiting: Sequence[QueuedItem] = await self._waiting.of(conversation_id)
        if activity.held_until and activity.held_until <= self._clock.now():
            waiting = await self._waiting.without_expired(conversation_id, waiting)
        waiting = carried_first(waiting)
        while waiting:
            state = await self._log.state(conversation_id)
            taken = together(waiting)
            origin, chosen = taken[-1].message.origin, as_chosen(state, joined(taken))
            engine = self.engine_of(chosen, origin)
            if taken[0].message.carries:
                engine = carrier(self._engines, chosen.options.engine) or engine
            if engine is not None and not await self._turns.can_answer(engine, chosen, origin):
                self.hold(conversation_id, activity, waiting[0].at, waiting[-1].message.origin.address)
                return None
            waiting = waiting[len(taken) :]
            if engine is None:
                await self._refuse_guest(conversation_id, state, taken)
            elif turn := await self._try_to_open(conversation_id, state, engine, taken):
                activity.waiting, activity.held_until = bool(waiting), None
                return turn
        activity.waiting, activity.held_until = False, None
        return None

    async def _try_to_open(
        self, conversation_id: str, state: ConversationState, engine: Engine, taken: Sequence[QueuedItem]
    ) -> Turn | None:
        """Open a turn; messages that cannot be opened are given up, so that they do not keep the others from going."""
        try:
            return await self._turns.open(conversation_id, state, engine, joined(taken), taken)
        except StoreUnavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, it would break again
            _log.exception("messages that waited were given up", conversation=conversation_id)
            await self._waiting.give_up(conversation_id, taken, problems.not_answered(taken[-1].message.origin.address))
            return None

    async def _refuse_guest(self, conversation_id: str, state: ConversationState, items: Sequence[QueuedItem]) -> None:
        address = items[-1].message.origin.address
        await self._waiting.give_up(
            conversation_id,
            items,
            problems.guest_not_answered(self._engines.for_chat(state.options.engine).title, address),
        )

    def engine_of(self, state: ConversationState, origin: Origin) -> Engine | None:
        """The engine that answers this person; None where none may."""
        if origin.role == "guest":
            return self._engines.for_guest(state.options.engine)
        return self._engines.for_chat(state.options.engine)

    # ---- held: no engine can answer now ----------------------------------------------------------------------------

    def hold(self, conversation_id: str, activity: Activity, oldest: datetime, address: Address | None) -> None:
        """Keep what waits until an engine can answer, and tell the chat once. Only in `Activities.alone`."""
        if activity.held_until is None:
            told = Append(conversation_id, (TurnHeld(reason="no-engine", address=address),))
            self.spawn(until_stored(self._database, self._clock, told))
        until = activity.held_until or self._clock.now() + HELD_EXPIRES
        activity.held_until = max(until, oldest + HELD_EXPIRES)
        if not self.closing and (self._watch is None or self._watch.done()):
            self._watch = asyncio.create_task(self._watch_held(), name="held messages")

    async def _watch_held(self) -> None:
        """Look now and then whether held messages can go, or are too old."""
        while self._activities.held():
            await self._clock.sleep(HELD_RETRY)
            some_ready = any([await is_ready(engine) for engine in self._engines.all()])
            now = self._clock.now()
            for conversation_id, activity in self._activities.held():
                due = activity.held_until is not None and activity.held_until <= now
                if activity.worker is None and (some_ready or due):
                    self.begin(conversation_id, activity, None)

    # ---- start and end of the process ------------------------------------------------------------------------------

    async def recover(self) -> None:
        """After a start, before anything is sent: close turns that were cut off, then answer what still waits.

        A turn that was cut off never runs again.

        Raises:
            StoreUnavailable: the database cannot be read now.
        """
        await self._turns.close_cut_off()
        for conversation_id in await self._waiting.conversations():
            async with self._activities.alone(conversation_id) as activity:
                activity.waiting = True
                if await self._waiting.was_held(conversation_id):
                    activity.held_until = self._clock.now()  # the look that follows finds out what is too old
                self.begin(conversation_id, activity, None)

    async def drain(self, grace: float = 30.0) -> None:
        """Start no new turn, give running ones `grace` seconds, then interrupt them. What waits stays in the queue.

        A turn that waits for a person is interrupted at once: nobody knows when they reply.
        """
        self.closing = True
        if self._watch is not None:
            self._watch.cancel()
        self._activities.stop_folding(TurnStop.SHUTDOWN)  # the next start takes up what asked for it
        if await self._all_done(grace) or await self._all_done(CLOSING, interrupt=True):
            return
        _log.error("turns could not be closed; the next start closes them", turns=len(self._activities.turns()))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _all_done(self, within: float, *, interrupt: bool = False) -> bool:
        until = self._clock.monotonic() + within
        while self._tasks and (left := until - self._clock.monotonic()) > 0:
            for turn in self._activities.turns():
                if interrupt or self._asking.waits_in(turn.opened.conversation_id):
                    turn.stop(TurnStop.SHUTDOWN)
            pause = asyncio.create_task(self._clock.sleep(min(LOOK, left)))
            await asyncio.wait({pause, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
            pause.cancel()
        return not self._tasks

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Work that a drain waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
