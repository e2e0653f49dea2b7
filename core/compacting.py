"""Folding what an engine remembers because somebody asked for it, between turns: `/compact`.

What is folded, and how, is the engine's own; here its session is opened, bounded in time by a stop, and stored together
with what the log says of it. Folding by itself, inside a turn, is no business of this module.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import structlog

from core import problems
from core.budget import Budget
from core.chosen import Chosen
from core.clock import Clock
from core.conversation_state import ConversationState
from core.engines.base import Compacted, Compacts, Engine, ModelOptions
from core.engines.run import STOP_GRACE
from core.errors import TryLater
from core.events import ContextCompacted, EventData, Notice, Origin
from core.live import Folding, LiveFeed
from core.outcomes import FoldOutcome
from core.patience import patiently, until_stored
from core.spending import Spending
from core.store.changes import Change
from core.store.database import Database
from core.store.log import Append, EventLog
from core.store.sessions import SavedSession, SaveSession, Sessions
from core.store.usage import AddUsage
from core.turn import TurnStop

_log = structlog.get_logger(__name__)

NOTHING_TO_FOLD: Final = "There is nothing to sum up here yet."
NOT_NOW: Final = "I could not sum this up just now, so I still remember everything as it was. Try again in a while."


@dataclass(frozen=True, slots=True)
class Compaction:
    """One fold on its way. `saved` is what the engine remembered before it.

    `also` is stored with whatever comes of it, but not when the end of the program cuts it off: then it is to be done
    again.
    """

    conversation_id: str
    engine: Engine
    saved: SavedSession
    options: ModelOptions
    focus: str | None
    origin: Origin
    also: tuple[Change[Any], ...]
    stops: list[TurnStop] = field(default_factory=list)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Nothing of it goes on any more."""

    def stop(self, why: TurnStop) -> None:
        """End it soon; nothing is folded then. Harmless when it is ending already."""
        self.stops.append(why)
        self.stopping.set()


@dataclass(frozen=True, slots=True)
class _Result:
    """What to log, what it took, and what the engine remembers now where that changed."""

    fact: EventData
    memory: Mapping[str, Any] | None = None
    used: tuple[AddUsage, ...] = ()


class Compactions:
    """Folds the memory of any conversation."""

    def __init__(self, database: Database, chosen: Chosen, spending: Spending, feed: LiveFeed, clock: Clock) -> None:
        self._database = database
        self._chosen = chosen
        self._spending = spending
        self._sessions = Sessions(database)
        self._log = EventLog(database)
        self._feed = feed
        self._clock = clock

    async def prepare(
        self,
        conversation_id: str,
        state: ConversationState,
        engine: Engine,
        focus: str | None,
        origin: Origin,
        also: tuple[Change[Any], ...],
    ) -> Compaction | FoldOutcome:
        """What there is to fold, or why there is nothing. A memory from before a clear in force is none.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        if not engine.capabilities.keeps_transcript:
            return FoldOutcome.OWN_MEMORY
        saved = await self._sessions.get(conversation_id, engine.id)
        if saved is None or saved.seq <= state.memory_start:
            return FoldOutcome.NOTHING
        options = self._chosen.options(state.options, engine)
        return Compaction(conversation_id, engine, saved, options, focus, origin, also)

    async def at(self, conversation_id: str, seq: int | None) -> ContextCompacted | None:
        """The fold that the log has at `seq`; None where it has none (any more)."""
        events = [] if seq is None else await self._log.read(conversation_id, after=seq - 1, limit=1)
        folds = [event.data for event in events if isinstance(event.data, ContextCompacted)]
        return folds[0] if folds else None

    async def run(self, compaction: Compaction) -> None:
        """See it through to what the log says of it; never raises, so that the conversation goes on."""
        live = partial(Folding, compaction.conversation_id, compaction.origin.address)
        self._feed.publish(live(goes_on=True))
        try:
            await self._store(compaction, await self._result(compaction))
        except Exception:  # noqa: BLE001 - the memory is as it was, and the next start looks again
            _log.exception("a fold could not be stored", conversation=compaction.conversation_id)
        finally:
            self._feed.publish(live(goes_on=False))
            compaction.ended.set()
        await self._spending.look(compaction.conversation_id, compaction.origin)

    async def _result(self, compaction: Compaction) -> _Result | None:
        """What came of it; None when it was stopped. Where a budget is used up, no model is asked."""
        allowed = await patiently(self._spending.allowed, self._clock)
        if isinstance(allowed, Budget):
            words = problems.used_up(allowed, problems.reader_of(compaction.origin))
            return _Result(_notice("not-folded", words, compaction))
        try:
            folded = await self._folded(compaction)
        except TryLater as reason:
            _log.info("nothing was folded", conversation=compaction.conversation_id, reason=str(reason))
            return _Result(_notice("not-folded", NOT_NOW, compaction))
        except Exception:  # noqa: BLE001 - whatever breaks in an engine, it is told in words
            _log.exception("a memory could not be folded", engine=compaction.engine.id)
            return _Result(_notice("not-folded", NOT_NOW, compaction))
        if folded is None:
            return None
        compacted, memory = folded
        if compacted is None:
            return _Result(_notice("nothing-to-fold", NOTHING_TO_FOLD, compaction))
        return _Result(_event(compaction, compacted), memory, _used(compaction, compacted))

    async def _folded(self, compaction: Compaction) -> tuple[Compacted | None, Mapping[str, Any]] | None:
        """Let the engine fold; after a stop it has a few seconds to let go, then it is abandoned."""
        work = asyncio.create_task(_fold(compaction), name="fold")
        work.add_done_callback(_forget)
        stopping = asyncio.create_task(compaction.stopping.wait())
        try:
            await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if work.cancelled():
                raise TryLater(f"{compaction.engine.title} gave up.")
            if not compaction.stopping.is_set():
                return work.result()
            work.cancel()
            grace = asyncio.create_task(self._clock.sleep(STOP_GRACE))
            await asyncio.wait({work, grace}, return_when=asyncio.FIRST_COMPLETED)
            grace.cancel()
            return None
        finally:
            stopping.cancel()
            work.cancel()

    async def _store(self, compaction: Compaction, result: _Result | None) -> None:
        also, conversation_id = compaction.also, compaction.conversation_id
        if result is None:
            if compaction.stops[0] is TurnStop.PERSON and also:
                await until_stored(self._database, self._clock, *also)
            return
        fact, also = Append(conversation_id, (result.fact,)), (*result.used, *also)
        if result.memory is None:
            await until_stored(self._database, self._clock, fact, *also)
            return
        saved = SaveSession(conversation_id, compaction.engine.id, result.memory, seen=compaction.saved.seq)
        try:
            await until_stored(self._database, self._clock, fact, saved, *also)
        except Exception:  # noqa: BLE001 - a memory that nobody can store: it is as it was
            _log.exception("a folded memory cannot be stored", engine=compaction.engine.id)
            told = Append(conversation_id, (_notice("not-folded", NOT_NOW, compaction),))
            await until_stored(self._database, self._clock, told, *also)


async def _fold(compaction: Compaction) -> tuple[Compacted | None, Mapping[str, Any]]:
    session = await compaction.engine.open(compaction.saved.state)
    try:
        compacted = None
        if isinstance(session, Compacts):
            compacted = await session.compact(compaction.focus, compaction.options)
        return compacted, session.state()
    finally:
        await session.close()


def _forget(work: asyncio.Task[Any]) -> None:
    """What an abandoned fold raises in the end is of no use to anybody."""
    if not work.cancelled():
        work.exception()


def _event(compaction: Compaction, folded: Compacted) -> ContextCompacted:
    origin = compaction.origin
    return ContextCompacted(
        summary=folded.summary,
        before_seq=folded.before_seq,
        engine=compaction.engine.id,
        model=folded.model,
        turns=folded.turns,
        asked=True,
        by=origin.person_id,
        address=origin.address,
    )


def _used(compaction: Compaction, folded: Compacted) -> tuple[AddUsage, ...]:
    return (AddUsage(compaction.engine.id, folded.model, folded.usage, turns=0),) if folded.usage else ()


def _notice(code: str, words: str, compaction: Compaction) -> Notice:
    return Notice(code=code, message=words, address=compaction.origin.address)
