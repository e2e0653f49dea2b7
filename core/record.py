"""What one turn says, on its way from engine events to events of the log.

Words are live as they come; what is complete waits in `taken` until the turn stores it. Thinking is not kept. Which
engine speaks, when it is stored and how a turn ends is `core.turn`'s.
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import structlog

from core import problems
from core.cards import ToolView
from core.clock import Clock
from core.engines import base as engine_events
from core.engines.base import EngineEvent
from core.events import (
    AssistantMessage,
    Attachment,
    ContextCompacted,
    EventData,
    Mode,
    Notice,
    OptionsSet,
    PlanUpdated,
    ToolFinished,
    ToolStarted,
    Usage,
)
from core.files import FileStore, clean_name
from core.live import Delta, Dropped, LiveFeed, Written
from core.opened import Opened
from core.patience import patiently
from core.store.log import EventLog
from core.views import cleaned

_log = structlog.get_logger(__name__)

EQUAL_MESSAGES: Final = 3
"""How often a turn may say the same message; an engine that goes on is stopped."""

MAX_STEPS: Final = 30
"""Of a plan; an engine's longer one is cut."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""Half of a pair that stands for one character: text cut in the middle has it, and no database takes it."""

ToolStatus = Literal["ok", "error", "stopped"]


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


class Record:
    """Takes what the engines of one turn say."""

    def __init__(self, opened: Opened, *, log: EventLog, files: FileStore, feed: LiveFeed, clock: Clock) -> None:
        self.opened = opened
        """The turn, as it is for the engine that speaks now."""
        self.usage: Usage | None = None
        """What that engine used so far."""
        self.repeats = False
        """It has said the same message too often."""
        self.last_words = ""
        """The newest message that is complete."""
        self._log = log
        self._files = files
        self._feed = feed
        self._clock = clock
        self._complete: list[EventData] = []
        self._writing: _Writing | None = None
        self._open_tools: dict[str, tuple[str, float]] = {}
        self._said: dict[str, int] = {}

    def snapshot(self) -> tuple[str, str] | None:
        """The id and the words so far of the message being written; None between messages."""
        return (self._writing.message_id, self._writing.text) if self._writing else None

    def taken(self) -> tuple[EventData, ...]:
        """What is complete and was not asked for before."""
        complete, self._complete = tuple(self._complete), []
        return complete

    async def take(self, event: EngineEvent, view: ToolView | None = None) -> None:
        """Keep what the log keeps of an event; `view` is what the tool call that ends with it shows."""
        match event:
            case engine_events.Text(delta):
                self._write(storable(delta))
            case engine_events.FileMade():
                await self._keep_file(event)
            case engine_events.MessageEnd():
                self.finish_message()
            case engine_events.ToolCallStarted():
                self.finish_message()
                self._start_tool(event)
            case engine_events.ToolCallEnded():
                self._end_tool(event, view)
            case engine_events.ModeChanged(mode):
                await self._change_mode(mode)
            case engine_events.Used(usage):
                self.usage = usage
            case _:
                self._complete += self._facts(event)

    def _facts(self, event: EngineEvent) -> tuple[EventData, ...]:
        """Events that go into the log as they are; thinking does not."""
        match event:
            case engine_events.Plan(steps):
                return (PlanUpdated(steps=steps[:MAX_STEPS]),)
            case engine_events.Noticed(code, message):
                return (Notice(code=code, message=storable(message)),)
            case engine_events.Compacted():
                return (self._compacted(event),)
        return ()

    # ---- messages --------------------------------------------------------------------------------------------------

    def finish_message(self) -> None:
        """The message being written has all its words."""
        writing, self._writing = self._writing, None
        if writing is None:
            return
        self._feed.publish(Written(self.opened.conversation_id, self.opened.seq, writing.message_id))
        text = writing.text
        if not (text.strip() or writing.attachments):
            return
        if not writing.attachments:
            words = text.strip()
            self._said[words] = self._said.get(words, 0) + 1
            if self._said[words] > EQUAL_MESSAGES:
                self.repeats = True
                return
        self.last_words = text
        message = AssistantMessage(message_id=writing.message_id, text=text, attachments=tuple(writing.attachments))
        self._complete.append(message)

    def drop_message(self) -> None:
        """Take back the message being written: another engine begins anew."""
        writing, self._writing = self._writing, None
        if writing is not None:
            self._feed.publish(Dropped(self.opened.conversation_id, self.opened.seq, writing.message_id))

    def _current(self) -> _Writing:
        if self._writing is None:
            self._writing = _Writing()
        return self._writing

    def _write(self, words: str) -> None:
        if not words:
            return
        writing = self._current()
        delta = Delta(self.opened.conversation_id, self.opened.seq, writing.message_id, writing.length, words)
        writing.pieces.append(words)
        writing.length += len(words)
        self._feed.publish(delta)

    async def _keep_file(self, made: engine_events.FileMade) -> None:
        if self.opened.for_guest:
            _log.warning("an engine made a file for a guest; it is left out", engine=self.opened.engine.id)
            return
        try:
            kept = await self._files.save_bytes(made.name, made.mime, made.content, storable(made.caption))
        except OSError:
            _log.exception("a file that an engine made could not be kept", conversation=self.opened.conversation_id)
            self._complete.append(problems.file_not_kept(clean_name(made.name)))
        else:
            self._current().attachments.append(kept)

    # ---- tools -----------------------------------------------------------------------------------------------------

    def close_tools(self, status: ToolStatus) -> None:
        """End the tool calls that are still open."""
        self._complete += [self._tool_finished(call_id, status, "") for call_id in tuple(self._open_tools)]

    def _start_tool(self, call: engine_events.ToolCallStarted) -> None:
        name = storable(call.name)
        self._open_tools[call.id] = (name, self._clock.monotonic())
        self._complete.append(ToolStarted(tool_use_id=call.id, name=name, input=storable(call.args)))

    def _end_tool(self, call: engine_events.ToolCallEnded, view: ToolView | None) -> None:
        if call.id in self._open_tools:
            self._complete.append(self._tool_finished(call.id, call.status, storable(call.text), view))
        else:
            _log.warning("an engine ended a tool call that is not open", engine=self.opened.engine.id)

    def _tool_finished(self, call_id: str, status: ToolStatus, text: str, view: ToolView | None = None) -> ToolFinished:
        name, began = self._open_tools.pop(call_id)
        took = round((self._clock.monotonic() - began) * 1000)
        shown = cleaned(view) if view is not None else None
        return ToolFinished(tool_use_id=call_id, name=name, status=status, output=text, duration_ms=took, view=shown)

    # ---- what else -------------------------------------------------------------------------------------------------

    async def _change_mode(self, mode: Mode) -> None:
        """The chat's other options may have changed since the turn began; only the mode is the engine's."""
        waiting = [data for data in self._complete if isinstance(data, OptionsSet)]
        state = await patiently(lambda: self._log.state(self.opened.conversation_id), self._clock)
        options = waiting[-1] if waiting else state.options
        if options.mode is not mode:
            self._complete.append(options.model_copy(update={"mode": mode}))

    def _compacted(self, folded: engine_events.Compacted) -> ContextCompacted:
        return ContextCompacted(
            summary=storable(folded.summary),
            before_seq=folded.before_seq,
            engine=self.opened.engine.id,
            model=folded.model,
            turns=folded.turns,
        )


def storable(value: Any) -> Any:  # noqa: ANN401 - any value in, and one of the same kind out
    """The value as JSON can hold it: no half characters, and what is none of JSON's types as text."""
    match value:
        case str():
            return _HALF_CHARACTER.sub("\ufffd", value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {storable(str(key)): storable(item) for key, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
    return storable(str(value))
