"""A script: the steps of one turn as plain data, and the player that carries them out on a host and a clock.

Writing a script needs no event loop: it is a generator of steps, and `yield` gives back what a step brings. Which words
lead to which script is the engine's that plays it.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
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


Call = CallTool | AskPermission | AskPerson


@dataclass(frozen=True, slots=True)
class Together:
    """Several calls side by side, with the events around them. Brings what each brings, in their order.

    `within`: seconds of the engine's clock, at any pace; a call that takes longer is taken back and brings None, a
    permission False.
    """

    calls: Sequence[Call]
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Raise:
    """Break down."""

    error: Exception


Step = EngineEvent | Wait | Until | Call | Together | Raise

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
                case CallTool() | AskPermission() | AskPerson() | Together():
                    together = step if isinstance(step, Together) else Together((step,))
                    for begun in _begun(together.calls):
                        yield begun
                    answers = await _answers(together, host, clock)
                    for over in _over(together.calls, answers):
                        yield over
                    results = tuple(map(_result, together.calls, answers))
                    brought = results if isinstance(step, Together) else results[0]
                case Raise(error):
                    raise error
                case event:
                    yield event
    except StopIteration:
        return
    finally:
        steps.close()


# ---- calls ---------------------------------------------------------------------------------------------------------


def _begun(calls: Sequence[Call]) -> Iterator[EngineEvent]:
    for call in calls:
        match call:
            case CallTool(call_id, name, args):
                yield ToolCallStarted(call_id, name, args, origin="host")
            case AskPermission(call_id, title, args):
                yield ToolCallStarted(call_id, title, args, origin="agent")


def _over(calls: Sequence[Call], answers: Sequence[Any]) -> Iterator[EngineEvent]:
    for call, answer in zip(calls, answers, strict=True):
        match call:
            case CallTool(call_id) if answer is None:
                yield ToolCallEnded(call_id, "stopped", "not answered in time")
            case CallTool(call_id):
                yield ToolCallEnded(call_id, "error" if answer.failed else "ok", answer.text)
            case AskPermission(call_id, yes=yes):
                yield ToolCallEnded(call_id, "ok" if answer == yes else "error", answer or "not allowed")


def _result(call: Call, answer: Any) -> Any:  # noqa: ANN401 - what a script gets back depends on the call
    return answer == call.yes if isinstance(call, AskPermission) else answer


async def _answers(together: Together, host: Host, clock: Clock) -> Sequence[Any]:
    """What the host says to each call."""
    if len(together.calls) == 1:  # in this task, so that what goes wrong arrives as it is
        return [await _in_time(together.calls[0], together.within, host, clock)]
    async with asyncio.TaskGroup() as side_by_side:
        tasks = [side_by_side.create_task(_in_time(call, together.within, host, clock)) for call in together.calls]
    return [task.result() for task in tasks]


async def _in_time(call: Call, within: float | None, host: Host, clock: Clock) -> Any:  # noqa: ANN401 - as `_result`
    if within is None:
        return await _answer(call, host)
    answering, waiting = asyncio.create_task(_answer(call, host)), asyncio.create_task(clock.sleep(within))
    try:
        await asyncio.wait({answering, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return answering.result() if answering.done() else None
    finally:
        answering.cancel()
        waiting.cancel()
        await asyncio.gather(answering, waiting, return_exceptions=True)


async def _answer(call: Call, host: Host) -> Any:  # noqa: ANN401 - as `_result`
    match call:
        case CallTool(call_id, name, args):
            return await host.call_tool(call_id, name, args)
        case AskPermission(call_id, title, args, options):
            return await host.permit(call_id, title, args, options)
        case AskPerson(question):
            return await host.question(question)
