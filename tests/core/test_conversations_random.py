"""Anything at any moment: random sends, stops, ends, outages and deaths, judged by a naive book-keeper.

What was accepted is asked of an engine once and in the order in which it came, or a stop counted it as dropped; nothing
is left waiting with nothing running in front of it.
"""

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import events as ev
from core.conversations import SendOutcome
from core.engines.base import Text, TurnInput
from core.engines.script import Raise, Steps, Until
from core.engines.scripted import ScriptedEngine
from core.errors import StoreUnavailable
from core.store.log import EventLog
from tests.core.lives import CHAT, Life, Start, from_chat

WHO = (from_chat("ada"), from_chat("bob"))


@dataclass(frozen=True)
class Send:
    who: int


@dataclass(frozen=True)
class SendAgain:
    """A message that was sent before, the nth newest."""

    which: int


@dataclass(frozen=True)
class Edit:
    """An edit of a message that may still wait."""

    which: int


@dataclass(frozen=True)
class Finish:
    """The oldest turn that nobody finished yet ends."""

    well: bool


@dataclass(frozen=True)
class Stop:
    pass


@dataclass(frozen=True)
class Ready:
    yes: bool


@dataclass(frozen=True)
class Outage:
    """The database takes nothing for a while."""


@dataclass(frozen=True)
class NextLife:
    """The program ends, in good order or not, and starts again."""

    killed: bool


Thing = Send | SendAgain | Edit | Finish | Stop | Ready | Outage | NextLife
Step = tuple[list[Thing], int]
"""What happens at once, and how many rounds of the loop go by before the next things do."""

things = st.one_of(
    st.builds(Send, st.integers(0, 1)),
    st.builds(Send, st.just(0)),
    st.builds(SendAgain, st.integers(0, 3)),
    st.builds(Edit, st.integers(0, 3)),
    st.builds(Finish, st.booleans()),
    st.just(Stop()),
    st.builds(Ready, st.booleans()),
    st.just(Outage()),
    st.builds(NextLife, st.booleans()),
)


@dataclass
class World:
    """Lives of the core on one folder, and the books about what was said."""

    start: Start
    gates: list[asyncio.Event] = field(default_factory=lambda: [asyncio.Event() for _ in range(200)])
    wells: list[bool] = field(default_factory=list)
    begun: Iterator[int] = field(default_factory=count)
    sent: list[tuple[str, ev.Origin]] = field(default_factory=list)
    accepted: dict[str, int] = field(default_factory=dict)
    """In which step each word was accepted."""
    dropped: int = 0
    asked: list[str] = field(default_factory=list)
    """What engines were given."""

    async def begin(self) -> None:
        """A life."""
        self.engine = ScriptedEngine(self.start.clock, self._script)
        self.life: Life = await self.start(self.engine)

    def _script(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        number = next(self.begun)
        self.asked.append(turn.text)
        yield Text("so far")
        yield Until(self.gates[number])
        if number < len(self.wells) and not self.wells[number]:
            yield Raise(RuntimeError("broken"))

    async def play(self, steps: list[Step]) -> None:
        """All steps, each thing of one at once."""
        for number, (things, moments) in enumerate(steps):
            work = asyncio.gather(*(self._do(thing, number) for thing in things))
            while not work.done():
                await self.start.clock.advance(1)
            await work
            for _ in range(moments):
                await asyncio.sleep(0)
            for thing in things:
                if isinstance(thing, NextLife):
                    await (self.life.is_killed() if thing.killed else self.life.is_over())
                    await self.begin()

    async def comes_to_rest(self) -> None:
        """Nothing keeps the core from seeing to everything."""
        self.engine.is_ready = True
        for gate in self.gates:
            gate.set()
        async with asyncio.timeout(20):
            while self.life.conversations.active:
                await self.start.clock.advance(5)

    async def _do(self, thing: Thing, step: int) -> None:
        match thing:
            case Send(who):
                self.sent.append((f"m{len(self.sent)}", WHO[who]))
                await self._send(*self.sent[-1], step)
            case SendAgain(which) if which < len(self.sent):
                await self._send(*self.sent[-1 - which], step)
            case Edit(which) if which < len(self.sent):
                word = self.sent[-1 - which][0]
                with suppress(StoreUnavailable):
                    await self.life.conversations.replace_queued(CHAT, word, word)
            case Stop():
                with suppress(StoreUnavailable):
                    stopped = await self.life.stop()
                    self.dropped += stopped.waiting
            case Finish(well):
                self.wells.append(well)
                self.gates[len(self.wells) - 1].set()
            case Ready(yes):
                self.engine.is_ready = yes
            case Outage():
                self.life.database.is_down = True
                await asyncio.sleep(0)
                self.life.database.is_down = False
            case _:
                pass

    async def _send(self, word: str, who: ev.Origin, step: int) -> None:
        with suppress(StoreUnavailable):
            sent = await self.life.say(word, by=who)
            if sent.outcome not in (SendOutcome.DUPLICATE, SendOutcome.FULL):
                assert word not in self.accepted, f"{word} was accepted twice"
                self.accepted[word] = step


async def judge(world: World) -> None:
    """What must hold when everything is at rest."""
    life = world.life
    events = await life.events()
    said = "\n\n".join(await life.asked()).split("\n\n") if await life.asked() else []
    given = "\n\n".join(world.asked).split("\n\n") if world.asked else []

    assert max(Counter(said).values(), default=1) == 1, "something was asked twice"
    assert max(Counter(given).values(), default=1) == 1, "an engine was given something twice"
    assert set(given) <= set(said) <= set(world.accepted)
    assert len(world.accepted) - len(said) == world.dropped
    assert [world.accepted[word] for word in said] == sorted(world.accepted[word] for word in said)
    bounds = [data.type for data in events if isinstance(data, ev.TurnStarted | ev.TurnCompleted)]
    assert bounds == ["turn.started", "turn.completed"] * (len(bounds) // 2)
    assert await life.waiting() == []
    assert await EventLog(life.database).state(CHAT) == await EventLog(life.database).rebuild(CHAT)


async def live_through(steps: list[Step], empty_database: Path) -> None:
    """All of it in a folder of its own, and the judgement."""
    with TemporaryDirectory() as folder:
        shutil.copyfile(empty_database, Path(folder) / "conch.db")
        world = World(Start(Path(folder)))
        try:
            await world.begin()
            await world.play(steps)
            await world.comes_to_rest()
            await judge(world)
        finally:
            await world.start.end_all()


stories = st.lists(st.tuples(st.lists(things, min_size=1, max_size=4), st.integers(0, 40)), max_size=12)


@pytest.mark.report("R005")
@pytest.mark.report("R035")
@pytest.mark.report("R039")
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=stories)
async def test_whatever_happens_everything_accepted_is_asked_once_and_in_order(
    empty_database: Path, steps: list[Step]
) -> None:
    await live_through(steps, empty_database)


@pytest.mark.slow
@settings(deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=stories)
async def test_whatever_happens_for_long_everything_accepted_is_asked_once_and_in_order(
    empty_database: Path, steps: list[Step]
) -> None:
    await live_through(steps, empty_database)
