"""A model behind a chat: the real SDKs at both ends, a pretend Telegram and a pretend model server."""

import asyncio
import json
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.engines.base import EXIT_PLAN_MODE
from tests.core.engines.models.wire.lines import EVERY, Api, Line, talking_to
from tests.core.engines.models.wire.serving import Call, Cut, End, Pause, Words
from tests.journeys.living import living, owner_of, said
from tests.journeys.test_telegram_cards import card, labels, says, shows, tapped

DRINK = {
    "fields": [
        {
            "id": "drink",
            "label": "Which drink?",
            "kind": "choice",
            "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
        }
    ]
}

every_api = pytest.mark.parametrize("api", EVERY, ids=str)


def sent(line: Line, request: int) -> str:
    return json.dumps(line.server.asked[request].body)


def tools(line: Line, request: int) -> set[str]:
    """The names of the tools in a request, whichever frame they come in."""
    listed = line.server.asked[request].body.get("tools", [])
    framed = [each for tool in listed for each in tool.get("functionDeclarations", [tool])]
    return {tool.get("name") or tool["function"]["name"] for tool in framed}


@every_api
async def test_a_model_answers_and_remembers(api: Api, tmp_path: Path, pretend: PretendTelegram) -> None:
    replies = ((Words("Nice to "), Words("meet Ada."), End()), (Words("Ada, of course."), End()))
    async with (
        talking_to(api, *replies) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("The cat is called Ada")
        await says(ada.chat, "Nice to meet Ada.")
        await ada.chat.say("What is her name?")
        await says(ada.chat, "Ada, of course.")

        second = sent(line, 1)
    assert second.index("The cat is called Ada") < second.index("Nice to meet Ada.") < second.index("What is her name?")


@every_api
async def test_a_model_asks_on_a_card_and_goes_on_with_the_answer(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    replies = ((Words("Let me ask."), Call("ask", DRINK), End()), (Words("Tea it is."), End()))
    async with (
        talking_to(api, *replies) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        await tapped(ada.chat, question, "Tea")
        await says(ada.chat, "Tea it is.")
        await shows(ada.chat, question, "Which drink?\n\nAda chose “Tea”.")

        assert "ask" in tools(line, 0)
        assert "tea" in sent(line, 1).partition("Let me ask.")[2]
    assert said(ada.chat)[1:] == ["Let me ask.", "Which drink?\n\nAda chose “Tea”.", "Tea it is."]


@every_api
async def test_start_ends_plan_mode_inside_the_turn(api: Api, tmp_path: Path, pretend: PretendTelegram) -> None:
    replies = ((Call(EXIT_PLAN_MODE, {"plan": "- sweep\n- mop"}), End()), (Words("On it."), End()))
    async with (
        talking_to(api, *replies) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("/plan tidy up")
        plan = await card(ada.chat, "Shall I start")
        await tapped(ada.chat, plan, labels(plan)[0])
        await says(ada.chat, "On it.")

        assert EXIT_PLAN_MODE in tools(line, 0)
        assert EXIT_PLAN_MODE not in tools(line, 1)
        assert "Plan only" in sent(line, 0)
        assert "Plan only" not in sent(line, 1)


@every_api
async def test_a_stop_while_a_question_waits_leaves_a_chat_that_goes_on(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    replies = ((Words("Let me ask."), Call("ask", DRINK), End()), (Words("All right."), End()))
    async with (
        talking_to(api, *replies) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        await card(ada.chat, "Which drink?")
        await ada.chat.say("/stop")
        await says(ada.chat, "Stopped")
        await ada.chat.say("Never mind")
        await says(ada.chat, "All right.")


@every_api
async def test_a_stop_in_mid_stream_keeps_what_was_said(api: Api, tmp_path: Path, pretend: PretendTelegram) -> None:
    never = asyncio.Event()
    replies = ((Words("Once upon a time "), Pause(never)), (Words("there was a cat."), End()))
    async with (
        talking_to(api, *replies) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("A story, please")
        await ada.chat.wait_for(lambda _: line.server.asked)
        await ada.chat.say("/stop")
        await says(ada.chat, "Stopped")
        await ada.chat.say("Go on")
        await says(ada.chat, "there was a cat.")


@every_api
async def test_a_stream_that_breaks_off_is_said_in_plain_words(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(api, (Words("Once upon a time "), Cut())) as line,
        living(tmp_path, pretend, engines=[line.engine]) as app,
    ):
        ada = await owner_of(app, pretend)
        await ada.chat.say("A story, please")
        await says(ada.chat, "The connection to Toy broke off")

    assert said(ada.chat)[1:] == [
        "Once upon a time",
        "The connection to Toy broke off in the middle of the answer. Send it again in a moment.",
    ]
