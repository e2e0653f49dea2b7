"""A chat that goes from engine to engine: each hears exactly what it missed, and goes on from its own memory."""

import pytest

from core import events as ev
from core.clock import Clock
from core.decisions import Clear, Configure, RestoreContext
from core.engines.base import Text, ToolCallEnded, ToolCallStarted, TurnInput
from core.engines.demo.engine import DemoEngine
from core.engines.demo.notebook import Notebook
from core.engines.demo.stage import Stage
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.handoff import handoff
from core.options import OptionsChange
from core.store.log import Decide, EventLog
from tests.core.lives import CHAT, Life, Start


def works(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was heard before, with a tool between."""
    yield Text(f"I heard {len(earlier)} before.")
    yield ToolCallStarted("t", "look", {"for": turn.text}, "agent")
    yield ToolCallEnded("t", "ok", "found it")
    yield Text(f"Done: {turn.text}")


class Engines:
    """Two scripted engines and the demo."""

    def __init__(self, start: Start) -> None:
        self.a = ScriptedEngine(start.clock, works, name="a")
        self.b = ScriptedEngine(start.clock, works, name="b")
        self.demo = Overheard(start.clock)

    def heard(self, engine: str) -> list[str | None]:
        """What an engine was told of what it missed, turn by turn, without the frame."""
        given = {"a": self.a.turns, "b": self.b.turns, "demo": self.demo.turns}[engine]
        return [body(turn) for turn in given]


class Overheard(DemoEngine):
    """The demo, and what it was given."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, "run this", pace=0)
        self.turns: list[TurnInput] = []

    def _stage(self, turn: TurnInput, notebook: Notebook) -> Stage:
        self.turns.append(turn)
        return super()._stage(turn, notebook)


@pytest.fixture
async def engines(start: Start) -> Engines:
    return Engines(start)


@pytest.fixture
async def life(start: Start, engines: Engines) -> Life:
    return await start(engines.a, engines.b, engines.demo)


async def ask(life: Life, engine: str, text: str) -> None:
    """Have an engine answer this."""
    await life.database.commit_one(Decide(CHAT, Configure(OptionsChange(engine=engine))))
    await life.answer(text)


def said(engine: str, text: str, before: int) -> str:
    """An answer, as another engine hears of it."""
    return (
        f"Person: {text}\n\nAssistant ({engine}): I heard {before} before.\n\n"
        f"- called look for {text}: found it\n\nAssistant ({engine}): Done: {text}"
    )


def body(turn: TurnInput) -> str | None:
    """A handoff without its frame."""
    return turn.handoff.split("\n\n", 1)[1].rsplit("\n\n", 1)[0] if turn.handoff else None


async def test_from_one_engine_to_the_other_and_back_and_on_to_the_demo(life: Life, engines: Engines) -> None:
    await ask(life, "a", "one")
    await ask(life, "b", "two")
    await ask(life, "a", "three")
    await ask(life, "demo", "hello")
    await ask(life, "a", "four")

    whole = "\n\n".join((said("a", "one", 0), said("b", "two", 0), said("a", "three", 1)))
    assert engines.heard("a")[:2] == [None, said("b", "two", 0)]
    assert engines.heard("b") == [said("a", "one", 0)]
    assert engines.heard("demo") == [whole]
    missed = engines.heard("a")[-1] or ""
    assert missed.startswith("Person: hello\n\nAssistant (demo): ")
    assert not any(words in missed for words in ("three", "four", "called"))
    assert (await answers(life))[-2] == "I heard 2 before."


async def answers(life: Life) -> list[str]:
    return [data.text for data in await life.events() if isinstance(data, ev.AssistantMessage)]


async def test_an_engine_that_answers_again_hears_nothing_twice(life: Life, engines: Engines) -> None:
    await ask(life, "a", "one")
    await ask(life, "b", "two")
    await ask(life, "b", "three")

    assert engines.heard("b") == [said("a", "one", 0), None]


async def test_after_a_clear_no_engine_knows_anything_from_before(life: Life, engines: Engines) -> None:
    await ask(life, "a", "one")
    await ask(life, "b", "two")
    await life.conversations.decide(CHAT, Clear())

    await ask(life, "b", "three")
    await ask(life, "a", "four")
    await ask(life, "b", "five")

    assert engines.heard("b") == [said("a", "one", 0), None, said("a", "four", 0)]
    assert engines.heard("a") == [None, said("b", "three", 0)]


async def test_after_an_undo_each_engine_goes_on_from_where_it_was(life: Life, engines: Engines) -> None:
    await ask(life, "a", "one")
    await ask(life, "b", "two")
    await life.conversations.decide(CHAT, Clear())
    await life.conversations.decide(CHAT, RestoreContext())

    await ask(life, "b", "three")
    await ask(life, "a", "four")

    assert engines.heard("b")[-1] is None
    assert engines.heard("a")[-1] == f"{said('b', 'two', 0)}\n\n{said('b', 'three', 1)}"


async def test_a_session_from_before_a_clear_stays_dropped_once_its_engine_answered(
    life: Life, engines: Engines
) -> None:
    await ask(life, "a", "one")
    await life.conversations.decide(CHAT, Clear())
    await ask(life, "a", "two")
    undone = await life.conversations.decide(CHAT, RestoreContext())

    await ask(life, "a", "three")

    assert undone.events == ()
    assert (await answers(life))[::2] == ["I heard 0 before.", "I heard 0 before.", "I heard 1 before."]


async def test_what_an_engine_is_given_is_what_the_log_says_it_missed(life: Life, engines: Engines) -> None:
    await ask(life, "a", "one")
    await ask(life, "b", "two")

    events = await EventLog(life.database).read(CHAT)
    started = [event.seq for event in events if isinstance(event.data, ev.TurnStarted)][-1]
    assert engines.b.turns[-1].handoff == handoff(events, upto=started)
