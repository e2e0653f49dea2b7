"""What the demo keeps of a conversation."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.engines.base import Compacted, ModelOptions
from core.engines.demo.engine import DemoEngine, DemoSession
from core.engines.demo.notebook import FACT_LENGTH, KEPT_FACTS, SUMMARY_LENGTH, Notebook
from core.engines.scripted import ScriptedHost
from tests.core.engines.rigs import HINT, read, turn, words


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@settings(max_examples=50)
@given(st.lists(st.text(max_size=400), max_size=40))
def test_it_stays_small_and_comes_back_from_json(facts: list[str]) -> None:
    notebook = Notebook()

    for fact in facts:
        notebook.remember(fact)
    again = Notebook.from_state(json.loads(json.dumps(notebook.state())))

    assert again.facts == notebook.facts
    assert len(again.facts) <= KEPT_FACTS
    assert all(len(fact) <= FACT_LENGTH for fact in again.facts)


def test_a_fact_told_again_becomes_the_newest() -> None:
    notebook = Notebook()

    for fact in ("a", "b", "a"):
        notebook.remember(fact)

    assert notebook.facts == ("b", "a")


@pytest.mark.parametrize("state", [None, {}, {"facts": 7}, {"turns": "many"}, {"from": "a later release"}])
def test_a_state_that_cannot_be_read_begins_anew(state: dict[str, object] | None) -> None:
    notebook = Notebook.from_state(state)

    assert (notebook.turns, notebook.facts) == (0, ())


async def test_the_ids_of_calls_are_not_used_again_after_a_restart() -> None:
    clock, host = ManualClock(), ScriptedHost(choice="Allow")
    engine = DemoEngine(clock, HINT)
    session = await engine.open(None)
    await read(session, turn("Write a note"), host, clock)

    resumed = await engine.open(session.state())
    await read(resumed, turn("Write a note"), host, clock)

    assert len({call.id for call in host.asked}) == 2


async def test_what_it_was_told_is_there_although_the_answer_was_stopped() -> None:
    clock = ManualClock()
    engine = DemoEngine(clock, HINT)
    session = await engine.open(None)
    answer = session.run(turn("Remember that tea is at four"), ScriptedHost())
    await anext(answer)
    await session.cancel()

    resumed = await engine.open(session.state())
    events = await read(resumed, turn("What did I tell you?"), ScriptedHost(), clock)

    assert "“tea is at four”" in words(events)


# ---- folded --------------------------------------------------------------------------------------------------------


async def told(clock: ManualClock, *facts: str) -> DemoSession:
    """A demo that was told these, a turn each, beginning at 0, 10, 20 …"""
    session = await DemoEngine(clock, HINT).open(None)
    for number, fact in enumerate(facts):
        said = replace(turn(f"Remember that {fact}"), first_seq=number * 10)
        await read(session, said, ScriptedHost(), clock)
    return session


async def test_asked_to_it_makes_one_line_of_what_it_was_told(clock: ManualClock) -> None:
    session = await told(clock, "tea is at four", "Bob is tall", "it rains")

    folded = await session.compact(None, ModelOptions())

    assert folded == Compacted("You told me: tea is at four; Bob is tall; it rains.", before_seq=20, turns=2)


@pytest.mark.parametrize("facts", [(), ("tea is at four",)])
async def test_with_one_turn_or_none_there_is_nothing_to_fold(clock: ManualClock, facts: tuple[str, ...]) -> None:
    session = await told(clock, *facts)

    assert await session.compact(None, ModelOptions()) is None


async def test_what_was_folded_is_not_folded_again_and_nothing_is_lost(clock: ManualClock) -> None:
    session = await told(clock, "tea is at four", "Bob is tall")
    await session.compact(None, ModelOptions())

    resumed = await DemoEngine(clock, HINT).open(json.loads(json.dumps(session.state())))

    assert await resumed.compact(None, ModelOptions()) is None
    events = await read(resumed, turn("What did I tell you?"), ScriptedHost(), clock)
    assert "tea is at four; Bob is tall" in words(events)


@settings(max_examples=20)
@given(st.lists(st.text(min_size=1, max_size=400), min_size=2, max_size=40))
def test_the_line_stays_short_however_much_is_folded(facts: list[str]) -> None:
    notebook = Notebook()

    for fact in facts:
        notebook.turns += 1
        notebook.remember(fact)
        notebook.fold()

    assert len(notebook.summary) <= SUMMARY_LENGTH


async def test_a_chat_that_is_filled_up_is_folded_before_its_answer(clock: ManualClock) -> None:
    session = await told(clock, "tea is at four")

    events = await read(session, replace(turn("Fill this chat up"), first_seq=10), ScriptedHost(), clock)

    folded = events[0]
    assert isinstance(folded, Compacted)
    assert (folded.before_seq, folded.turns) == (10, 4)
    assert "tea is at four; The train from Rome" in folded.summary
