"""A scripted engine whose memory can be folded: what it heard becomes one line, all but the newest."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from core.clock import Clock
from core.engines.base import Compacted, ModelOptions
from core.engines.scripted import EVERYTHING, Script, ScriptedEngine, ScriptedSession
from core.events import Usage
from tests.core.lives import echo

FOLDS = replace(EVERYTHING, keeps_transcript=True)


async def _at_once() -> None:
    pass


class FoldingEngine(ScriptedEngine):
    """Echoes. `wait` is awaited in the middle of each fold, and may raise; `focuses` are what it was asked to keep."""

    def __init__(
        self,
        clock: Clock,
        script: Script = echo,
        *,
        name: str = "scripted",
        wait: Callable[[], Awaitable[object]] = _at_once,
    ) -> None:
        super().__init__(clock, script, name=name, capabilities=FOLDS)
        self._given = clock
        self.script = script
        self.wait = wait
        self.begun = asyncio.Event()
        self.focuses: list[str | None] = []

    async def open(self, state: Mapping[str, Any] | None) -> ScriptedSession:
        """A session that folds."""
        return FoldingSession(self, self._given, self.script, tuple(state["heard"]) if state else ())


class FoldingSession(ScriptedSession):
    """Its state is what it heard, or what that was folded into."""

    def __init__(self, engine: FoldingEngine, clock: Clock, script: Script, earlier: tuple[str, ...]) -> None:
        super().__init__(clock, script, earlier, engine.turns)
        self._engine = engine
        self._folded: list[str] | None = None

    def state(self) -> Mapping[str, Any]:
        """As a scripted session's."""
        return super().state() if self._folded is None else {"heard": self._folded}

    async def compact(self, focus: str | None, options: ModelOptions) -> Compacted | None:
        """All but the newest words as one line."""
        self._engine.focuses.append(focus)
        self._engine.begun.set()
        await self._engine.wait()
        *older, newest = super().state()["heard"]
        if not older:
            return None
        summary = f"summary of {', '.join(older)}"
        self._folded = [summary, newest]
        return Compacted(summary, before_seq=4, turns=len(older), model="small", usage=Usage(input=7, output=3))
