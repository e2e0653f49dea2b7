"""Budgets by what model servers really count: told in time, held to before each request, also for what nobody sees."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from conch.app import App
from tests.core.engines.models.wire.lines import ANTHROPIC, EVERY, OPENAI, Api, talking_to
from tests.core.engines.models.wire.serving import Answer, Call, End, Words
from tests.journeys.living import Owner, living, owner_of, said, until
from tests.journeys.models import requests
from tests.journeys.test_telegram_cards import says

PLAN = {"steps": [{"title": "Boil water"}]}


def uses(tokens: int, words: str = "Fine.") -> Answer:
    return Words(words), End(sent=tokens, heard=0)


async def hears(app: App, owner: Owner, text: str, count: int = 1) -> list[str]:
    """Say something; what the bot says to it, once it is so many messages and all is counted."""
    before = len(said(owner.chat))
    await owner.chat.say(text)
    await owner.chat.wait_for_answer(count)
    await until(lambda: not app.conversations.active)
    return said(owner.chat)[before:]


@pytest.mark.report("R199")
@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_an_answer_that_comes_to_its_budget_asks_its_model_no_more(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    goes_on = (Words("One more thing. "), Call("update_plan", PLAN), End(sent=1_000, heard=0))
    async with (
        talking_to(api, goes_on) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0, budget_turn_tokens=2_500) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.say("work")
        told = await says(owner.chat, "This answer came")

        count = requests(line)

    assert count == 3
    assert told == (
        "This answer came to the budget of one answer, 2,500 tokens, so I stop here. Ask for a smaller part, or raise "
        "it with /settings, or conch settings set budget_turn_tokens NUMBER."
    )


@pytest.mark.report("R199")
async def test_dollars_of_a_day_are_told_at_half_and_at_most_and_then_no_model_is_asked(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    """gpt-4o costs 2.50 dollars for a million tokens in."""
    async with (
        talking_to(OPENAI, uses(60_000)) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0, budget_day_cost=0.5) as app,
    ):
        owner = await owner_of(app, pretend)
        told = [
            await hears(app, owner, text, count)
            for text, count in (("one", 1), ("two", 2), ("three", 2), ("four", 1), ("five", 1))
        ]

        count = requests(line)

    begun = "of today's budget of $0.50 is used. When all of it is, I stop answering until 00:00 UTC. You can raise it "
    how = "with /settings, or conch settings set budget_day_cost NUMBER."
    assert told == [
        ["Fine."],
        ["Fine.", f"50 % {begun}{how}"],
        ["Fine.", f"80 % {begun}{how}"],
        ["Fine."],
        [
            "Today's budget of $0.50 is used up, so I stop here. It starts anew at 00:00 UTC. To go on now, raise it "
            "with /settings, or conch settings set budget_day_cost NUMBER."
        ],
    ]
    assert count == 4


@pytest.mark.report("R201")
async def test_a_summary_counts_too_though_nobody_sees_its_request(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, uses(10), uses(10), uses(990, "They like tea.")) as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0, budget_day_tokens=1_000) as app,
    ):
        owner = await owner_of(app, pretend)
        for text in ("one", "two"):
            await hears(app, owner, text)
        [_, all_used] = await hears(app, owner, "/compact", 2)
        [told] = await hears(app, owner, "three")
        [also] = await hears(app, owner, "/compact")

        count = requests(line)

    assert all_used.startswith("All of today's budget of 1,000 tokens is used, so I answer no more until 00:00 UTC.")
    assert told.startswith("Today's budget of 1,000 tokens is used up")
    assert also.startswith("Today's budget of 1,000 tokens is used up")
    assert count == 3


@pytest.mark.report("R199")
async def test_what_is_used_counts_for_every_engine_together(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, uses(600), name="lovelace") as lovelace,
        talking_to(ANTHROPIC, uses(450), name="turing") as turing,
        living(
            tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0, budget_day_tokens=1_000
        ) as app,
    ):
        owner = await owner_of(app, pretend)
        for text, count in (("one", 2), ("/model turing", 1), ("two", 2)):
            await hears(app, owner, text, count)
        [told] = await hears(app, owner, "three")

        counts = requests(lovelace), requests(turing)

    assert told.startswith("Today's budget of 1,000 tokens is used up")
    assert counts == (1, 1)
