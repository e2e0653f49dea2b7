"""One turn of a model engine: a request, the tools that it calls, the next request, until the model has said it all.

The library is asked for one answer at a time (`pydantic_ai.direct`). Its agent would hold on to tools, instructions and
limits as they were when the turn began; here they are looked at before each request.
"""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import StreamedResponse

from core.engines.base import (
    Ended,
    EndReason,
    EngineEvent,
    Frame,
    Host,
    HostTool,
    MessageEnd,
    ModelInfo,
    Noticed,
    Text,
    ToolAnswer,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
    Used,
)
from core.engines.models import folding, listening, refusals, toolset
from core.engines.models.attachments import Attachments, Takes
from core.engines.models.contract import Connection, Provider
from core.engines.models.estimating import corrected, text_tokens, tokens
from core.engines.models.metering import Meter
from core.engines.models.streaming import answer_of
from core.engines.models.summarising import Summarise
from core.engines.models.transcript import PastTurn, Transcript, readable_by, unanswered, whole
from core.engines.models.windows import window_unless_known

_log = structlog.get_logger(__name__)

MOST_REQUESTS: Final = 100
"""Requests of one turn: a model that has not come to an end by then goes round in circles."""

TELLING: Final = 500
"""Estimated tokens of an answer after which it is told again what was used so far."""

ENOUGH_TO_COMPARE: Final = 2_000
"""Tokens of a request from which on its count says something about our estimates."""

CUT_SHARE: Final = 0.6
"""A count of less than this share of the estimate means that not everything was read."""

CUT_OFF: Final = "context-cut-off"

EMPTY: Final = "{engine} gave an empty answer, twice. Send it again, or choose another model with \u2060/model."
TOO_MANY: Final = "I used my tools {count} times for this and am not done. Say “go on” and I carry on."
CUT: Final = (
    "{engine} did not read all of this chat: its context is set too small, so it may have missed something. "
    "Raise its context length (num_ctx, or OLLAMA_CONTEXT_LENGTH) and start it again."
)
NO_JSON: Final = "This was not carried out: the arguments are not a JSON object. Call it again with ones that are."
NO_TOOLS: Final = "There are no tools here. Answer in words."


@dataclass(frozen=True, slots=True)
class Setting:
    """What an answer is made with. `key` is the conversation's own, for prompt caches."""

    connection: Connection
    provider: Provider
    model: ModelInfo
    attachments: Attachments
    takes: Takes
    summarise: Summarise
    key: str


class Answering:
    """Answers one turn.

    `transcript` holds the turns before it and may be folded on the way; `current` is this one so far. Events come out
    of `said`: one counts as done when it was read, and calls of tools wait for that.
    """

    def __init__(
        self,
        turn: TurnInput,
        host: Host,
        setting: Setting,
        transcript: Transcript,
        asked: ModelRequest,
        *,
        may_warn: bool,
    ) -> None:
        self._turn = turn
        self._host = host
        self._setting = setting
        self.transcript = transcript
        self.current: list[ModelMessage] = [asked]
        self.said: asyncio.Queue[EngineEvent | None] = asyncio.Queue()
        self.may_warn = may_warn
        self._has_spoken = False
        model = setting.model.id
        self._meter = Meter(lambda used: setting.provider.price(model, used), transcript.window or setting.model.window)

    async def answer(self) -> Ended:
        """Say everything, and how it ended.

        Raises:
            ExceptionGroup: the host failed in a tool.
        """
        for _ in range(MOST_REQUESTS):
            if self._meter.is_used_up(self._turn.allowance):
                return Ended(EndReason.BUDGET)
            response = await self._response()
            if isinstance(response, Ended):
                return response
            if ended := listening.ended_by(response, self._setting.connection.title):
                return ended
            if not response.tool_calls:
                return Ended(EndReason.DONE)
            self._say(MessageEnd())
            await self._use_tools(response.tool_calls)
        return Ended(EndReason.LENGTH, TOO_MANY.format(count=MOST_REQUESTS))

    def _say(self, event: EngineEvent) -> None:
        self._has_spoken = self._has_spoken or isinstance(event, Text)
        self.said.put_nowait(event)

    # ---- one request -----------------------------------------------------------------------------------------------

    async def _response(self) -> ModelResponse | Ended:
        """The model's next answer; asked for once more where the person would have nothing to read."""
        for _ in range(2):
            before = len(self.current)
            response = await self._fitting_response()
            if isinstance(response, Ended) or self._has_spoken or not listening.is_mute(response):
                return response
            del self.current[before:]
        return Ended(EndReason.UNAVAILABLE, EMPTY.format(engine=self._setting.connection.title))

    async def _fitting_response(self) -> ModelResponse | Ended:
        """The same; asked for once more, with less, where it was too much for the model."""
        try:
            return await self._ask(harder=False)
        except Exception as error:  # noqa: BLE001 - whatever a library raises, the person reads a plain sentence
            ended = self._ended(error)
            has_begun = isinstance(self.current[-1], ModelResponse)
            if ended.reason is not EndReason.CONTEXT_FULL or has_begun:
                return ended
            self.transcript = replace(self.transcript, window=refusals.window_in(error) or self.transcript.window)
        try:
            return await self._ask(harder=True)
        except Exception as error:  # noqa: BLE001 - as above
            return self._ended(error)

    async def _ask(self, *, harder: bool) -> ModelResponse:
        setting, model, frame = self._setting, self._setting.model.id, self._host.frame()
        tools = () if self._turn.words_only else toolset.shown(frame, self._window)
        await self._fit(frame, tools, harder=harder)
        history = self.transcript.with_turn(PastTurn(self._turn.first_seq, tuple(self.current))).history()
        sent = tokens(history) + toolset.tokens(frame.instructions, tools)
        async with answer_of(
            setting.provider.model(model),
            await setting.attachments.with_files(readable_by(history, model), setting.takes),
            setting.provider.settings(model, self._turn.options, setting.key),
            frame.instructions,
            tools,
        ) as stream:
            return await self._listen(stream, sent)

    async def _listen(self, stream: StreamedResponse, sent: int) -> ModelResponse:
        """Tell what streams in; however it ends, what was said by then is remembered."""
        is_complete = False
        told, heard = -TELLING, 0
        try:
            async for event in stream:
                if heard - told >= TELLING:
                    told = heard
                    self._say(Used(self._meter.going_on(self._scaled(sent), heard)))
                if said := listening.heard(event):
                    heard += text_tokens(getattr(said, "delta", ""))
                    self._say(said)
            is_complete = listening.is_whole(stream.get())
        finally:
            response = stream.get()
            kept = listening.remembered(response, self._setting.model.id, complete=is_complete)
            if kept.parts:
                self.current.append(kept)
        self._count(response, sent)
        if not is_complete:
            # As the library says it where it notices by itself.
            raise ModelAPIError(self._setting.model.id, "Streamed response ended without a `finish_reason`")
        return kept

    def _count(self, response: ModelResponse, sent: int) -> None:
        counted = response.usage.input_tokens
        heard = text_tokens(listening.words_in(response))
        self._say(Used(self._meter.counted(response.usage, self._scaled(sent), heard)))
        if self._was_cut(sent, counted):
            self.may_warn = False
            self._say(Noticed(CUT_OFF, CUT.format(engine=self._setting.connection.title)))
        if counted >= ENOUGH_TO_COMPARE:
            self.transcript = replace(self.transcript, scale=corrected(self.transcript.scale, sent, counted))

    def _was_cut(self, sent: int, counted: int) -> bool:
        """Whether a server silently read only the end: Ollama does, at a context of its own choosing."""
        is_ollama = self.may_warn and self._setting.connection.kind == "ollama"
        return is_ollama and sent >= ENOUGH_TO_COMPARE and 0 < counted < sent * CUT_SHARE

    def _scaled(self, estimated: int) -> int:
        return round(estimated * self.transcript.scale)

    def _ended(self, error: Exception) -> Ended:
        connection = self._setting.connection
        ended = refusals.ended_for(error, connection, self._setting.model.id)
        # Not what it says: that may hold an address, a key or somebody's words.
        _log.warning("a model did not answer", engine=connection.id, reason=ended.reason, error=type(error).__name__)
        return ended

    # ---- room ------------------------------------------------------------------------------------------------------

    @property
    def _window(self) -> int:
        known = self.transcript.window or self._setting.model.window
        return known or window_unless_known(self._setting.connection)

    async def _fit(self, frame: Frame, tools: tuple[HostTool, ...], *, harder: bool) -> None:
        room = folding.Room(self._window, toolset.tokens(frame.instructions, tools))
        current = PastTurn(self._turn.first_seq, tuple(self.current))
        folded = await folding.fit(self.transcript, current, room, self._setting.summarise, harder=harder)
        self.transcript, self.current = folded.transcript, list(folded.current.messages)
        if folded.compacted is None:
            return
        if folded.compacted.usage is not None:
            self._meter.also(folded.compacted.usage)
            self._say(Used(self._meter.total))
        self._say(folded.compacted)

    # ---- tools -----------------------------------------------------------------------------------------------------

    async def _use_tools(self, calls: Sequence[ToolCallPart]) -> None:
        """Run the calls of one answer side by side; each is told when it ends, whatever the others do."""
        results: dict[int, ToolReturnPart[Any]] = {}

        async def use(index: int, call: ToolCallPart) -> None:
            results[index] = await self._result(call)

        try:
            async with asyncio.TaskGroup() as group:
                for index, call in enumerate(calls):
                    group.create_task(use(index, call), name="tool")
        finally:
            parts: list[ModelRequestPart] = [results.get(i) or unanswered(call) for i, call in enumerate(calls)]
            self.current.append(ModelRequest(parts=parts))

    async def _result(self, call: ToolCallPart) -> ToolReturnPart[Any]:
        call_id = uuid.uuid4().hex  # not the service's: some count anew in every answer
        arguments = listening.arguments_of(call)
        self._say(ToolCallStarted(call_id, call.tool_name, arguments or {}, "host"))
        answer = await self._carried_out(call_id, call.tool_name, arguments)
        self._say(ToolCallEnded(call_id, "error" if answer.failed else "ok", answer.text))
        return ToolReturnPart(
            call.tool_name,
            whole(answer.text),
            call.tool_call_id,
            outcome="failed" if answer.failed else "success",
        )

    async def _carried_out(self, call_id: str, name: str, arguments: Mapping[str, Any] | None) -> ToolAnswer:
        if self._turn.words_only:
            return ToolAnswer(NO_TOOLS, failed=True)
        if arguments is None:
            return ToolAnswer(NO_JSON, failed=True)
        # What was said before is read first, so that a question stands below the words that lead to it.
        await self.said.join()
        return await self._host.call_tool(call_id, name, arguments)
