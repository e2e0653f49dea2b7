"""A script: the steps of one turn as plain data, and the player that carries them out on a host and a clock.

Writing a script needs no event loop: it is a generator of steps, and `yield` gives back what a step brings. Which words
lead to which script is the engine's that plays it.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.cards import Question
from core.clock import Clock
from core.engines.base import EngineEvent, Host, ToolCallEnded, ToolCallStarted


@dataclass(frozen=True, slots=True)
class Wait:
    """Let `seconds` pass on the engine's clock; at a pace of 0 none."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """Wait until somebody sets the event."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a host tool, with the events around it. Brings its `ToolAnswer`."""

    id: str
    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask whether a tool of the engine's own may run, with the events around it. Brings whether `yes` was chosen."""

    id: str
    title: str
    args: Mapping[str, Any]
    options: Sequence[str]
    yes: str


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Put a question of the engine's own. Brings the values, or None when it was skipped."""

    question: Question


@dataclass(frozen=True, slots=True)
class Raise:
    """Break down."""

    error: Exception


Step = EngineEvent | Wait | Until | CallTool | AskPermission | AskPerson | Raise

Steps = Generator[Step, Any, None]


async def play(steps: Steps, host: Host, clock: Clock, pace: float = 1.0) -> AsyncGenerator[EngineEvent]:
    """The events of a script. `pace` stretches its waits: 2 is half as fast, 0 takes no time at all."""
    brought: Any = None
    try:
        while True:
            step = steps.send(brought)
            brought = None
            match step:
                case Wait(seconds):
                    if pace:
                        await clock.sleep(seconds * pace)
                case Until(event):
                    await event.wait()
                case AskPerson(question):
                    brought = await host.question(question)
                case CallTool(call_id, name, args):
                    yield ToolCallStarted(call_id, name, args, origin="host")
                    brought = await host.call_tool(call_id, name, args)
                    yield ToolCallEnded(call_id, "error" if brought.failed else "ok", brought.text)
                case AskPermission(call_id, title, args, options, yes):
                    yield ToolCallStarted(call_id, title, args, origin="agent")
                    chosen = await host.permit(call_id, title, args, options)
                    brought = chosen == yes
                    yield ToolCallEnded(call_id, "ok" if brought else "error", chosen or "not allowed")
                case Raise(error):
                    raise error
                case event:
                    yield event
    except StopIteration:
        return
    finally:
        steps.close()
