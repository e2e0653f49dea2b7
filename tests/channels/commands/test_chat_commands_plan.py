"""Plan mode, before and in a conversation, by the mode that the next turn runs in."""

import pytest

from channels.memory.app import MemoryApp
from conch.home import Home
from core.clock import ManualClock
from core.decisions import SwitchPlan
from core.engines.base import EngineCapabilities, OwnTools
from core.events import Mode, OptionsSet
from core.store.log import Append
from tests.channels.commands.talking import Echo, Talk, labels, talking

PLANNING = "Planning first: I look and think, and change nothing. /plan off goes back to acting as usual."
AS_USUAL = "Acting as usual: Ask first. /plan on plans first."


@pytest.mark.report("R145", "R163")
@pytest.mark.parametrize("word", ["on", "YES", ""])
async def test_plan_mode_is_what_the_next_turn_runs_in(talk: Talk, engine: Echo, word: str) -> None:
    await talk.say("hello")

    answer = await talk.say(f"/plan {word}")
    await talk.say("do it")

    assert answer.text == PLANNING
    assert labels(answer) == ["Act as usual"]
    assert engine.newest.mode is Mode.PLAN


@pytest.mark.report("R145", "R163")
@pytest.mark.parametrize("word", ["off", "Done", "toggle"])
async def test_plan_mode_ends_for_the_next_turn(talk: Talk, engine: Echo, word: str) -> None:
    await talk.say("hello")
    await talk.say("/plan on")

    answer = await talk.say(f"/plan {word}")
    await talk.say("do it")

    assert answer.text == AS_USUAL
    assert labels(answer) == ["Plan first"]
    assert engine.newest.mode is Mode.ASK


@pytest.mark.report("R163")
@pytest.mark.parametrize("before", [Mode.EDIT, Mode.AUTO, Mode.FULL])
async def test_off_returns_to_the_mode_before_plan_mode(talk: Talk, engine: Echo, before: Mode) -> None:
    await talk.say("hello")
    await talk.app.database.commit(Append(await talk.conversation(), (OptionsSet(mode=before),)))

    await talk.say("/plan on")
    await talk.say("/plan off")
    await talk.say("do it")

    assert engine.newest.mode is before


async def test_taps_flip_plan_mode_to_and_fro(talk: Talk, engine: Echo) -> None:
    await talk.say("hello")
    on = await talk.say("/plan on")

    off = await talk.tap(on, "Act as usual")
    await talk.say("one")
    mode_after_off = engine.newest.mode
    on_again = await talk.tap(off, "Plan first")
    await talk.say("two")

    assert (off.text, on_again.text) == (AS_USUAL, PLANNING)
    assert (mode_after_off, engine.newest.mode) == (Mode.ASK, Mode.PLAN)


@pytest.mark.parametrize("begun", [True, False], ids=["in a conversation", "before one"])
async def test_words_are_planned(talk: Talk, engine: Echo, begun: bool) -> None:
    if begun:
        await talk.say("hello")

    switched = await talk.say("/plan a trip\nto the sea")
    await talk.ada.wait_until(lambda seen: seen.texts[-1].startswith("heard"))

    assert switched.text.startswith("Planning first:")
    assert (engine.newest.text, engine.newest.mode) == ("a trip\nto the sea", Mode.PLAN)


async def test_words_are_planned_in_plan_mode_too(talk: Talk, engine: Echo) -> None:
    await talk.say("hello")
    await talk.say("/plan on")

    switched = await talk.say("/plan a trip")
    await talk.ada.wait_until(lambda seen: seen.texts[-1].startswith("heard"))

    assert switched.text == PLANNING
    assert [data for data in await talk.log() if isinstance(data, OptionsSet)] == [OptionsSet(mode=Mode.PLAN)]


async def test_words_to_plan_wait_for_the_running_answer(talk: Talk, engine: Echo) -> None:
    talk.ada.say("wait")
    await engine.has_begun("wait")

    switched = await talk.say("/plan a trip")
    await talk.ada.wait_until(
        lambda seen: seen.texts[-1] == "I'm still answering. Your message comes right after that."
    )
    engine.go.set()
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "heard wait, a trip")

    assert switched.text == f"{PLANNING} It counts from the next answer on."
    assert [turn.mode for turn in engine.turns] == [Mode.ASK, Mode.PLAN]


# ---- before there is a conversation --------------------------------------------------------------------------------


async def test_plan_mode_waits_for_the_first_message(talk: Talk, engine: Echo) -> None:
    answer = await talk.say("/plan on")

    await talk.say("do it")

    assert answer.text == f"{PLANNING} It waits and goes with your first message."
    assert engine.newest.mode is Mode.PLAN
    assert [data.type for data in await talk.log()][:2] == ["options", "user.message"]


async def test_plan_mode_that_waits_can_be_flipped_back(talk: Talk, engine: Echo) -> None:
    on = await talk.say("/plan")
    off = await talk.say("/plan")
    on_again = await talk.tap(off, "Plan first")
    await talk.tap(on_again, "Act as usual")

    await talk.say("do it")

    assert on.text == on_again.text
    assert off.text == AS_USUAL
    assert engine.newest.mode is Mode.ASK


async def test_new_drops_plan_mode_that_waits_and_that_of_the_conversation(talk: Talk, engine: Echo) -> None:
    await talk.say("/plan on")
    await talk.say("/new")
    await talk.say("one")
    after_waiting = engine.newest.mode
    await talk.say("/plan on")
    await talk.say("/new")

    await talk.say("two")

    assert (after_waiting, engine.newest.mode) == (Mode.ASK, Mode.ASK)


# ---- engines that cannot plan --------------------------------------------------------------------------------------

NO_PLAN = EngineCapabilities()
UNHELD = EngineCapabilities(plan_approval="native", own_tools=OwnTools.UNCONTROLLED)


@pytest.mark.parametrize(
    ("able", "why_not"),
    [
        pytest.param(NO_PLAN, "Simple has no plan mode.", id="no plan mode"),
        pytest.param(
            UNHELD,
            "Simple has tools of its own that nobody can hold back, so it cannot be kept from changing things.",
            id="uncontrolled",
        ),
    ],
)
@pytest.mark.parametrize("begun", [True, False], ids=["in a conversation", "before one"])
@pytest.mark.parametrize("typed", ["/plan", "/plan a trip"])
async def test_an_engine_without_plan_mode_says_why_and_gets_nothing(
    home: Home, shell: MemoryApp, clock: ManualClock, able: EngineCapabilities, why_not: str, begun: bool, typed: str
) -> None:
    engine = Echo(clock, name="simple", capabilities=able)
    async with talking(home, engine, shell, clock) as talk:
        if begun:
            await talk.say("hello")

        refused = await talk.say(typed)
        await talk.say("one")

    assert refused.text == f"{why_not} So nothing was switched or sent."
    assert labels(refused) == []
    assert [turn.text for turn in engine.turns] == ["hello", "one"][0 if begun else 1 :]
    assert engine.newest.mode is Mode.ASK


async def test_plan_mode_can_be_left_whatever_the_engine(home: Home, shell: MemoryApp, clock: ManualClock) -> None:
    engine = Echo(clock, name="simple", capabilities=NO_PLAN)
    async with talking(home, engine, shell, clock) as talk:
        await talk.say("hello")
        await talk.app.conversations.decide(await talk.conversation(), SwitchPlan(on=True))

        answer = await talk.say("/plan off")
        await talk.say("one")

    assert answer.text == AS_USUAL
    assert engine.newest.mode is Mode.ASK
