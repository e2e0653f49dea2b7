"""One small question to an engine, to see that it really answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.cards import Question
from core.clock import Clock
from core.engines.base import Ended, Engine, Frame, ModelOptions, Text, ToolAnswer, TurnInput, Used
from core.engines.registry import is_ready
from core.errors import ConchError
from core.events import Usage
from core.problems import sentence

QUESTION: Final = "Are you there? Answer with one short sentence."

SECONDS: Final = 50.0
"""How long it may take: a local server may have to load its model first."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `problem` is a sentence where no answer came."""

    model: str | None
    answer: str
    seconds: float
    usage: Usage | None = None
    problem: str | None = None


async def tried(engine: Engine, model: str | None, clock: Clock) -> Trial:
    """Ask it. `model` None is its own default."""
    await is_ready(engine)  # its library may have to be imported first, which is no part of the answer
    began = clock.monotonic()
    text, usage, problem = "", None, None
    try:
        async with asyncio.timeout(SECONDS):
            text, usage, ended = await _asked(engine, model)
        problem = sentence(ended, engine.title) or (None if text.strip() else f"{engine.title} said nothing.")
    except TimeoutError:
        problem = f"{engine.title} did not answer within {SECONDS:.0f} seconds."
    except ConchError as fault:
        problem = str(fault)
    return Trial(model or engine.default_model(), text.strip(), clock.monotonic() - began, usage, problem)


async def _asked(engine: Engine, model: str | None) -> tuple[str, Usage | None, Ended]:
    session = await engine.open(None)
    text, usage, ended = "", None, None
    try:
        turn = TurnInput(QUESTION, words_only=True, options=ModelOptions(model=model))
        async for event in session.run(turn, _Nobody()):
            match event:
                case Text(delta=delta):
                    text += delta
                case Used(usage=used):
                    usage = used
                case Ended():
                    ended = event
    finally:
        await session.close()
    assert ended is not None, "an engine ends every turn"  # noqa: S101 - the contract of `Session.run`
    return text, usage, ended


class _Nobody:
    """The host of a question that needs nobody: there are no tools, and every permission is a no."""

    def frame(self) -> Frame:
        """Nothing holds."""
        return Frame()

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """There is none."""
        return ToolAnswer(f"There is no tool named {name!r} here.", failed=True)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """No."""
        return None

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Skipped."""
        return None
