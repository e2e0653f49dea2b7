"""An engine and a host that play a script: the fakes that tests and benches run on, without a mock or a sleep.

What a person can try is the demo engine; here nothing is said that a script does not say.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.cards import Question
from core.clock import Clock
from core.engines.answer import Answer, Answers
from core.engines.base import (
    EngineCapabilities,
    EngineEvent,
    Host,
    HostTool,
    OwnTools,
    ToolAnswer,
    ToolCallEnded,
    ToolCallStarted,
    TurnInput,
)

_KEPT = 1_000
"""How many turns, words and calls are remembered; a bench may run millions."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let `seconds` pass on the engine's clock."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """Wait for a test to say so."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a host tool, with the events around it; the script gets the `ToolAnswer`."""

    id: str
    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask whether a tool of the engine's own may run, with the events around it; the script gets the choice."""

    id: str
    title: str
    args: Mapping[str, Any]
    options: Sequence[str]


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Put a question of the engine's own; the script gets the values, or None."""

    question: Question


@dataclass(frozen=True, slots=True)
class Raise:
    """Break down."""

    error: Exception


Step = EngineEvent | Wait | Until | CallTool | AskPermission | AskPerson | Raise

Script = Callable[[TurnInput, tuple[str, ...]], Generator[Step, Any, None]]
"""One turn: given it and the words of the turns before it, the steps. `yield` gives back what a step brings."""

HOLDABLE = EngineCapabilities(
    host_tools="inline", own_tools=OwnTools.ASKS_FIRST, own_plan=True, native_ask=True, attachments=True
)
"""What a script can play: everything, and its own tools ask first."""


def always(*steps: Step) -> Script:
    """The same steps in every turn."""

    def script(_turn: TurnInput, _earlier: tuple[str, ...]) -> Generator[Step, Any, None]:
        yield from steps

    return script


def in_order(*turns: Sequence[Step]) -> Script:
    """One list of steps after the other; the last one stays."""

    def script(_turn: TurnInput, earlier: tuple[str, ...]) -> Generator[Step, Any, None]:
        yield from turns[min(len(earlier), len(turns) - 1)]

    return script


class ScriptedEngine:
    """Plays `script` in every turn. `turns` are the newest turns it was given, in the order of their starts."""

    def __init__(
        self, clock: Clock, script: Script, *, name: str = "scripted", capabilities: EngineCapabilities = HOLDABLE
    ) -> None:
        self._clock = clock
        self._script = script
        self._name = name
        self._capabilities = capabilities
        self.is_ready = True
        self.turns: deque[TurnInput] = deque(maxlen=_KEPT)

    @property
    def id(self) -> str:
        """As it was given."""
        return self._name

    @property
    def title(self) -> str:
        """The id with a capital."""
        return self._name.capitalize()

    @property
    def capabilities(self) -> EngineCapabilities:
        """As they were given; the script has to keep to them."""
        return self._capabilities

    async def ready(self) -> bool:
        """What `is_ready` says."""
        return self.is_ready

    async def open(self, state: Mapping[str, Any] | None) -> "ScriptedSession":
        """A session that knows the words in `state`."""
        earlier = tuple(state["heard"]) if state else ()
        return ScriptedSession(self._clock, self._script, earlier, self.turns)


class ScriptedSession:
    """One conversation with a script. Its state is the words it has heard, the newest 1,000."""

    def __init__(self, clock: Clock, script: Script, earlier: tuple[str, ...], turns: deque[TurnInput]) -> None:
        self._clock = clock
        self._script = script
        self._heard = deque(earlier, maxlen=_KEPT)
        self._turns = turns
        self._answers = Answers()

    def run(self, turn: TurnInput, host: Host) -> Answer:
        """Play the script."""
        return self._answers.begin(self._play(turn, host))

    async def cancel(self) -> None:
        """Stop at the step that is being played."""
        self._answers.stop()

    def state(self) -> Mapping[str, Any]:
        """The words heard so far."""
        return {"heard": list(self._heard)}

    async def close(self) -> None:
        """Stop and play no more."""
        await self._answers.close()

    async def _play(self, turn: TurnInput, host: Host) -> AsyncGenerator[EngineEvent]:
        self._turns.append(turn)
        steps = self._script(turn, tuple(self._heard))
        self._heard.append(turn.text)
        result: Any = None
        while True:
            try:
                step = steps.send(result)
            except StopIteration:
                return
            result = None
            match step:
                case Wait(seconds):
                    await self._clock.sleep(seconds)
                case Until(event):
                    await event.wait()
                case Raise(error):
                    raise error
                case AskPerson(question):
                    result = await host.question(question)
                case CallTool(id, name, args):
                    yield ToolCallStarted(id, name, args, origin="host")
                    result = await host.call_tool(id, name, args)
                    yield ToolCallEnded(id, "error" if result.failed else "ok", result.text)
                case AskPermission(id, title, args, options):
                    yield ToolCallStarted(id, title, args, origin="agent")
                    result = await host.permit(id, title, args, options)
                    yield ToolCallEnded(id, "ok" if result is not None else "error", result or "not allowed")
                case event:
                    yield event


@dataclass(frozen=True, slots=True)
class Asked:
    """What an engine asked of its host."""

    kind: Literal["tool", "permit", "question"]
    id: str
    name: str
    args: Mapping[str, Any]
    options: tuple[str, ...] = ()


_DONE = ToolAnswer("done")


class ScriptedHost:
    """Gives the answers it was given, to everything that an engine asks; `asked` and `dropped` say what happened.

    Args:
        tool: what every host tool answers.
        choice: what is chosen in every permission; None is no.
        values: what every question is answered with; None is skipped.
        error: raised instead, where there is one.
        wait: nothing is answered before this is set.
    """

    def __init__(
        self,
        *,
        tool: ToolAnswer = _DONE,
        choice: str | None = None,
        values: Mapping[str, Any] | None = None,
        error: Exception | None = None,
        wait: asyncio.Event | None = None,
    ) -> None:
        self._tool = tool
        self._choice = choice
        self._values = values
        self._error = error
        self._wait = wait
        self.asked: deque[Asked] = deque(maxlen=_KEPT)
        self.dropped: deque[Asked] = deque(maxlen=_KEPT)
        """What was cancelled while it waited for an answer."""

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Answer with `tool`."""
        await self._hear(Asked("tool", call_id, name, args))
        return self._tool

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """Answer with `choice`."""
        await self._hear(Asked("permit", call_id, title, args, tuple(options)))
        return self._choice

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Answer with `values`."""
        await self._hear(Asked("question", question.question_id, question.title or "", {}))
        return self._values

    async def _hear(self, asked: Asked) -> None:
        self.asked.append(asked)
        if self._error is not None:
            raise self._error
        if self._wait is None:
            return
        try:
            await self._wait.wait()
        except asyncio.CancelledError:
            self.dropped.append(asked)
            raise


def host_tool(name: str) -> HostTool:
    """A host tool that takes anything."""
    return HostTool(name, f"The host's {name}.", {"type": "object"})
