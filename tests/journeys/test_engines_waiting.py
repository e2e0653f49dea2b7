"""A model that waits for a person, for hours: no other chat waits with it, and the answer goes where it belongs."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from tests.core.engines.models.wire.lines import ANTHROPIC, EVERY, OPENAI, Api, talking_to
from tests.core.engines.models.wire.serving import Answer, Asked, Call, End, Pause, Words
from tests.journeys.living import FastClock, living, owner_of, said
from tests.journeys.menus import asked, let_in
from tests.journeys.models import heard
from tests.journeys.test_telegram_cards import card, says, tapped
from tests.journeys.test_telegram_model import DRINK

TEN_HOURS = 10 * 3600.0


def asks_whoever_is_thirsty(request: Asked) -> Answer:
    """Ask what to drink, take the answer; talk with everybody else."""
    text = repr(request.body)
    if "Tea" in text and "The person answered" in text:
        return Words("Tea it is."), End()
    if "Get me a drink" in text:
        return Words("Let me ask."), Call("ask", DRINK), End()
    return Words("Hello, Bob."), End()


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_a_question_waits_for_hours_while_other_chats_go_on(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    clock = FastClock()
    async with (
        talking_to(api, asks_whoever_is_thirsty) as line,
        living(tmp_path, pretend, engines=[line.engine], clock=clock, gather_ms=0) as app,
    ):
        ada = await owner_of(app, pretend)
        bob = await let_in(app, pretend, ada, "Bob")
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        clock.skip(TEN_HOURS)
        of_bob = await asked(bob, "hello")
        under_way = line.server.under_way
        clock.skip(TEN_HOURS)
        await tapped(ada.chat, question, "Tea")
        await says(ada.chat, "Tea it is.")

        sent = heard(line)

    assert of_bob.text == "Hello, Bob."
    assert under_way == 0, "a connection was held while a person was waited for"
    assert sent[-1].startswith("result: The person answered. Tea")
    assert not any("Tea" in text for text in said(bob))


async def test_an_answer_that_is_being_written_holds_no_other_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()

    def slowly(request: Asked) -> Answer:
        if "A story" in repr(request.body):
            return Words("Once upon a time "), Pause(go), Words("there was a cat."), End()
        return Words("Hello, Bob."), End()

    async with (
        talking_to(ANTHROPIC, slowly) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        ada = await owner_of(app, pretend)
        bob = await let_in(app, pretend, ada, "Bob")
        await ada.chat.say("A story, please")
        await ada.chat.wait_for(lambda _: line.server.asked)

        of_bob = await asked(bob, "hello")
        go.set()
        story = await says(ada.chat, "Once upon a time")

    assert of_bob.text == "Hello, Bob."
    assert story == "Once upon a time there was a cat."


async def test_a_stop_lets_go_of_the_server_at_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    never = asyncio.Event()
    async with (
        talking_to(OPENAI, (Words("Once upon a time "), Pause(never))) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("A story, please")
        await ada.chat.wait_for(lambda _: line.server.asked)
        await ada.chat.say("/stop")
        await says(ada.chat, "Stopped")

        await line.server.is_idle()

    assert said(ada.chat)[1:] in (["Stopped."], ["Once upon a time", "Stopped."])


async def test_what_nobody_answers_for_a_day_is_skipped_and_the_model_hears_it(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    clock = FastClock()
    steps = ((Words("Let me ask."), Call("ask", DRINK), End()), (Words("Water, then."), End()))
    async with (
        talking_to(OPENAI, *steps) as line,
        living(tmp_path, pretend, engines=[line.engine], clock=clock, gather_ms=0) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        await card(ada.chat, "Which drink?")

        clock.skip(24 * 3600.0)
        await says(ada.chat, "Water, then.")

        sent = heard(line)

    assert sent[-1].startswith("result: ")
    assert "skipped" in sent[-1] or "did not answer" in sent[-1]
