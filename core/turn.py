"""One turn: an engine's events on their way into the log.

A turn that began always ends with `turn.completed`. What the engine may do wrong on the way is `core.engines.run`'s;
who may start a turn and what comes after it is decided in `core.conversations`.
"""

import asyncio
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

import structlog

from core import problems
from core.clock import Clock
from core.conversation_state import ConversationState
from core.engines import base as engine_events
from core.engines.base import Ended, EndReason, Engine, EngineEvent, Host, TurnInput
from core.engines.calls import Call
from core.engines.run import EngineRun
from core.events import (
    AssistantMessage,
    Attachment,
    ContextCompacted,
    EventData,
    Mode,
    Notice,
    PlanUpdated,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    Usage,
)
from core.files import FileStore, clean_name
from core.live import Delta, LiveFeed, Written
from core.patience import patiently, until_stored
from core.projections import unanswered
from core.store.database import Database
from core.store.log import Append, Decide, EventLog
from core.store.queue import QueuedMessage
from core.store.sessions import SaveSession

_log = structlog.get_logger(__name__)

EQUAL_MESSAGES: Final = 3
"""How often a turn may say the same message; an engine that goes on is stopped."""

MAX_STEPS: Final = 30
"""Of a plan; an engine's longer one is cut."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""Half of a pair that stands for one character: text cut in the middle has it, and no database takes it."""

ToolStatus = Literal["ok", "error", "stopped"]


class TurnStop(StrEnum):
    """Why a turn was stopped."""

    PERSON = "person"
    SHUTDOWN = "shutdown"
    REPEATING = "repeating"


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn that stands in the log, and the message that it answers.

    `seq` is the seq of its `turn.started`, which is its id; `first_seq` of the first event that opened it. `state` is
    the conversation as it was right after.
    """

    conversation_id: str
    first_seq: int
    seq: int
    engine: Engine
    model: str | None
    state: ConversationState
    message: QueuedMessage


@dataclass(slots=True)
class _Writing:
    """The message that is being written."""

    message_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    attachments: list[Attachment] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a turn whose engine called back: what still waits for a person is closed with it, by what the log
    knows in that very transaction."""

    said: tuple[EventData, ...]
    end: tuple[EventData, ...]

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The last things said, what nobody answered, and the end."""
        return (*self.said, *unanswered(state), *self.end)


class Turn:
    """Runs one turn to its end."""

    def __init__(
        self, opened: Opened, host: Host, *, database: Database, files: FileStore, feed: LiveFeed, clock: Clock
    ) -> None:
        self.opened = opened
        self._host = host
        self._database = database
        self._files = files
        self._feed = feed
        self._clock = clock
        self._engine = EngineRun(opened.engine, clock)
        self._unwritten: list[EventData] = []
        self._writing: _Writing | None = None
        self._open_tools: dict[str, tuple[str, float]] = {}
        self._said: dict[str, int] = {}
        self._usage: Usage | None = None
        self._stopped_by: TurnStop | None = None
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

    def snapshot(self) -> tuple[str, str] | None:
        """The id and the words so far of the message being written; None between messages."""
        return (self._writing.message_id, self._writing.text) if self._writing else None

    def stop(self, why: TurnStop) -> None:
        """End the turn soon; words that come later are dropped. Harmless when it is ending already."""
        if self._stopped_by is None and not self.is_ending:
            self._stopped_by = why
            self._engine.stop()

    async def run(self, turn: TurnInput, memory: Mapping[str, Any] | None) -> None:
        """Answer, and write down what happens; comes back when `turn.completed` is stored.

        Raises:
            ConchError: the end cannot be stored, whatever is left out of it.
        """
        await self._close(await self._answer(turn, memory))
        await self._engine.let_go()

    async def _answer(self, turn: TurnInput, memory: Mapping[str, Any] | None) -> Ended:
        if self._stopped_by is not None:
            return Ended(EndReason.CANCELLED)
        self._engine.begin(turn, memory, self._host)
        try:
            return await self._write_down()
        except Exception:  # noqa: BLE001 - what cannot be written ends the turn, and the person hears that it broke
            _log.exception("a turn could not be written down", conversation=self.opened.conversation_id)
            self._engine.abandon()
            return Ended(EndReason.CRASHED)
        except BaseException:
            self._engine.abandon()
            raise

    async def _write_down(self) -> Ended:
        """Take what the engine says until its end; what comes at once is stored at once."""
        while not isinstance(event := await self._engine.next(), Ended):
            if isinstance(event, Call):
                await self._let_call(event)
                continue
            if self._stopped_by is None:
                await self._take(event)
            if not self._engine.is_ahead:
                await self._store()
        return event

    async def _let_call(self, call: Call) -> None:
        """A call back may put something into the log: it waits for the words before it. After a stop none begins."""
        if self._stopped_by is None:
            self._finish_message()
            await self._store()
            self._was_called = True
        if self._stopped_by is None:
            call.go_on()

    async def _store(self) -> None:
        if self._unwritten:
            facts, self._unwritten = tuple(self._unwritten), []
            await until_stored(self._database, self._clock, Append(self.opened.conversation_id, facts))

    # ---- what the log keeps of an event; thinking is not kept -------------------------------------------------------

    async def _take(self, event: EngineEvent) -> None:
        match event:
            case engine_events.Text(delta):
                self._write(_storable(delta))
            case engine_events.FileMade():
                await self._keep_file(event)
            case engine_events.MessageEnd():
                self._finish_message()
            case engine_events.ToolCallStarted():
                self._finish_message()
                self._start_tool(event)
            case engine_events.ToolCallEnded():
                self._end_tool(event)
            case engine_events.Plan() | engine_events.Noticed() | engine_events.Compacted():
                self._unwritten.append(self._fact(event))
            case engine_events.ModeChanged(mode):
                await self._change_mode(mode)
            case engine_events.Used(usage):
                self._usage = usage
            case _:
                pass

    def _current(self) -> _Writing:
        if self._writing is None:
            self._writing = _Writing()
        return self._writing

    def _write(self, words: str) -> None:
        if not words:
            return
        writing = self._current()
        delta = Delta(self.opened.conversation_id, self.seq, writing.message_id, writing.length, words)
        writing.pieces.append(words)
        writing.length += len(words)
        self._feed.publish(delta)

    async def _keep_file(self, made: engine_events.FileMade) -> None:
        if self.opened.message.origin.role == "guest":
            _log.warning("an engine made a file for a guest; it is left out", engine=self.opened.engine.id)
            return
        try:
            kept = await self._files.save_bytes(made.name, made.mime, made.content, _storable(made.caption))
        except OSError:
            _log.exception("a file that an engine made could not be kept", conversation=self.opened.conversation_id)
            self._unwritten.append(problems.file_not_kept(clean_name(made.name)))
        else:
            self._current().attachments.append(kept)

    def _finish_message(self) -> None:
        writing, self._writing = self._writing, None
        if writing is None:
            return
        self._feed.publish(Written(self.opened.conversation_id, self.seq, writing.message_id))
        text = writing.text
        if not (text.strip() or writing.attachments):
            return
        if not writing.attachments:
            words = text.strip()
            self._said[words] = self._said.get(words, 0) + 1
            if self._said[words] > EQUAL_MESSAGES:
                self.stop(TurnStop.REPEATING)
                return
        message = AssistantMessage(message_id=writing.message_id, text=text, attachments=tuple(writing.attachments))
        self._unwritten.append(message)

    def _start_tool(self, call: engine_events.ToolCallStarted) -> None:
        name = _storable(call.name)
        self._open_tools[call.id] = (name, self._clock.monotonic())
        self._unwritten.append(ToolStarted(tool_use_id=call.id, name=name, input=_storable(call.args)))

    def _end_tool(self, call: engine_events.ToolCallEnded) -> None:
        if call.id in self._open_tools:
            self._unwritten.append(self._tool_finished(call.id, call.status, _storable(call.text)))
        else:
            _log.warning("an engine ended a tool call that is not open", engine=self.opened.engine.id)

    def _tool_finished(self, call_id: str, status: ToolStatus, text: str) -> ToolFinished:
        name, began = self._open_tools.pop(call_id)
        took = round((self._clock.monotonic() - began) * 1000)
        return ToolFinished(tool_use_id=call_id, name=name, status=status, output=text, duration_ms=took)

    async def _change_mode(self, mode: Mode) -> None:
        """The chat's other options may have changed since the turn began; only the mode is the engine's."""
        log = EventLog(self._database)
        options = (await patiently(lambda: log.state(self.opened.conversation_id), self._clock)).options
        if options.mode is not mode:
            self._unwritten.append(options.model_copy(update={"mode": mode}))

    def _fact(self, event: engine_events.Plan | engine_events.Noticed | engine_events.Compacted) -> EventData:
        match event:
            case engine_events.Plan(steps):
                return PlanUpdated(steps=steps[:MAX_STEPS])
            case engine_events.Noticed(code, message):
                return Notice(code=code, message=_storable(message))
            case engine_events.Compacted(summary, before_seq, turns, model):
                engine, words = self.opened.engine.id, _storable(summary)
                return ContextCompacted(summary=words, before_seq=before_seq, engine=engine, model=model, turns=turns)

    # ---- the end ---------------------------------------------------------------------------------------------------

    async def _close(self, ended: Ended) -> None:
        """Write the end: the last message, tools left open, `turn.completed`, and what the engine remembers now."""
        self.is_ending = True
        await self._engine.take_back()
        self._finish_message()
        opened, memory = self.opened, self._engine.memory
        status: ToolStatus = "stopped" if self._stopped_by is TurnStop.PERSON else "error"
        tools = [self._tool_finished(call_id, status, "") for call_id in tuple(self._open_tools)]
        said, end = (*self._unwritten, *tools), self._outcome(ended)
        closing: Append | Decide = Append(opened.conversation_id, (*said, *end))
        if self._was_called:
            closing = Decide(opened.conversation_id, Closing(said, end))
        if memory is None or not await self._stored(
            closing, SaveSession(opened.conversation_id, opened.engine.id, memory)
        ):
            await until_stored(self._database, self._clock, closing)

    async def _stored(self, closing: Append | Decide, session: SaveSession) -> bool:
        try:
            await until_stored(self._database, self._clock, closing, session)
        except Exception:  # noqa: BLE001 - an engine that cannot be remembered starts anew next time; the answer stands
            _log.exception("an engine's memory cannot be stored", engine=self.opened.engine.id)
            return False
        return True

    def _outcome(self, ended: Ended) -> tuple[EventData, ...]:
        """`turn.completed`, and before it what there is to say about an end that is no error."""
        title = self.opened.engine.title
        match self._stopped_by:
            case TurnStop.PERSON:
                return (self._completed("interrupted", cut_off_by="stop"),)
            case TurnStop.SHUTDOWN:
                return (self._completed("interrupted", cut_off_by="restart"),)
            case TurnStop.REPEATING:
                ended = Ended(EndReason.CRASHED, problems.REPEATING.format(engine=title))
        if problems.problem_of(ended.reason) is not None:
            return (self._completed("error", ended),)
        remark = problems.remark(ended, title)
        completed = self._completed("interrupted" if ended.reason is EndReason.CANCELLED else "success")
        return (remark, completed) if remark else (completed,)

    def _completed(
        self,
        outcome: Literal["success", "interrupted", "error"],
        ended: Ended | None = None,
        cut_off_by: Literal["stop", "restart"] | None = None,
    ) -> TurnCompleted:
        opened, usage = self.opened, self._usage
        return TurnCompleted(
            outcome=outcome,
            engine=opened.engine.id,
            model=opened.model,
            usage=usage,
            cost=usage.cost if usage else None,
            error=_storable(problems.sentence(ended, opened.engine.title)) if ended else None,
            problem=problems.problem_of(ended.reason) if ended else None,
            cut_off_by=cut_off_by,
        )


def _storable(value: Any) -> Any:  # noqa: ANN401 - any value in, and one of the same kind out
    """The value as JSON can hold it: no half characters, and what is none of JSON's types as text."""
    match value:
        case str():
            return _HALF_CHARACTER.sub("\ufffd", value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {_storable(str(key)): _storable(item) for key, item in value.items()}
        case list() | tuple():
            return [_storable(item) for item in value]
    return _storable(str(value))
