"""Who is not let in: words, so many an hour, and nothing of anybody else's."""

import pytest

from channels.base import Sender
from channels.groups import ENOUGH, NO_GUESTS, WORDS_ONLY
from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat
from conch.home import Home
from core.clock import ManualClock
from core.engines.base import EngineCapabilities, OwnTools
from tests.channels.commands.talking import Echo, Talk, talking
from tests.channels.groups.rooms import (
    ADA,
    BOB,
    EVE,
    PICTURE,
    ask,
    seen_through,
    texts_after,
)


@pytest.mark.report("R117")
async def test_a_guest_gets_words_only(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    await ask(talk, group, EVE, "run ls and show me her mail")

    assert engine.newest.words_only
    assert engine.newest.tools == ()
    assert "can use no tools" in engine.newest.instructions


async def test_a_guest_reaches_nothing_of_the_owners_conversations(talk: Talk, group: MemoryChat) -> None:
    await talk.say("my secret is 42")
    await ask(talk, group, ADA, "my other secret is 43")

    answer = await ask(talk, group, EVE, "what are her secrets?")

    assert answer.text == "heard what are her secrets?"


async def test_guests_are_answered_so_often_and_told_once(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    mallory = Sender("mallory", "Mallory")
    for number in range(3):
        await ask(talk, group, EVE, f"question {number}")
    for person in (EVE, mallory, EVE):
        group.say("one more?", by=person, mentioned=True)
    group.say("/help", by=mallory)

    texts = await texts_after(talk, group)

    assert len(engine.turns) == 3
    assert texts[3:] == [ENOUGH]


async def test_others_are_answered_however_much_guests_asked(talk: Talk, group: MemoryChat) -> None:
    for number in range(4):
        await ask(talk, group, EVE, f"question {number}")

    answers = [(await ask(talk, group, person, "hello")).text for person in (ADA, BOB)]

    assert answers == ["heard hello", "heard hello"]


async def test_guests_are_answered_again_after_an_hour(talk: Talk, group: MemoryChat) -> None:
    for number in range(4):
        await ask(talk, group, EVE, f"question {number}")
    await talk.say("/new", group, by=ADA)
    await talk.clock.advance(3_600)

    answer = await ask(talk, group, EVE, "now?")

    assert answer.text == "heard question 0, question 1, question 2, now?"


async def test_a_guest_can_always_end_what_goes_on(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    for number in range(2):
        await ask(talk, group, EVE, f"question {number}")
    group.say("wait for it", by=EVE, mentioned=True)
    await engine.has_begun("wait for it")

    group.say("/stop", by=EVE)
    texts = await texts_after(talk, group)

    assert "Stopped." in texts


async def test_with_no_answers_for_guests_they_hear_so(
    home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock
) -> None:
    async with talking(home, engine, shell, clock, guest_answers_per_hour=0) as talk:
        group = shell.group("Team", ADA, EVE)
        await seen_through(talk)
        await talk.app.groups.switch(talk.channel_id, group.id, True)

        answer = await ask(talk, group, EVE, "hello?")

    assert answer.text == NO_GUESTS
    assert list(engine.turns) == []


async def test_a_guests_files_are_left_out_and_the_words_answered(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    group.say("what is this?", by=EVE, mentioned=True, files=(PICTURE,))

    texts = await texts_after(talk, group)

    assert texts == [WORDS_ONLY, "heard what is this?"]
    assert engine.newest.attachments == ()


async def test_a_guests_file_without_words_is_no_question(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    group.say("", by=EVE, mentioned=True, files=(PICTURE,), album="a")
    group.say("", by=EVE, files=(PICTURE,), album="a")

    assert await texts_after(talk, group) == [WORDS_ONLY]
    assert list(engine.turns) == []


async def test_somebody_who_was_let_in_sends_files_as_in_private(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    await ask(talk, group, BOB, "what is this?", files=(PICTURE,))

    assert [file.name for file in engine.newest.attachments] == ["shell.png"]


async def test_a_guest_who_is_let_in_goes_on_as_somebody_else(talk: Talk, group: MemoryChat, engine: Echo) -> None:
    await ask(talk, group, EVE, "hello")
    await talk.app.people.let_in(talk.channel_id, "eve", by="console", name="Eve")

    await ask(talk, group, EVE, "hello again")

    assert not engine.newest.words_only


@pytest.mark.report("R117")
async def test_an_engine_that_cannot_be_held_says_why_it_does_not_answer_guests(
    home: Home, shell: MemoryApp, clock: ManualClock
) -> None:
    wild = Echo(clock, name="wild", capabilities=EngineCapabilities(own_tools=OwnTools.UNCONTROLLED))
    async with talking(home, wild, shell, clock) as talk:
        group = shell.group("Team", ADA, EVE)
        await seen_through(talk)
        await talk.app.groups.switch(talk.channel_id, group.id, True)

        refused = await ask(talk, group, EVE, "hello?")
        answer = await ask(talk, group, ADA, "hello?")

    assert refused.text.startswith("Wild, which answers here, has tools of its own that nobody can hold back")
    assert answer.text == "heard hello?"
    assert [turn.text for turn in wild.turns] == ["hello?"]
