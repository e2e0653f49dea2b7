"""One turn: an engine answers, another one takes over once where it cannot, and it always ends with `turn.completed`.

What the engine may do wrong on the way is `core.engines.run`'s, what the log keeps of it `core.record`'s; who may start
a turn and what comes after it is decided in `core.conversations`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Protocol

import structlog

from core import problems
from core.attendance import attendance
from core.briefing import Briefing
from core.budget import Budget
from core.cards import ToolView
from core.clock import Clock
from core.conversation_state import ConversationState
from core.engines.base import Ended, EndReason, EngineEvent, ToolCallEnded, Used
from core.engines.calls import Call
from core.engines.registry import is_ready
from core.engines.run import EngineRun
from core.errors import MaybeDone
from core.events import EventData, TurnCompleted, TurnRouted, Usage
from core.files import FileStore
from core.live import LiveFeed
from core.opened import Opened as Opened
from core.patience import patiently, until_stored
from core.projections import unanswered
from core.record import EQUAL_MESSAGES as EQUAL_MESSAGES
from core.record import MAX_STEPS as MAX_STEPS
from core.record import Record, storable
from core.replies import NO_CHIPS, Chips, Suggested, own_replies
from core.spent import NOTHING, Spent, spent
from core.store.changes import Change
from core.store.database import Database
from core.store.log import Append, Decide, EventLog
from core.store.sessions import SaveSession
from core.store.usage import AddUsage

_log = structlog.get_logger(__name__)

CAN_BE_RELIEVED: Final = frozenset({EndReason.RATE_LIMITED, EndReason.UNAVAILABLE})
"""Ends that another engine may make good, once."""


class TurnStop(StrEnum):
    """Why a turn was stopped."""

    PERSON = "person"
    SHUTDOWN = "shutdown"
    REPEATING = "repeating"


@dataclass(frozen=True, slots=True)
class Closing:
    """What a turn stores where an engine called back: what still waits for a person is closed by it, as far as the log
    knows in that very transaction."""

    said: tuple[EventData, ...]
    end: tuple[EventData, ...]
    chips: Chips = NO_CHIPS

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The last things said, what nobody answered, the end, and what may be sent next."""
        ending = (*self.said, *unanswered(state), *self.end)
        return (*ending, *self.chips.events(state, ending))


class Backing(Protocol):
    """What a turn needs of whoever runs it."""

    async def brief(self, opened: Opened, used: Spent) -> Briefing | Budget:
        """What the engine is given, when the turn has `used` so much; a budget, where it may not be asked any more."""
        ...

    async def relief(self, opened: Opened) -> Opened | None:
        """The same turn on the engine that takes over now; None where there is none."""
        ...

    def note(self, turn: "Turn", used: Spent) -> None:
        """What a turn used so far that is not stored yet."""
        ...


class Turn:
    """Runs one turn to its end."""

    def __init__(
        self, opened: Opened, backing: Backing, *, database: Database, files: FileStore, feed: LiveFeed, clock: Clock
    ) -> None:
        self.opened = opened
        self._backing = backing
        self._database = database
        self._clock = clock
        self._log = EventLog(database)
        self._record = Record(opened, log=self._log, files=files, feed=feed, clock=clock)
        self._engine = EngineRun(opened.engine, clock)
        self._relieved: EngineRun | None = None
        self._used_before: Usage | None = None
        """What the engine used that another one took over from; it stands in the log."""
        self._budget: Budget | None = None
        """The limit that nothing is left of."""
        self._stopped_by: TurnStop | None = None
        self._suggested = Suggested()
        self._was_called = False
        """A call back began, so that something which is not this turn's to know may be open in the log."""
        self.is_ending = False
        """Everything was said; only the end is still to be stored."""
        self.ended = asyncio.Event()
        """Set by whoever runs the turn, when nothing of it goes on any more."""

    @property
    def seq(self) -> int:
        """The turn's id."""
        return self.opened.seq

    @property
    def _model(self) -> str | None:
        """The model that answers; by the end an engine may know which one it takes where none is named."""
        return self.opened.model or self.opened.engine.default_model()

    @property
    def uncounted(self) -> tuple[AddUsage, ...]:
        """What was used and is not stored yet."""
        usage = self._record.usage
        return (AddUsage(self.opened.engine.id, self._model, usage),) if usage else ()

    def snapshot(self) -> tuple[str, str] | None:
        """The id and the words so far of the message being written; None between messages."""
        return self._record.snapshot()

    def stop(self, why: TurnStop) -> None:
        """End the turn soon; words that come later are dropped. Harmless when it is ending already."""
        if self._stopped_by is None and not self.is_ending:
            self._stopped_by = why
            self._engine.stop()

    async def run(self) -> None:
        """Answer, and write down what happens; comes back when `turn.completed` is stored.

        Raises:
            ConchError: the end cannot be stored, whatever is left out of it.
        """
        ended = await self._answer()
        if relief := await self._relief(ended):
            await self._hand_over(relief, ended)
            ended = await self._answer()
        await self._close(ended)
        for engine in (self._relieved, self._engine):
            if engine is not None:
                await engine.let_go()

    # ---- one engine's answer ---------------------------------------------------------------------------------------

    async def _answer(self) -> Ended:
        if self._stopped_by is None and not await is_ready(self.opened.engine):
            return Ended(EndReason.UNAVAILABLE)
        briefing = await self._backing.brief(self.opened, spent(self._used_before))
        if self._stopped_by is not None:
            return Ended(EndReason.CANCELLED)
        if isinstance(briefing, Budget):
            self._budget = briefing
            return Ended(EndReason.BUDGET)
        self._suggested = briefing.suggested
        self._engine.begin(briefing.turn, briefing.memory, briefing.host)
        try:
            ended = await self._write_down()
        except Exception:  # noqa: BLE001 - what cannot be written ends the turn, and the person hears that it broke
            _log.exception("a turn could not be written down", conversation=self.opened.conversation_id)
            self._engine.abandon()
            return Ended(EndReason.CRASHED)
        except BaseException:
            self._engine.abandon()
            raise
        self._budget = briefing.allowed.reached(spent(self._record.usage))
        return ended

    async def _write_down(self) -> Ended:
        """Take what the engine says until its end; what comes at once is stored at once."""
        while not isinstance(event := await self._engine.next(), Ended):
            if isinstance(event, Call):
                await self._let_call(event)
                continue
            if self._stopped_by is None:
                await self._record.take(event, self._view_of(event))
                self._end_repetition()
                if isinstance(event, Used):
                    self._backing.note(self, spent(event.usage))
            if not self._engine.is_ahead:
                await self._store()
        return event

    async def _let_call(self, call: Call) -> None:
        """A call back may put something into the log: it waits for the words before it. After a stop none begins."""
        if self._stopped_by is None:
            self._record.finish_message()
            self._end_repetition()
            await self._store()
        if self._stopped_by is None:
            self._was_called = True
            call.go_on()

    def _view_of(self, event: EngineEvent) -> ToolView | None:
        """What a tool call that ended well shows; guests are shown nothing."""
        if isinstance(event, ToolCallEnded) and event.status == "ok" and not self.opened.for_guest:
            return self._engine.take_view(event.id)
        return None

    def _end_repetition(self) -> None:
        if self._record.repeats:
            self.stop(TurnStop.REPEATING)

    async def _store(self) -> None:
        if complete := self._record.taken():
            await until_stored(self._database, self._clock, Append(self.opened.conversation_id, complete))

    # ---- another engine takes over ---------------------------------------------------------------------------------

    async def _relief(self, ended: Ended) -> Opened | None:
        """The turn on another engine, where that may help; nobody answers any more after a stop."""
        if ended.reason not in CAN_BE_RELIEVED or self._stopped_by is not None:
            return None
        relief = await self._backing.relief(self.opened)
        return relief if self._stopped_by is None else None

    async def _hand_over(self, relief: Opened, ended: Ended) -> None:
        """Store what there is, all but words in the middle of a message, and go on with the other engine.

        What the first one would remember is not kept: it hears of this turn when it next answers.
        """
        _log.warning("another engine takes over", engine=self.opened.engine.id, to=relief.engine.id, why=ended.reason)
        await self._engine.take_back()
        self._record.drop_message()
        self._record.close_tools("error")
        routed = TurnRouted(
            from_engine=self.opened.engine.id,
            to_engine=relief.engine.id,
            reason=ended.reason.value,
            from_title=self.opened.engine.title,
            to_title=relief.engine.title,
            to_model=relief.model,
        )
        said = self._facts(self._record.taken(), (routed,))
        await until_stored(self._database, self._clock, said, *self.uncounted)
        self._used_before, self._record.usage = self._record.usage, None
        self._backing.note(self, NOTHING)
        self._relieved, self._engine = self._engine, EngineRun(relief.engine, self._clock)
        self.opened = self._record.opened = relief

    # ---- the end ---------------------------------------------------------------------------------------------------

    async def _close(self, ended: Ended) -> None:
        """Write the end: the last message, tools left open, `turn.completed`, what was used, what the engine knows."""
        self.is_ending = True
        await self._engine.take_back()
        self._record.finish_message()
        self._record.close_tools("stopped" if self._stopped_by is TurnStop.PERSON else "error")
        end = self._outcome(ended)
        closing = (self._facts(self._record.taken(), end, self._chips(end)), *self.uncounted)
        if not await self._stored_with_memory(closing):
            await until_stored(self._database, self._clock, *closing)
        self._record.usage = None
        self._backing.note(self, NOTHING)

    def _facts(self, said: tuple[EventData, ...], end: tuple[EventData, ...], chips: Chips = NO_CHIPS) -> Change[Any]:
        conversation_id = self.opened.conversation_id
        if self._was_called or chips:
            return Decide(conversation_id, Closing(said, end, chips))
        return Append(conversation_id, (*said, *end))

    def _chips(self, end: tuple[EventData, ...]) -> Chips:
        """What may stand under the answer: nothing where it went wrong or nobody is there."""
        went_well = isinstance(end[-1], TurnCompleted) and end[-1].outcome == "success"
        if not went_well or not attendance(self.opened.message).attended:
            return NO_CHIPS
        has_tools = self.opened.engine.capabilities.host_tools != "none"
        return Chips(self._suggested.replies, own_replies(self._record.last_words) if has_tools else ())

    async def _stored_with_memory(self, closing: Sequence[Change[Any]]) -> bool:
        memory = self._engine.memory
        if memory is None:
            return False
        session = SaveSession(self.opened.conversation_id, self.opened.engine.id, memory)
        try:
            await until_stored(self._database, self._clock, *closing, session)
        except MaybeDone:
            state = await patiently(lambda: self._log.state(self.opened.conversation_id), self._clock)
            return state.turn_seq != self.seq
        except Exception:  # noqa: BLE001 - an engine that cannot be remembered starts anew next time; the answer stands
            _log.exception("an engine's memory cannot be stored", engine=self.opened.engine.id)
            return False
        return True

    def _outcome(self, ended: Ended) -> tuple[EventData, ...]:
        """`turn.completed`, and before it what there is to say about an end that is no error."""
        match self._stopped_by:
            case TurnStop.PERSON:
                return (self._completed("interrupted", cut_off_by="stop"),)
            case TurnStop.SHUTDOWN:
                return (self._completed("interrupted", cut_off_by="restart"),)
            case TurnStop.REPEATING:
                ended = Ended(EndReason.CRASHED)
        if problems.problem_of(ended.reason) is not None:
            return (self._completed("error", ended),)
        remark = problems.remark(ended, self.opened.engine.title)
        completed = self._completed("interrupted" if ended.reason is EndReason.CANCELLED else "success")
        return (remark, completed) if remark else (completed,)

    def _completed(
        self,
        outcome: Literal["success", "interrupted", "error"],
        ended: Ended | None = None,
        cut_off_by: Literal["stop", "restart"] | None = None,
    ) -> TurnCompleted:
        opened, usage = self.opened, _together(self._used_before, self._record.usage)
        return TurnCompleted(
            outcome=outcome,
            engine=opened.engine.id,
            model=self._model,
            usage=usage,
            cost=usage.cost if usage else None,
            error=self._sentence(ended) if ended else None,
            problem=problems.problem_of(ended.reason) if ended else None,
            cut_off_by=cut_off_by,
        )

    def _sentence(self, ended: Ended) -> str | None:
        if self._stopped_by is TurnStop.REPEATING:
            return problems.REPEATING
        words: str | None = storable(problems.told(self.opened, ended, self._budget))
        return words


def _together(first: Usage | None, second: Usage | None) -> Usage | None:
    """What two engines used for one turn; how full a context is, is said of the second."""
    if first is None or second is None:
        return first or second
    costs = [usage.cost for usage in (first, second) if usage.cost is not None]
    return second.model_copy(
        update={
            "input": first.input + second.input,
            "output": first.output + second.output,
            "cached": first.cached + second.cached,
            "cost": sum(costs) if costs else None,
        }
    )
