"""An engine and a host that play a script: the fakes that tests and benches run on, without a mock or a sleep.

What a person can try is the demo engine; here nothing is said that a script does not say.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.cards import Question
from core.clock import Clock
from core.engines.answer import Answer, Answers
from core.engines.base import EngineCapabilities, Frame, Host, HostTool, ModelInfo, OwnTools, ToolAnswer, TurnInput
from core.engines.script import Step, Steps, play
from core.events import Mode

_KEPT = 1_000
"""How many turns, words and calls are remembered; a bench may run millions."""

Script = Callable[[TurnInput, tuple[str, ...]], Steps]
"""One turn: given it and the words of the turns before it, the steps."""

EVERYTHING = EngineCapabilities(
    host_tools="inline",
    own_tools=OwnTools.ASKS_FIRST,
    own_plan=True,
    modes=tuple(Mode),
    plan_approval="native",
    native_ask=True,
    attachments=True,
)
"""What a script can play; its own tools ask first."""


def always(*steps: Step) -> Script:
    """The same steps in every turn."""

    def script(_turn: TurnInput, _earlier: tuple[str, ...]) -> Steps:
        for step in steps:  # noqa: UP028 - a step may bring something, which a tuple does not take
            yield step

    return script


def in_order(*turns: Sequence[Step]) -> Script:
    """One list of steps after the other; the last one stays."""

    def script(_turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        for step in turns[min(len(earlier), len(turns) - 1)]:  # noqa: UP028 - as above
            yield step

    return script


class ScriptedEngine:
    """Plays `script` in every turn. `turns` are the newest it was given, in the order of their starts."""

    def __init__(
        self,
        clock: Clock,
        script: Script,
        *,
        name: str = "scripted",
        capabilities: EngineCapabilities = EVERYTHING,
        models: tuple[ModelInfo, ...] = (),
    ) -> None:
        self._models = models
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

    async def models(self) -> tuple[ModelInfo, ...]:
        """As they were given."""
        return self._models

    def default_model(self) -> str | None:
        """The first of them."""
        return self._models[0].id if self._models else None

    def window(self, model: str | None) -> int | None:
        """As the model says."""
        wanted = (one for one in self._models if model in (None, one.id))
        return next((one.window for one in wanted), None)

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
        return self._answers.begin(play(self._steps(turn), host, self._clock))

    async def cancel(self) -> None:
        """Stop at the step that is being played."""
        self._answers.stop()

    def state(self) -> Mapping[str, Any]:
        """The words heard so far."""
        return {"heard": list(self._heard)}

    async def close(self) -> None:
        """Stop and play no more."""
        await self._answers.close()

    def _steps(self, turn: TurnInput) -> Steps:
        """The script's; the turn counts as heard once its first step is played."""
        self._turns.append(turn)
        earlier = tuple(self._heard)
        self._heard.append(turn.text)
        yield from self._script(turn, earlier)


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
    """Gives the answers it was given to everything that an engine asks; `asked` and `dropped` say what happened.

    Args:
        tool: what every host tool answers.
        choice: what is chosen in every permission; None is no.
        values: what every question is answered with; None is skipped.
        error: raised instead, where there is one.
        wait: nothing is answered before this is set.
        frame: what holds for the turn.
    """

    def __init__(
        self,
        *,
        tool: ToolAnswer = _DONE,
        choice: str | None = None,
        values: Mapping[str, Any] | None = None,
        error: Exception | None = None,
        wait: asyncio.Event | None = None,
        frame: Frame | None = None,
    ) -> None:
        self.now = frame or Frame()
        self._tool = tool
        self._choice = choice
        self._values = values
        self._error = error
        self._wait = wait
        self.asked: deque[Asked] = deque(maxlen=_KEPT)
        self.dropped: deque[Asked] = deque(maxlen=_KEPT)
        """What was cancelled while it waited for an answer."""

    def frame(self) -> Frame:
        """What `now` says; a test may change it in the middle of a turn."""
        return self.now

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
