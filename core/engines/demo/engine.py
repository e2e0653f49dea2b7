"""The demo as an engine: its promises to the core. What it says is in `journeys` and the scripts beside it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from core.clock import Clock
from core.engines.answer import Answer, Answers
from core.engines.base import (
    Compacted,
    Ended,
    EngineCapabilities,
    Host,
    ModelOptions,
    OwnTools,
    Text,
    TurnInput,
    Used,
    WithoutModels,
)
from core.engines.demo.journeys import JOURNEYS, own_words, script, skill_in
from core.engines.demo.notebook import Notebook
from core.engines.demo.stage import Stage
from core.engines.script import Steps, play
from core.events import Mode, Usage

NATIVE = EngineCapabilities(
    host_tools="inline",
    own_tools=OwnTools.ASKS_FIRST,
    own_plan=True,
    modes=tuple(Mode),
    plan_approval="native",
    native_ask=True,
    keeps_transcript=True,
    attachments=True,
)
HOST = EngineCapabilities(
    host_tools="inline",
    own_tools=OwnTools.ASKS_FIRST,
    modes=tuple(Mode),
    plan_approval="host",
    keeps_transcript=True,
    attachments=True,
)


class DemoEngine(WithoutModels):
    """Plays journeys.

    Args:
        hint: the quickest way to a real engine on this machine, as words that can follow "For a real assistant,".
        plan_approval: `native` asks the person and keeps its plan by itself, `host` does both through host tools.
        pace: stretches the waits between pieces: 2 is half as fast, 0 takes no time at all.
    """

    def __init__(
        self,
        clock: Clock,
        hint: str,
        *,
        plan_approval: Literal["native", "host"] = "native",
        pace: float = 1.0,
    ) -> None:
        self._clock = clock
        self._hint = hint
        self._native = plan_approval == "native"
        self._pace = pace

    @property
    def id(self) -> str:
        """By `plan_approval`, so that both ways can be there side by side."""
        return "demo" if self._native else "demo-host"

    @property
    def title(self) -> str:
        """Its name for people."""
        return "Demo" if self._native else "Demo (host tools)"

    @property
    def capabilities(self) -> EngineCapabilities:
        """By `plan_approval`."""
        return NATIVE if self._native else HOST

    async def ready(self) -> bool:
        """Always: it needs nothing."""
        return True

    async def open(self, state: Mapping[str, Any] | None) -> "DemoSession":
        """A session that knows what it was told; a state that cannot be read begins anew."""
        return DemoSession(self._stage, self._clock, self._pace, Notebook.from_state(state))

    def _stage(self, turn: TurnInput, notebook: Notebook) -> Stage:
        return Stage(turn, notebook, JOURNEYS, self._hint, self._native, self._clock.now().date())


class DemoSession:
    """One conversation with the demo. Its state is its notebook."""

    def __init__(
        self, stage: Callable[[TurnInput, Notebook], Stage], clock: Clock, pace: float, notebook: Notebook
    ) -> None:
        self._stage = stage
        self._clock = clock
        self._pace = pace
        self._notebook = notebook
        self._answers = Answers()

    def run(self, turn: TurnInput, host: Host) -> Answer:
        """Play the journey that the turn's words lead to."""
        return self._answers.begin(play(self._steps(turn), host, self._clock, self._pace))

    async def cancel(self) -> None:
        """Stop within one piece."""
        self._answers.stop()

    def state(self) -> Mapping[str, Any]:
        """The notebook as it is now, also in the middle of an answer."""
        return self._notebook.state()

    async def compact(self, focus: str | None, options: ModelOptions) -> Compacted | None:
        """Make one line of what it was told before the newest turn; a demo keeps all of it, whatever the focus."""
        return self._notebook.fold()

    async def close(self) -> None:
        """Stop and play no more."""
        await self._answers.close()

    def _steps(self, turn: TurnInput) -> Steps:
        """The turn counts once its first step is played."""
        self._notebook.turns += 1
        self._notebook.turn_seq = turn.first_seq
        said = turn.text
        turn = replace(turn, text=own_words(said))
        stage = replace(self._stage(turn, self._notebook), skill=skill_in(said))
        yield from _metered(turn, script(stage))


def _metered(turn: TurnInput, steps: Steps) -> Steps:
    """The same steps, and before their end what the turn used: four characters count as a token."""
    written = 0
    brought: object = None
    while True:
        try:
            step = steps.send(brought)
        except StopIteration:
            yield _used(turn, written)
            return
        if isinstance(step, Ended):
            yield _used(turn, written)
            yield step
            return
        if isinstance(step, Text):
            written += len(step.delta)
        brought = yield step


def _used(turn: TurnInput, written: int) -> Used:
    return Used(Usage(input=math.ceil(len(turn.text) / 4), output=math.ceil(written / 4), cost=0.0))
