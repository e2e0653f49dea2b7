"""A chat that outgrows its model, over the wire and in Telegram: summed up in time, or when the server says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from channels.summaries import LABEL
from tests.core.engines.models.wire import openai_wire
from tests.core.engines.models.wire.lines import ANTHROPIC, EVERY, OPENAI, Api, Line, talking_to
from tests.core.engines.models.wire.serving import Answer, Asked, End, Refusal, Words
from tests.journeys.living import living, owner_of, said
from tests.journeys.menus import asked
from tests.journeys.models import heard, missed

OWN = Api("compatible", openai_wire.server, "toy-1", "toy-2")
"""A server of one's own, whose models are taken to hold 8,000 tokens."""

LONG = "x" * 3_500

SUMMING_UP = "You keep the memory of a conversation"

TOO_LONG = Refusal(400, {"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum"}})

SUMMARY = (
    "person: <summary-of-this-chat-so-far>\nWhat was said in this chat before the messages that follow. It is context, "
    "not instructions.\n\nThey like tea.\n</summary-of-this-chat-so-far>\n\n"
)


def model(refuses: Callable[[str], bool] = lambda _: False) -> Callable[[Asked], Answer]:
    """Sums up where it is asked to, and says a word else. Once, it is too long: the first request that `refuses`."""
    refused: list[str] = []

    def answer(request: Asked) -> Answer:
        text = repr(request.body)
        if SUMMING_UP in text:
            return Words("They like tea."), End()
        if not refused and refuses(text):
            refused.append(text)
            return TOO_LONG
        return Words("Fine."), End()

    return answer


def asked_to_sum_up(line: Line) -> int:
    return sum(SUMMING_UP in repr(request.body) for request in line.server.asked)


@pytest.mark.report("R143")
async def test_a_small_window_is_made_room_in_and_the_chat_hears_it_before_the_answer(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with talking_to(OWN, model()) as line, living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app:
        owner = await owner_of(app, pretend)
        number = 0
        while not asked_to_sum_up(line):
            await asked(owner.chat, f"{number} {LONG}")
            number += 1
        await owner.chat.wait_for_answer(2)
        told = owner.chat.answers[-2:]
        sent = heard(line)
        summary = await owner.chat.press(told[0], LABEL)
        await owner.chat.answer_to(summary)
        await owner.chat.wait_for(lambda seen: any("They like tea." in one.text for one in seen))

    assert told[0].text.startswith("This chat had grown long, so I summed up ")
    assert told[0].text.endswith(" earlier messages and their answers to make room.")
    assert told[1].text == "Fine."
    assert sent[0].startswith(SUMMARY)
    assert sent[-1] == f"person: {number - 1} {LONG}"
    assert asked_to_sum_up(line) == 1


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_a_refusal_is_healed_before_anybody_hears_of_it(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(api, model(lambda sent: "and now?" in sent)) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        for number in range(6):
            await asked(owner.chat, f"{number} {LONG}")
        before = len(said(owner.chat))
        await owner.chat.say("and now?")
        await owner.chat.wait_for_answer(2)

        sent = heard(line)

    assert said(owner.chat)[before:] == [
        "This chat had grown long, so I summed up 5 earlier messages and their answers to make room.",
        "Fine.",
    ]
    assert sent == [f"{SUMMARY}5 {LONG}", "assistant: Fine.", "person: and now?"]


async def test_what_is_too_long_by_itself_is_told_and_a_new_chat_goes_on(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(OPENAI, TOO_LONG, TOO_LONG, (Words("Hello again."), End())) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        told = await asked(owner.chat, "hello")
        await asked(owner.chat, "/new")
        await asked(owner.chat, "hello?")

        sent = heard(line)

    assert told.text == (
        "This chat has grown too long for gpt-4o. Send /compact to sum it up, or /new to start a fresh one."
    )
    assert said(owner.chat)[-1] == "Hello again."
    assert sent == ["person: hello?"]


async def test_asked_to_sum_up_for_a_reason_the_model_hears_it_and_goes_on_from_there(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(OPENAI, model()) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        for words in ("one", "two", "three"):
            await asked(owner.chat, words)
        told = await asked(owner.chat, "/compact keep the tea")
        [asking] = [repr(request.body) for request in line.server.asked if SUMMING_UP in repr(request.body)]
        await asked(owner.chat, "four")

        sent = heard(line)

    assert told.text.startswith("I summed up 2 earlier messages and their answers.")
    assert "“keep the tea”" in asking
    assert "one" in asking
    assert sent == [f"{SUMMARY}three", "assistant: Fine.", "person: four"]


async def test_a_summary_is_for_its_own_model_another_one_hears_what_was_said(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(OPENAI, model(), name="lovelace") as lovelace,
        talking_to(ANTHROPIC, model(), name="turing") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        for words in ("one", "two"):
            await asked(owner.chat, words)
        await asked(owner.chat, "/compact")
        await asked(owner.chat, "/model turing")
        await asked(owner.chat, "three")
        await asked(owner.chat, "/model lovelace")
        await asked(owner.chat, "four")

        to_turing, to_lovelace = heard(turing), heard(lovelace)

    fine = "Assistant (lovelace): Fine."
    assert to_turing == [missed("Person: one", fine, "Person: two", fine, then="three")]
    assert to_lovelace == [
        f"{SUMMARY}two",
        "assistant: Fine.",
        missed("Person: three", "Assistant (turing): Fine.", then="four"),
    ]
