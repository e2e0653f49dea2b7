"""What the demo keeps of a conversation."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.engines.demo.engine import DemoEngine
from core.engines.demo.notebook import FACT_LENGTH, KEPT_FACTS, Notebook
from core.engines.scripted import ScriptedHost
from tests.core.engines.rigs import HINT, read, turn, words


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
