"""An engine whose answers show what it remembers, and that can be held in the middle of one."""

import asyncio

from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine


class Remembering(ScriptedEngine):
    """Says what it heard before and now, and holds each turn that begins with "wait" until it may `go`."""

    def __init__(self) -> None:
        super().__init__(SystemClock(), self._heard)
        self.go = asyncio.Event()

    @property
    def texts(self) -> list[str]:
        """What it was asked, in order."""
        return [turn.text for turn in self.turns]

    def _heard(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("so far: ")
            yield Until(self.go)
        yield Text(f"heard {', '.join((*earlier, turn.text))}")
