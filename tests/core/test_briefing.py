"""What an engine gets for a turn: the memory it left here, what it missed since, and the message."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from core import events as ev
from core.engines.base import (
    Ended,
    EndReason,
    EngineCapabilities,
    EngineEvent,
    Host,
    ModelInfo,
    ModelOptions,
    Session,
    Text,
    TurnInput,
    WithoutModels,
)
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.events import Mode
from core.live import Delta
from core.store.log import Append
from tests.core.lives import CHAT, Holding, Life, Start, echo, from_chat, until


@dataclass
class Elephant(WithoutModels):
    """An engine that remembers how many turns it had, and what it was given in each."""

    id: str = "elephant"
    title: str = "Elephant"
    capabilities: EngineCapabilities = field(default_factory=EngineCapabilities)
    breaks: bool = False
    tokens: int | None = None
    opened_with: list[Mapping[str, Any] | None] = field(default_factory=list)
    turns: list[TurnInput] = field(default_factory=list)

    async def ready(self) -> bool:
        return True

    def window(self, model: str | None) -> int | None:
        return self.tokens

    async def open(self, state: Mapping[str, Any] | None) -> Session:
        self.opened_with.append(state)
        return _Elephants(self, state["turns"] if state else 0)


@dataclass
class _Elephants:
    engine: Elephant
    count: int

    async def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        self.engine.turns.append(turn)
        self.count += 1
        yield Text(f"turn {self.count}")
        if self.engine.breaks:
            raise RuntimeError("broken")
        yield Ended(EndReason.DONE)

    async def cancel(self) -> None:
        pass

    def state(self) -> Mapping[str, Any]:
        return {"turns": self.count}

    async def close(self) -> None:
        pass


@pytest.fixture
def elephant() -> Elephant:
    return Elephant()


async def choose(life: Life, engine: str | None) -> None:
    """Another engine answers from now on."""
    await life.database.commit(Append(CHAT, (ev.OptionsSet(engine=engine),)))


# ---- its own memory ------------------------------------------------------------------------------------------------


async def test_an_engine_goes_on_from_what_it_remembers_and_is_told_nothing_twice(
    start: Start, elephant: Elephant
) -> None:
    life = await start(elephant)

    for text in ("one", "two", "three"):
        await life.answer(text)

    assert elephant.opened_with == [None, {"turns": 1}, {"turns": 2}]
    assert [turn.handoff for turn in elephant.turns] == [None, None, None]


async def test_an_engine_goes_on_in_the_next_life_of_the_program(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    await life.answer("one")
    await life.is_over()

    second = await start(elephant)
    await second.answer("two")

    assert elephant.opened_with == [None, {"turns": 1}]
    assert elephant.turns[-1].handoff is None


async def test_conversations_have_memories_of_their_own(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)

    await life.answer("one", to="here")
    await life.answer("two", to="there")

    assert elephant.opened_with == [None, None]


async def test_what_an_engine_remembers_after_it_broke_is_not_trusted(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    await life.answer("one")
    elephant.breaks = True
    await life.answer("two")
    elephant.breaks = False

    await life.answer("three")

    assert elephant.opened_with[-1] == {"turns": 1}
    assert "Person: two" in (elephant.turns[-1].handoff or "")
    assert "turn 2" in (elephant.turns[-1].handoff or "")
    assert "Person: one" not in (elephant.turns[-1].handoff or "")


async def test_a_stopped_turn_is_remembered(start: Start) -> None:
    held = Holding()
    life = await start(held)
    await life.say("wait")
    await until(lambda: any(isinstance(item, Delta) for item in life.heard))
    await life.stop()

    await life.answer("next")

    assert life.engine.turns[-1].handoff is None


# ---- a clear -------------------------------------------------------------------------------------------------------


async def test_a_memory_from_before_a_clear_is_never_gone_on_from(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    await life.answer("secret")
    await life.database.commit(Append(CHAT, (ev.ContextCleared(),)))

    await life.answer("fresh")
    await life.answer("and on")

    assert elephant.opened_with == [None, None, {"turns": 1}]
    assert [turn.handoff for turn in elephant.turns] == [None, None, None]


async def test_a_clear_that_is_taken_back_brings_the_memory_back(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    await life.answer("one")
    cleared = len(await life.events())
    await life.database.commit(Append(CHAT, (ev.ContextCleared(), ev.ContextRestored(cleared_seq=cleared))))

    await life.answer("two")

    assert elephant.opened_with == [None, {"turns": 1}]
    assert elephant.turns[-1].handoff is None


# ---- another engine ------------------------------------------------------------------------------------------------


async def test_an_engine_hears_what_it_missed_and_only_that(start: Start, elephant: Elephant) -> None:
    other = ScriptedEngine(start.clock, echo, name="other")
    life = await start(elephant, other)
    await life.answer("one")
    await choose(life, "other")
    await life.answer("two")
    await choose(life, None)
    await life.answer("three")

    first_of_other, back = other.turns[0].handoff or "", elephant.turns[-1].handoff or ""
    assert "Person: one" in first_of_other
    assert "Assistant (elephant): turn 1" in first_of_other
    assert "Person: two" in back
    assert "Assistant (other): echo: two" in back
    assert "Person: one" not in back
    assert "Person: three" not in back
    assert elephant.opened_with == [None, {"turns": 1}]


async def test_options_and_goals_alone_are_nothing_missed(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    await life.answer("one")
    await life.database.commit(Append(CHAT, (ev.OptionsSet(), ev.GoalSet(goal="win"))))

    await life.answer("two")

    assert elephant.turns[-1].handoff is None


async def test_the_model_that_a_chat_chose_goes_to_its_engine_and_to_no_other(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    options = ev.OptionsSet(model="big", effort=ev.Effort.HIGH, fast=True, mode=Mode.PLAN)
    await life.database.commit(Append("mine", (options.model_copy(update={"engine": "elephant"}),)))
    await life.database.commit(Append("gone", (options.model_copy(update={"engine": "gone"}),)))
    await life.database.commit(Append("none", (options,)))

    for chat in ("mine", "gone", "none"):
        await life.answer("hello", to=chat)

    big = ModelOptions("big", ev.Effort.HIGH, True)
    assert [turn.options for turn in elephant.turns] == [big, ModelOptions(None, ev.Effort.HIGH, True), big]
    assert [turn.mode for turn in elephant.turns] == [Mode.PLAN] * 3
    assert [(await life.end(chat)).model for chat in ("mine", "gone", "none")] == ["big", None, "big"]


async def test_the_owners_defaults_count_where_a_chat_chose_nothing(start: Start, elephant: Elephant) -> None:
    other = ScriptedEngine(start.clock, echo, name="other")
    life = await start(
        elephant, other, default_model="usual", default_effort=ev.Effort.LOW, default_fast=True, default_mode=Mode.EDIT
    )
    await life.database.commit(Append("own", (ev.OptionsSet(model="big", fast=False, mode=Mode.ASK),)))
    await life.database.commit(Append("other", (ev.OptionsSet(engine="other"),)))

    for chat in ("new", "own", "other"):
        await life.answer("hello", to=chat)

    new, own = elephant.turns
    assert (new.options, new.mode) == (ModelOptions("usual", ev.Effort.LOW, True), Mode.EDIT)
    assert (own.options, own.mode) == (ModelOptions("big", ev.Effort.LOW, False), Mode.ASK)
    assert other.turns[0].options == ModelOptions(None, ev.Effort.LOW, True)


async def test_a_turn_says_which_model_answers_though_nobody_chose_one(start: Start) -> None:
    models = (ModelInfo("first", "First"), ModelInfo("second", "Second"))
    life = await start(ScriptedEngine(start.clock, echo, models=models))

    await life.answer("hello")

    began = [data for data in await life.events() if isinstance(data, ev.TurnStarted)]
    assert [began[0].model, (await life.end()).model] == ["first", "first"]
    assert life.engine.turns[0].options == ModelOptions()


class Listing(ScriptedEngine):
    """An engine that finds out which model it takes while it answers."""

    found: str | None = None

    def default_model(self) -> str | None:
        """None, at first."""
        return self.found


async def test_a_model_that_becomes_known_while_it_answers_is_named_at_the_end(start: Start) -> None:
    def finds(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        engine.found = "big"
        yield Text("hi")

    engine = Listing(start.clock, finds)
    life = await start(engine)

    await life.answer("hello")

    began = [data for data in await life.events() if isinstance(data, ev.TurnStarted)]
    assert [began[0].model, (await life.end()).model] == [None, "big"]


# ---- the system text -----------------------------------------------------------------------------------------------


async def test_the_system_text_says_who_speaks_where_and_what_for(start: Start, elephant: Elephant) -> None:
    life = await start(elephant, assistant_name="Pearl", voice="Speak like the sea.")
    origin = from_chat("ada").model_copy(update={"app": "Telegram", "role": "owner"})

    await life.answer("hello", by=origin, goal="win")

    text = elephant.turns[0].instructions
    for words in ("You are Pearl", "Speak like the sea.", "on Telegram", "your owner", "“Ada”", "“win”"):
        assert words in text


async def test_an_engine_without_a_plan_mode_of_its_own_is_told_to_plan(start: Start) -> None:
    plain, planner = Elephant("plain"), Elephant("planner", capabilities=EngineCapabilities(modes=(Mode.PLAN,)))
    life = await start(plain, planner)
    plan = ev.OptionsSet(mode=Mode.PLAN)
    await life.database.commit(Append("one", (plan.model_copy(update={"engine": "plain"}),)))
    await life.database.commit(Append("two", (plan.model_copy(update={"engine": "planner"}),)))

    await life.answer("hello", to="one")
    await life.answer("hello", to="two")

    assert "Plan only" in plain.turns[0].instructions
    assert "Plan only" not in planner.turns[0].instructions


async def test_a_model_with_a_small_window_gets_a_short_text(start: Start) -> None:
    small = Elephant(tokens=8_000)
    life = await start(small, voice="Speak slowly. " * 50)

    await life.answer("hello")

    assert len(small.turns[0].instructions) < 500


async def test_files_come_along(start: Start, elephant: Elephant) -> None:
    life = await start(elephant)
    file = ev.Attachment(name="a.txt", mime="text/plain", size=1, path="ab/cd.txt")

    await life.answer("hello", attachments=(file,))

    assert elephant.turns[0].attachments == (file,)
