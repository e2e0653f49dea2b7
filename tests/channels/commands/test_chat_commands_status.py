"""What /status says of a chat, in words."""

import pytest

from channels.memory.chat import SentFile
from core.events import Effort, Mode, OptionsSet, Tainted
from core.store.log import Append
from tests.channels.commands.talking import Echo, Talk


def lines(text: str) -> list[str]:
    return [line.removeprefix("• ").removeprefix("- ") for line in text.splitlines()]


@pytest.mark.parametrize("typed", ["/status", "/info", "/context"])
async def test_before_a_conversation_it_says_what_the_first_message_meets(talk: Talk, typed: str) -> None:
    answer = await talk.say(typed)

    assert lines(answer.text) == [
        "Model: Echo",
        "Mode: Ask first",
        "Goal: none",
        "Now: your next message starts a fresh conversation",
    ]


async def test_it_shows_what_waits_for_the_first_message(talk: Talk) -> None:
    await talk.say("/goal sleep more")
    await talk.say("/plan on")

    answer = await talk.say("/status")

    assert lines(answer.text)[1:3] == ["Mode: Plan only", "Goal: “sleep more”"]


async def test_it_shows_engine_mode_and_goal_of_the_conversation(talk: Talk) -> None:
    await talk.say("hello")
    await talk.say("/goal sleep more")
    options = OptionsSet(model="large_v2", effort=Effort.HIGH, fast=True, mode=Mode.EDIT)
    await talk.app.database.commit(Append(await talk.conversation(), (options,)))

    answer = await talk.say("/status")

    assert lines(answer.text) == [
        "Model: large_v2 (Echo)",
        "Effort: High",
        "Fast answers: on",
        "Mode: Edit freely",
        "Goal: “sleep more”",
        "Now: nothing going on",
    ]


async def test_it_shows_what_goes_on_and_how_much_waits(talk: Talk, engine: Echo) -> None:
    talk.ada.say("wait")
    await engine.has_begun("wait")
    await talk.say("one")
    await talk.waiting(1)

    one = await talk.say("/status")
    talk.ada.say("two")
    await talk.waiting(2)
    two = await talk.say("/status")
    engine.go.set()
    await talk.ada.wait_until(lambda seen: seen.texts[-1].startswith("heard wait, one"))

    assert lines(one.text)[3:] == ["Now: answering", "Waiting: 1 message"]
    assert lines(two.text)[3:] == ["Now: answering", "Waiting: 2 messages"]


async def test_it_shows_what_is_held_for_an_engine(talk: Talk, engine: Echo) -> None:
    engine.is_ready = False
    await talk.say("hello")

    answer = await talk.say("/status")

    assert lines(answer.text)[3:] == ["Now: waiting for an engine that can answer", "Waiting: 1 message"]


async def test_it_names_what_was_read_and_that_new_starts_clean(talk: Talk) -> None:
    await talk.say("buy this", forwarded_from="Eve")
    marks = (Tainted(source="web", label="evil.example/*x*"), Tainted(source="app", label="Mail"))
    await talk.app.database.commit(Append(await talk.conversation(), marks))

    answer = await talk.say("/status")
    await talk.say("/new")
    clean = await talk.say("/status")

    assert lines(answer.text)[4:] == [
        "Read from outside: words of Eve, the page evil.example/*x*, content from Mail. /new starts clean."
    ]
    assert "Read from outside" not in clean.text


async def test_a_file_of_ones_own_is_not_from_outside(talk: Talk) -> None:
    await talk.say("look", files=[SentFile("note.txt", b"!", "text/plain")])

    answer = await talk.say("/status")

    assert "Read from outside" not in answer.text
