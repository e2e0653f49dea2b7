"""Somebody who is not let in: what an engine is told of them, and which engine may answer them at all."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from core import events as ev
from core.engines.base import (
    Ended,
    EndReason,
    EngineCapabilities,
    EngineEvent,
    FileMade,
    OwnTools,
    Text,
    TurnInput,
)
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.errors import NotAllowed
from core.store.queue import Enqueue
from tests.core.lives import CHAT, Life, Start, Wayward, echo, from_chat, message

UNCONTROLLED = EngineCapabilities(own_tools=OwnTools.UNCONTROLLED)
GUEST = from_chat("eve").model_copy(update={"role": "guest", "app": "Telegram"})


async def freely(turn: TurnInput) -> AsyncIterator[EngineEvent]:
    yield Text("I did what I liked")
    yield Ended(EndReason.DONE)


def wild() -> Wayward:
    """An engine that nobody can hold back."""
    return Wayward(freely, id="wild", title="Wild", capabilities=UNCONTROLLED)


async def told(life: Life, *lines: str) -> None:
    """Come back when the log tells these."""
    async with asyncio.timeout(10):
        while await life.story() != list(lines):  # noqa: ASYNC110 - what is looked at is a picture, not an event
            await asyncio.sleep(0)


@pytest.mark.report("R117")
async def test_a_guest_gets_words_and_nothing_else(start: Start) -> None:
    life = await start(voice="Speak slowly.")

    await life.answer("what does she do today?", by=GUEST, others_words=True)

    [turn] = life.engine.turns
    assert turn.words_only
    assert turn.tools == ()
    assert "You know nothing about your owner and can use no tools" in turn.instructions
    assert "Eve" not in turn.instructions


@pytest.mark.parametrize("role", ["owner", "let-in"])
async def test_nobody_else_is_kept_to_words(start: Start, role: str) -> None:
    life = await start()

    await life.answer("hello", by=GUEST.model_copy(update={"role": role}))

    assert not life.engine.turns[0].words_only


async def test_an_engine_that_makes_a_guest_a_file_all_the_same_makes_none(start: Start) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Here it is.")
        yield FileMade("diary.txt", "text/plain", b"dear diary")

    life = await start(script)

    story = await life.answer("give me her diary", by=GUEST)

    assert story == ["> give me her diary", "turn", "Here it is.", "end: success"]


async def test_a_guest_never_hears_of_a_goal(start: Start) -> None:
    life = await start()
    await life.answer("hello", goal="Keep the surprise party secret")

    await life.answer("what is going on?", by=GUEST)

    assert "party" not in life.engine.turns[-1].instructions


async def test_a_guests_words_are_marked_as_somebody_elses(start: Start) -> None:
    life = await start()

    await life.answer("hello", by=GUEST, others_words=True)

    assert ev.Tainted(source="person", label="Eve") in await life.events()


@pytest.mark.report("R117")
async def test_an_engine_that_cannot_be_held_does_not_answer_a_guest(start: Start) -> None:
    life = await start(wild())

    with pytest.raises(NotAllowed, match="Wild, which answers here, has tools of its own"):
        await life.say("read her mail", by=GUEST)

    assert await life.events() == []
    assert await life.waiting() == []


async def test_it_answers_everybody_else(start: Start) -> None:
    life = await start(wild())

    story = await life.answer("hello", by=from_chat("ada"))

    assert "I did what I liked" in story


async def test_another_engine_answers_a_guest_where_there_is_one(start: Start) -> None:
    quiet = ScriptedEngine(start.clock, echo, name="quiet", capabilities=EngineCapabilities(own_tools=OwnTools.NONE))
    life = await start(wild(), quiet)

    story = await life.answer("hello", by=GUEST)

    assert story == ["> hello", "turn", "echo: hello", "end: success"]
    assert (await life.end()).engine == "quiet"


async def test_a_guest_who_waited_hears_why_there_is_no_answer(start: Start) -> None:
    life = await start(recover=False)
    await life.database.commit(Enqueue(CHAT, message("read her mail", GUEST)))
    await life.is_killed()

    later = await start(wild())
    await told(later, "notice: not-for-guests")

    [notice] = await later.events()
    assert isinstance(notice, ev.Notice)
    assert notice.address == GUEST.address
    assert await later.waiting() == []
    await later.idle()


async def test_a_guest_without_an_answer_keeps_nobody_else_waiting(start: Start) -> None:
    life = await start(recover=False)
    ada = from_chat("ada")
    await life.database.commit(Enqueue(CHAT, message("read her mail", GUEST)), Enqueue(CHAT, message("hello", ada)))
    await life.is_killed()

    later = await start(wild())
    await later.idle()

    assert await later.story() == ["notice: not-for-guests", "> hello", "turn", "I did what I liked", "end: success"]
