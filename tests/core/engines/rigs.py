"""The engines that the contract is run over, with the words that bring each of them to do something.

A new engine adds a rig to `RIGS`; a field that stays None says that it has no such ability.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from core.cards import Question, TextField
from core.clock import Clock, ManualClock
from core.engines.base import (
    EXIT_PLAN_MODE,
    PLAN_OPTIONS,
    START,
    Ended,
    EndReason,
    Engine,
    EngineEvent,
    Host,
    Session,
    Text,
    TurnInput,
)
from core.engines.demo.engine import DemoEngine
from core.engines.script import AskPermission, AskPerson, CallTool, Steps, Wait
from core.engines.scripted import ScriptedEngine, host_tool
from core.events import Mode
from tests.core.engines.models import talking

HINT = "set ANTHROPIC_API_KEY and start again"


@dataclass(frozen=True)
class Rig:
    name: str
    make: Callable[[Clock], Engine]
    long: str
    """Streams many pieces, with waits between them."""
    host_tool: str | None = None
    """Calls the host tool `ask` and says what it answered."""
    own_tool: str | None = None
    """Asks whether a tool of its own may run; the options are in `allow`."""
    allow: str = "Allow"
    question: str | None = None
    """Puts a question of its own and says the answer."""
    tell: str | None = None
    """Tells it something that it can say again later."""
    recall: str = ""
    remembered: str = ""
    endings: Mapping[EndReason, str] = field(default_factory=dict)
    """What provokes each way to end."""

    def __str__(self) -> str:
        return self.name


def _scripted(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    if turn.mode is Mode.PLAN:
        started = yield AskPermission("plan", EXIT_PLAN_MODE, {"plan": "1. go"}, PLAN_OPTIONS, START)
        yield Text("started" if started else "planning")
    elif turn.text == "long":
        for number in range(60):
            yield Text(f"word{number} ")
            yield Wait(0.2)
    elif turn.text == "tool":
        answer = yield CallTool("tool", "ask", {"question": "which?"})
        yield Text(answer.text)
    elif turn.text == "own tool":
        allowed = yield AskPermission("own", "write", {}, ("Allow", "Don't allow"), "Allow")
        yield Text("written" if allowed else "not written")
    elif turn.text == "question":
        values = yield AskPerson(Question(question_id="q", fields=(TextField(id="name", label="Name"),)))
        yield Text(str(values))
    elif turn.text.startswith("end "):
        yield Ended(EndReason(turn.text.removeprefix("end ")))
    else:
        yield Text(f"heard before: {', '.join(earlier)}")


SCRIPTED = Rig(
    "scripted",
    lambda clock: ScriptedEngine(clock, _scripted),
    long="long",
    host_tool="tool",
    own_tool="own tool",
    question="question",
    tell="the cat is called Ada",
    recall="what did I say?",
    remembered="the cat is called Ada",
    endings={reason: f"end {reason}" for reason in EndReason},
)

_DEMO_ENDINGS = {
    EndReason.DONE: "What can you do?",
    EndReason.CANCELLED: "Pretend to be stopped",
    EndReason.LENGTH: "Pretend to run out of words",
    EndReason.REFUSED: "Pretend to refuse",
    EndReason.CONTEXT_FULL: "Pretend the chat is too long",
    EndReason.AUTH: "Pretend the key is wrong",
    EndReason.RATE_LIMITED: "Pretend to be rate limited",
    EndReason.UNAVAILABLE: "Fail, please",
    EndReason.REJECTED: "Pretend the request is rejected",
    EndReason.CRASHED: "Pretend to crash",
}

DEMO_NATIVE = Rig(
    "demo, native plan",
    lambda clock: DemoEngine(clock, HINT),
    long="Show me a long answer with code",
    own_tool="Write a note",
    question="Ask me something",
    tell="Remember that the cat is called Ada",
    recall="What did I tell you?",
    remembered="the cat is called Ada",
    endings=_DEMO_ENDINGS,
)

DEMO_HOST = Rig(
    "demo, host plan",
    lambda clock: DemoEngine(clock, HINT, plan_approval="host"),
    long="Give me a slow answer",
    host_tool="Ask me something",
    own_tool="Write a note",
    tell="Remember that the cat is called Ada",
    recall="What did I tell you?",
    remembered="the cat is called Ada",
    endings=_DEMO_ENDINGS,
)

MODEL = Rig(
    "model",
    talking.engine,
    long="long",
    host_tool="tool",
    tell="the cat is called Ada",
    recall="what did I say?",
    remembered="the cat is called Ada",
    endings={reason: f"end {reason}" for reason in talking.ERRORS},
)

RIGS = (SCRIPTED, DEMO_NATIVE, DEMO_HOST, MODEL)

TOOLS = (host_tool("ask"), host_tool("update_plan"), host_tool(EXIT_PLAN_MODE))

every_engine = pytest.mark.parametrize("rig", RIGS, ids=str)


def engines_with(*abilities: str) -> pytest.MarkDecorator:
    """The engines whose rig names all of these."""
    able = [rig for rig in RIGS if all(getattr(rig, ability) is not None for ability in abilities)]
    assert able, f"no engine has {abilities}"
    return pytest.mark.parametrize("rig", able, ids=str)


def turn(text: str, mode: Mode = Mode.ASK) -> TurnInput:
    """A turn in which every host tool is there."""
    return TurnInput(text, mode=mode, tools=TOOLS)


class Reading:
    """Somebody who reads an answer, as the core does, while the test moves the clock."""

    def __init__(self, session: Session, said: TurnInput, host: Host) -> None:
        self.events: list[EngineEvent] = []
        self._answer = session.run(said, host)
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self._answer:
            self.events.append(event)

    async def until(self, clock: ManualClock, happened: Callable[[], bool]) -> None:
        """Move the clock in small steps until something has happened."""
        for _ in range(2_000):
            if happened():
                return
            await clock.advance(0.05)
        pytest.fail(f"it never happened; the events were {self.events}")

    async def to_the_end(self, clock: ManualClock) -> list[EngineEvent]:
        """All events."""
        await self.until(clock, self.task.done)
        await self.task
        return self.events


async def read(session: Session, said: TurnInput, host: Host, clock: ManualClock) -> list[EngineEvent]:
    """All events of one turn."""
    return await Reading(session, said, host).to_the_end(clock)


def words(events: Sequence[EngineEvent]) -> str:
    """What the person reads."""
    return "".join(event.delta for event in events if isinstance(event, Text))


def endings(events: Sequence[EngineEvent]) -> list[Ended]:
    """Every `Ended`; there must be one, at the end."""
    return [event for event in events if isinstance(event, Ended)]
