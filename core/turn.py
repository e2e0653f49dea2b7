"""One turn: an engine's events on their way into the log.

A turn that began always ends with `turn.completed`, whatever the engine does: it crashes, forgets to end, goes on after
its end, ignores a stop. Who may start a turn and what comes after it is decided in `core.conversations`.
"""

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import structlog

from core import problems
from core.clock import Clock
from core.conversation_state import ConversationState
from core.engines import base as engine_events
from core.engines.base import Ended, EndReason, Engine, EngineEvent, Host, Session, TurnInput
from core.events import (
    AssistantMessage,
    Attachment,
    EventData,
    Notice,
    OptionsSet,
    PlanUpdated,
    ToolFinished,
    ToolStarted,
    TurnCompleted,
    Usage,
)
from core.files import FileStore
from core.live import Delta, LiveFeed
from core.patience import until_stored
from core.store.database import Database
from core.store.log import Append
from core.store.sessions import SaveSession

_log = structlog.get_logger(__name__)

STOP_GRACE = 4.0
"""Seconds that an engine has to end after a stop; then it is abandoned."""

EQUAL_MESSAGES = 3
"""How often a turn may say the same message; an engine that goes on is stopped."""

_AHEAD = 1_000
"""Engine events that may wait to be written."""


ToolStatus = Literal["ok", "error", "stopped"]


class TurnStop(StrEnum):
    """Why a turn was stopped."""

    PERSON = "person"
    SHUTDOWN = "shutdown"
    REPEATING = "repeating"


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn that stands in the log.

    `seq` is the seq of its `turn.started`, which is its id; `first_seq` of the first event that opened it. `state` is
    the conversation as it was right after.
    """

    conversation_id: str
    first_seq: int
    seq: int
    engine: Engine
    state: ConversationState

    @property
    def options(self) -> OptionsSet:
        """The chat's options when the turn began."""
        return self.state.options


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


class Turn:
    """Runs one turn to its end."""

    def __init__(
        self, opened: Opened, host: Host, *, database: Database, files: FileStore, feed: LiveFeed, clock: Clock
    ) -> None:
        self._opened = opened
        self._host = host
        self._database = database
        self._files = files
        self._feed = feed
        self._clock = clock
        self._queue: asyncio.Queue[EngineEvent] = asyncio.Queue(_AHEAD)
        self._writing: _Writing | None = None
        self._open_tools: dict[str, tuple[str, float]] = {}
        self._said: dict[str, int] = {}
        self._usage: Usage | None = None
        self._session: Session | None = None
        self._stopped_by: TurnStop | None = None
        self._stop_asked = asyncio.Event()
        self.ended = asyncio.Event()

    @property
    def seq(self) -> int:
        """The turn's id."""
        return self._opened.seq

    def snapshot(self) -> tuple[str, str] | None:
        """The id and the words so far of the message being written; None between messages."""
        return (self._writing.message_id, self._writing.text) if self._writing else None

    def stop(self, why: TurnStop) -> None:
        """End the turn soon; words that come later are dropped. Harmless when it is ending already."""
        if self._stopped_by is None:
            self._stopped_by = why
            self._stop_asked.set()

    async def run(self, turn: TurnInput, state: Mapping[str, Any] | None) -> None:
        """Answer, and write down what happens; comes back when `turn.completed` is stored."""
        pump = asyncio.create_task(self._pump(turn, state), name="engine")
        stopper = asyncio.create_task(self._stopper(pump), name="stop")
        try:
            ended = await self._write_down()
        finally:
            stopper.cancel()
            pump.cancel()
            await asyncio.gather(pump, stopper, return_exceptions=True)
        await self._close(ended)
        self.ended.set()

    async def _pump(self, turn: TurnInput, state: Mapping[str, Any] | None) -> None:
        """Drain the engine into the queue; nothing that waits for a chat app sits in this loop."""
        opened = self._opened
        try:
            self._session = await opened.engine.open(state)
            async for event in self._session.run(turn, self._host):
                await self._queue.put(event)
                if isinstance(event, Ended):
                    return
            _log.error("an engine ended without saying so", engine=opened.engine.id)
        except Exception:  # noqa: BLE001 - whatever an engine raises, the turn ends in words
            _log.exception("an engine failed", engine=opened.engine.id, conversation=opened.conversation_id)
        await self._queue.put(Ended(EndReason.CRASHED))

    async def _stopper(self, pump: asyncio.Task[None]) -> None:
        """After a stop: ask the engine to end, and abandon it when it does not."""
        await self._stop_asked.wait()
        grace = asyncio.create_task(self._clock.sleep(STOP_GRACE))
        ask = asyncio.create_task(self._ask_to_end())
        try:
            await asyncio.wait({grace, pump}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            grace.cancel()
            ask.cancel()
            await asyncio.gather(grace, ask, return_exceptions=True)
        if not pump.done():
            _log.warning("an engine ignored a stop and was abandoned", engine=self._opened.engine.id)
            pump.cancel()
            await self._queue.put(Ended(EndReason.CANCELLED))

    async def _ask_to_end(self) -> None:
        if self._session is not None:
            await self._session.cancel()

    async def _write_down(self) -> Ended:
        while True:
            event = await self._queue.get()
            if isinstance(event, Ended):
                return event
            if self._stopped_by is None:
                await self._take(event)

    async def _take(self, event: EngineEvent) -> None:
        match event:
            case engine_events.Text(delta):
                self._write(delta)
            case engine_events.FileMade(name, mime, content, caption):
                self._current().attachments.append(await self._files.save_bytes(name, mime, content, caption))
            case engine_events.MessageEnd() | engine_events.ToolCallStarted():
                await self._append(*self._finish_message(), *self._facts(event))
            case engine_events.Used(usage):
                self._usage = usage
            case _:
                await self._append(*self._facts(event))

    def _facts(self, event: EngineEvent) -> tuple[EventData, ...]:
        """What the log keeps of an event; thinking is not kept."""
        match event:
            case engine_events.ToolCallStarted(call_id, name, args):
                self._open_tools[call_id] = (name, self._clock.monotonic())
                return (ToolStarted(tool_use_id=call_id, name=name, input=dict(args)),)
            case engine_events.ToolCallEnded(call_id, status, text):
                return (self._finish_tool(call_id, status, text),)
            case engine_events.Plan(steps):
                return (PlanUpdated(steps=steps),)
            case engine_events.ModeChanged(mode):
                return (self._opened.options.model_copy(update={"mode": mode}),)
            case engine_events.Noticed(code, message):
                return (Notice(code=code, message=message),)
        return ()

    def _current(self) -> _Writing:
        if self._writing is None:
            self._writing = _Writing()
        return self._writing

    def _write(self, words: str) -> None:
        if not words:
            return
        writing = self._current()
        delta = Delta(self._opened.conversation_id, self.seq, writing.message_id, writing.length, words)
        writing.pieces.append(words)
        writing.length += len(words)
        self._feed.publish(delta)

    def _finish_message(self) -> tuple[EventData, ...]:
        writing, self._writing = self._writing, None
        if writing is None or not (writing.text.strip() or writing.attachments):
            return ()
        text = writing.text
        if not writing.attachments:
            self._said[text] = self._said.get(text, 0) + 1
            if self._said[text] > EQUAL_MESSAGES:
                self.stop(TurnStop.REPEATING)
                return ()
        message = AssistantMessage(message_id=writing.message_id, text=text, attachments=tuple(writing.attachments))
        return (message,)

    def _finish_tool(self, call_id: str, status: ToolStatus, text: str) -> ToolFinished:
        name, began = self._open_tools.pop(call_id, ("", self._clock.monotonic()))
        took = round((self._clock.monotonic() - began) * 1000)
        return ToolFinished(tool_use_id=call_id, name=name, status=status, output=text, duration_ms=took)

    async def _append(self, *data: EventData) -> None:
        if data:
            await until_stored(self._database, self._clock, Append(self._opened.conversation_id, data))

    async def _close(self, ended: Ended) -> None:
        """Write the end: the last message, tools left open, `turn.completed`, and the session as it is now."""
        opened = self._opened
        closing: list[EventData] = [*self._finish_message()]
        status: ToolStatus = "stopped" if self._stopped_by else "error"
        closing += [self._finish_tool(call_id, status, "") for call_id in tuple(self._open_tools)]
        closing.append(self._completed(ended))
        saved = await self._session_state()
        await until_stored(
            self._database,
            self._clock,
            Append(opened.conversation_id, tuple(closing)),
            *((SaveSession(opened.conversation_id, opened.engine.id, saved),) if saved is not None else ()),
        )

    def _completed(self, ended: Ended) -> TurnCompleted:
        opened = self._opened
        cost = self._usage.cost if self._usage else None
        interrupted = self._stopped_by in (TurnStop.PERSON, TurnStop.SHUTDOWN) or ended.reason is EndReason.CANCELLED
        if self._stopped_by is TurnStop.REPEATING:
            ended = Ended(EndReason.CRASHED, "The engine kept saying the same thing, so it was stopped.")
            interrupted = False
        error = None if interrupted else problems.sentence(ended, opened.engine.title)
        return TurnCompleted(
            outcome="interrupted" if interrupted else "error" if error else "success",
            engine=opened.engine.id,
            model=opened.options.model,
            usage=self._usage,
            cost=cost,
            error=error,
            problem=None if interrupted else problems.problem_of(ended.reason),
            cut_off_by=("restart" if self._stopped_by is TurnStop.SHUTDOWN else "stop") if interrupted else None,
        )

    async def _session_state(self) -> Mapping[str, Any] | None:
        session = self._session
        if session is None:
            return None
        try:
            state = session.state()
            await session.close()
        except Exception:  # noqa: BLE001 - an engine that cannot save starts anew next time; the answer stands
            _log.exception("an engine's session could not be saved", engine=self._opened.engine.id)
            return None
        return state
