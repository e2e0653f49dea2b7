"""A model that cannot answer, over its wire and in Telegram: another takes over once, or one sentence says so."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from tests.core.engines.models.wire.lines import ANTHROPIC, EVERY, GOOGLE, OPENAI, RESPONSES, Api, talking_to
from tests.core.engines.models.wire.serving import Answer, Call, Cut, End, Refusal, Words
from tests.journeys.living import Owner, living, owner_of, said
from tests.journeys.menus import asked
from tests.journeys.models import heard, missed, requests
from tests.journeys.test_telegram_cards import card, says, shows, tapped
from tests.journeys.test_telegram_model import DRINK

BUSY = Refusal(429, {"error": {"type": "rate_limit_error", "message": "Slow down"}}, {"retry-after": "20"})
DOWN = Refusal(503, {"error": {"type": "api_error", "message": "upstream connect error"}})
HALF = (Words("This is half of a sen"), Cut())
"""What a model server may come to: it takes no more, it is broken, it breaks off."""

PAIRS = pytest.mark.parametrize(("first", "second"), [(OPENAI, ANTHROPIC), (RESPONSES, GOOGLE)], ids=str)


def says_so(words: str) -> Answer:
    return Words(words), End()


async def hears(owner: Owner, text: str, count: int) -> list[str]:
    """Say something; everything that the bot says to it, once it is so many messages."""
    before = len(said(owner.chat))
    await owner.chat.say(text)
    await owner.chat.wait_for_answer(count)
    return said(owner.chat)[before:]


@pytest.mark.report("R003", "R005")
@PAIRS
@pytest.mark.parametrize(
    ("trouble", "why"),
    [(BUSY, "takes no more requests for now"), (DOWN, "cannot be reached right now"), (HALF, "cannot be reached")],
    ids=["busy", "down", "breaks off"],
)
async def test_another_model_answers_once_and_the_next_turn_is_the_first_ones_again(
    first: Api, second: Api, trouble: Answer, why: str, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(first, says_so("One."), trouble, says_so("Three."), name="lovelace") as lovelace,
        talking_to(second, says_so("Two, in its place."), name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], fallback_engine="turing", gather_ms=0
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        one = await hears(owner, "one", 1)
        two = await hears(owner, "two", 2)
        three = await hears(owner, "three", 1)

        to_turing, to_lovelace = heard(turing), heard(lovelace)

    assert (one, two[1], three) == (["One."], "Two, in its place.", ["Three."])
    assert two[0].startswith(f"Lovelace {why}")
    assert two[0].endswith(f"so Turing ({second.model}) answers this time.")
    assert (requests(lovelace), requests(turing)) == (3, 1)
    assert to_turing == [missed("Person: one", "Assistant (lovelace): One.", then="two")]
    assert to_lovelace == [
        "person: one",
        "assistant: One.",
        missed("Person: two", "Assistant (turing): Two, in its place.", then="three"),
    ]


async def test_whoever_takes_over_again_goes_on_from_the_last_time(tmp_path: Path, pretend: PretendTelegram) -> None:
    own = (says_so("One."), BUSY, says_so("Three."), BUSY)
    async with (
        talking_to(OPENAI, *own, name="lovelace") as lovelace,
        talking_to(ANTHROPIC, says_so("Two, in its place."), says_so("Four, too."), name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], fallback_engine="turing", gather_ms=0
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        for text, count in (("one", 1), ("two", 2), ("three", 1), ("four", 2)):
            await hears(owner, text, count)

        to_turing = heard(turing)

    assert said(owner.chat)[-1] == "Four, too."
    assert to_turing == [
        missed("Person: one", "Assistant (lovelace): One.", then="two"),
        "assistant: Two, in its place.",
        missed("Person: three", "Assistant (lovelace): Three.", then="four"),
    ]


async def test_whoever_takes_over_in_the_middle_hears_what_was_done_and_asks_nothing_twice(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    steps = ((Words("Let me ask."), Call("ask", DRINK), End()), BUSY)
    async with (
        talking_to(OPENAI, *steps, name="lovelace") as lovelace,
        talking_to(ANTHROPIC, says_so("Tea it is."), name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], fallback_engine="turing", gather_ms=0
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.say("Get me a drink")
        question = await card(owner.chat, "Which drink?")
        await tapped(owner.chat, question, "Tea")
        await says(owner.chat, "Tea it is.")
        await shows(owner.chat, question, "Which drink?\n\nAda chose “Tea”.")

        to_turing = heard(turing)

    assert said(owner.chat)[1:] == [
        "Let me ask.",
        "Which drink?\n\nAda chose “Tea”.",
        f"Lovelace takes no more requests for now, so Turing ({ANTHROPIC.model}) answers this time.",
        "Tea it is.",
    ]
    assert to_turing == [
        missed(
            "And this was done already about the message that comes after, before you took over from another engine:",
            "Assistant (lovelace): Let me ask.",
            "- asked “Which drink?”: Tea",
            then="Get me a drink",
        )
    ]


async def test_where_both_fail_one_plain_sentence_says_so(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, BUSY, name="lovelace") as lovelace,
        talking_to(ANTHROPIC, DOWN, name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], fallback_engine="turing", gather_ms=0
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        told = await hears(owner, "hello", 2)

    assert told == [
        f"Lovelace takes no more requests for now, so Turing ({ANTHROPIC.model}) answers this time.",
        "Turing could not be reached or had a fault of its own. Try again in a moment. Before that, Lovelace could not "
        "answer either.",
    ]
    assert (requests(lovelace), requests(turing)) == (1, 1)


SENTENCES = [
    (BUSY, "Toy takes no more requests for now. Try again in 20 seconds."),
    (DOWN, "Toy could not be reached or had a fault of its own. Try again in a moment."),
    (
        Refusal(401, {"error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
        "The key for Toy does not work (any more). The owner can enter a new one with conch engines add toy.",
    ),
    (
        Refusal(402, {"error": {"message": "Insufficient credits"}}),
        "Toy has no credit left for this key, or its quota is used up. The owner can add credit or raise the limit in "
        "the account there.",
    ),
]


@pytest.mark.report("R113")
@pytest.mark.parametrize("api", EVERY, ids=str)
@pytest.mark.parametrize(("trouble", "sentence"), SENTENCES, ids=["busy", "down", "key", "credit"])
async def test_what_went_wrong_is_one_sentence_that_says_what_to_do(
    api: Api, trouble: Refusal, sentence: str, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(api, trouble) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        told = await asked(owner.chat, "hello")

    assert told.text == sentence


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_after_trouble_the_chat_goes_on_and_what_was_not_answered_is_known(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(api, DOWN, says_so("Here I am.")) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await asked(owner.chat, "hello")
        await asked(owner.chat, "are you there?")

        sent = heard(line)

    assert sent == ["person: hello", "assistant: (Nothing was said here.)", "person: are you there?"]
    assert said(owner.chat)[-1] == "Here I am."


async def test_a_server_that_went_away_is_stood_in_for(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, says_so("One."), name="lovelace") as lovelace,
        talking_to(ANTHROPIC, says_so("Two, in its place."), name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], fallback_engine="turing", gather_ms=0
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        await asked(owner.chat, "one")
        await lovelace.server.goes_away()
        told = await hears(owner, "two", 2)

    assert told == [
        f"Lovelace cannot be reached right now, so Turing ({ANTHROPIC.model}) answers this time.",
        "Two, in its place.",
    ]


async def test_a_server_of_ones_own_that_is_gone_is_to_be_started(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with talking_to(OPENAI, says_so("Never.")) as line, living(tmp_path, pretend, engines=[line.engine]) as app:
        owner = await owner_of(app, pretend)
        await line.server.goes_away()
        told = await asked(owner.chat, "hello")

    assert told.text == "Toy does not answer at its address. Start it (or see that it listens there), then try again."
