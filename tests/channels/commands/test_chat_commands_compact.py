"""/compact as people meet it: typing, one sentence, and the summary one tap away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from channels.commands.compact import NOTHING_KNOWN, NOTHING_SAID, OWN_MEMORY
from channels.memory.app import MemoryApp
from channels.summaries import LABEL
from conch.home import Home
from core import events as ev
from core.clock import ManualClock
from core.compacting import NOT_NOW, NOTHING_TO_FOLD
from core.engines.base import Compacted, Text
from core.engines.script import Step
from core.engines.scripted import always
from core.errors import TryLater
from tests.channels.commands.talking import Echo, Talk, labels, talking
from tests.core.folders import FoldingEngine

SUMMED_UP = "I summed up 2 earlier messages and their answers. What came after that I still know word for word."
LONG = "This chat had grown long, so I summed up 3 earlier messages and their answers to make room."


@pytest.fixture
def engine(clock: ManualClock) -> FoldingEngine:
    """Echoes, and folds at once."""
    return FoldingEngine(clock)


@pytest.fixture
async def talk(home: Home, engine: FoldingEngine, shell: MemoryApp, clock: ManualClock) -> AsyncIterator[Talk]:
    async with talking(home, engine, shell, clock) as talk:
        yield talk


def slow(engine: FoldingEngine) -> asyncio.Event:
    """Let each fold wait until this is set."""
    go = asyncio.Event()
    engine.wait = go.wait
    return go


def telling(engine: FoldingEngine, *steps: Step) -> None:
    """Have these played in the turns from now on."""
    engine.script = always(*steps)


async def said(talk: Talk, *words: str) -> None:
    for each in words:
        await talk.say(each)


async def no_model() -> None:
    raise TryLater("No model.")


# ---- asked for -----------------------------------------------------------------------------------------------------


@pytest.mark.report("R143")
async def test_what_came_of_it_is_told_in_one_sentence_with_the_summary_a_tap_away(talk: Talk) -> None:
    await said(talk, "one", "two", "three")

    told = await talk.say("/compact the names")
    shown = await talk.tap(told, LABEL)

    assert (told.text, labels(told)) == (SUMMED_UP, [LABEL])
    assert shown.text == "Here is how I remember 2 earlier messages and their answers:\n\nsummary of one, two"


async def test_the_button_works_once_and_only_for_ten_minutes(talk: Talk) -> None:
    await said(talk, "one", "two", "three")
    told = await talk.say("/compact")

    await talk.clock.advance(11 * 60)
    with suppress(LookupError):  # it may be gone by then
        talk.ada.press(told, LABEL)
    await talk.app.service.settled()

    assert talk.ada.texts[-1] == SUMMED_UP


async def test_before_anything_was_said_there_is_nothing_to_sum_up(talk: Talk) -> None:
    assert (await talk.say("/compact")).text == NOTHING_SAID


async def test_after_a_single_message_there_is_nothing_yet(talk: Talk) -> None:
    await talk.say("one")

    assert (await talk.say("/compact")).text == NOTHING_TO_FOLD


async def test_after_a_clear_nothing_is_remembered(talk: Talk) -> None:
    await said(talk, "one", "two", "/clear")

    assert (await talk.say("/compact")).text == NOTHING_KNOWN


async def test_an_engine_that_keeps_its_own_memory_is_named(home: Home, shell: MemoryApp, clock: ManualClock) -> None:
    async with talking(home, Echo(clock), shell, clock) as talk:
        await talk.say("one")

        assert (await talk.say("/compact")).text == OWN_MEMORY.format(engine="Echo")


async def test_without_a_model_that_can_it_says_so(talk: Talk, engine: FoldingEngine) -> None:
    engine.wait = no_model
    await said(talk, "one", "two")

    assert (await talk.say("/compact")).text == NOT_NOW


async def test_somebody_who_was_let_in_can_ask_for_it_too(talk: Talk) -> None:
    bob = await talk.let_in("Bob")
    for words in ("one", "two", "three"):
        await talk.say(words, bob)

    told = await talk.say("/compact", bob)

    assert (told.text, labels(told)) == (SUMMED_UP, [LABEL])
    assert (await talk.tap(told, LABEL, bob)).text.endswith("summary of one, two")


# ---- while it goes on ----------------------------------------------------------------------------------------------


async def test_what_is_sent_meanwhile_waits_and_is_answered_after_it(talk: Talk, engine: FoldingEngine) -> None:
    go = slow(engine)
    await said(talk, "one", "two", "three")
    talk.ada.say("/compact")
    await engine.begun.wait()

    talk.ada.say("four")
    await talk.waiting(1)
    status = await talk.say("/status")
    go.set()
    await talk.ada.wait_until(lambda seen: len(seen.answers) >= 7)

    assert "summing up what was said" in status.text
    assert talk.ada.texts[-2:] == (SUMMED_UP, "echo: four")


async def test_stop_ends_it_and_nothing_more_is_said(talk: Talk, engine: FoldingEngine) -> None:
    slow(engine)
    await said(talk, "one", "two")
    talk.ada.say("/compact")
    await engine.begun.wait()

    stopped = await talk.say("/stop")
    again = await talk.say("three")

    assert (stopped.text, again.text) == ("Stopped.", "echo: three")


async def test_a_second_one_meanwhile_is_told_to_wait(talk: Talk, engine: FoldingEngine) -> None:
    slow(engine)
    await said(talk, "one", "two")
    talk.ada.say("/compact")
    await engine.begun.wait()

    assert "I'm still at it here." in (await talk.say("/compact")).text
    await talk.say("/stop")


async def test_a_chat_shows_typing_meanwhile_and_no_longer(talk: Talk, engine: FoldingEngine) -> None:
    go = slow(engine)
    await said(talk, "one", "two", "three")
    talk.ada.say("/compact")
    await engine.begun.wait()

    await talk.clock.advance(1)
    await talk.ada.wait_until(lambda seen: seen.typing)
    go.set()
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == SUMMED_UP)
    await talk.clock.advance(60)

    assert not talk.ada.typing


async def test_what_a_restart_cut_off_is_done_by_the_next_start(
    home: Home, engine: FoldingEngine, shell: MemoryApp, clock: ManualClock
) -> None:
    slow(engine)
    async with talking(home, engine, shell, clock) as talk:
        await said(talk, "one", "two", "three")
        talk.ada.say("/compact")
        await engine.begun.wait()

    async with talking(home, FoldingEngine(clock), shell, clock) as talk:
        await talk.ada.wait_until(lambda seen: seen.texts[-1] == SUMMED_UP)

    assert talk.ada.texts.count(SUMMED_UP) == 1


# ---- by itself -----------------------------------------------------------------------------------------------------


@pytest.mark.report("R143")
async def test_a_fold_inside_a_turn_is_told_before_its_answer(talk: Talk, engine: FoldingEngine) -> None:
    telling(engine, Compacted("They met in *Rome*.", before_seq=4, turns=3), Text("Hello."))

    told = await talk.say("hello")

    assert (told.text, labels(told)) == (LONG, [LABEL])
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "Hello.")
    assert "They met in" in (await talk.tap(told, LABEL)).text


async def test_what_was_dropped_without_a_summary_is_told_plainly(talk: Talk, engine: FoldingEngine) -> None:
    telling(engine, Compacted("", before_seq=4, turns=1), Text("Hello."))

    told = await talk.say("hello")

    assert told.text == (
        "This chat had grown too long and could not be summed up just now, "
        "so I no longer know 1 earlier message and its answer."
    )
    assert labels(told) == []


async def test_status_says_how_the_summary_begins(talk: Talk, engine: FoldingEngine) -> None:
    telling(engine, Compacted("They met in Rome. " * 50, before_seq=4, turns=3), Text("Hello."))
    await talk.say("hello")
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "Hello.")

    status = (await talk.say("/status")).text

    assert "3 earlier messages and their answers. The summary begins: They met in Rome." in status
    assert len(status) < 800


async def test_a_very_long_summary_is_shown_in_part(talk: Talk, engine: FoldingEngine) -> None:
    telling(engine, Compacted("They met in Rome. " * 2_000, before_seq=4, turns=3), Text("Hello."))
    told = await talk.say("hello")

    talk.ada.press(told, LABEL)
    await talk.ada.wait_until(lambda seen: "This is its beginning" in seen.texts[-1])

    assert "the whole has 36,000 characters" in talk.ada.texts[-1]


async def test_the_one_who_asked_is_in_the_log(talk: Talk) -> None:
    await said(talk, "one", "two", "/compact")

    [fold] = [data for data in await talk.log() if isinstance(data, ev.ContextCompacted)]

    assert (fold.by, fold.asked) == (talk.ada.people[0].id, True)
