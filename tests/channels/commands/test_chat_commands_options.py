"""Choosing how a chat is answered, where an app has no buttons, and what the commands about it say."""

from collections.abc import AsyncIterator

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import SentFile
from conch.home import Home
from core.clock import ManualClock
from core.engines.base import ModelInfo
from core.events import Effort, Mode, Usage
from core.store.usage import AddUsage
from tests.channels.commands.talking import Echo, Talk, labels, talking

MODELS = (
    ModelInfo("big", "Big", window=200_000, efforts=(Effort.LOW, Effort.HIGH), fast=True),
    ModelInfo("small", "Small"),
)


@pytest.fixture
def engine(clock: ManualClock) -> Echo:
    return Echo(clock, models=MODELS)


@pytest.fixture
async def bare(home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock) -> AsyncIterator[Talk]:
    """The same in an app without buttons."""
    async with talking(home, engine, shell, clock, button_limit=0) as talk:
        yield talk


# ---- without buttons -----------------------------------------------------------------------------------------------


async def test_without_buttons_a_menu_is_a_numbered_list_and_a_number_picks(bare: Talk, engine: Echo) -> None:
    menu = await bare.say("/model")
    picked = await bare.say("2")
    await bare.say("hello")

    assert menu.text.endswith("Reply with a number:\n1 ✓ Big\n2 Small")
    assert picked.text.startswith("Model: Small\n\nModel\nSmall (Echo) answers here.")
    assert engine.newest.options.model == "small"


async def test_without_buttons_a_label_picks_too_and_yes_means_yes(bare: Talk, engine: Echo) -> None:
    await bare.say("/mode")

    question = await bare.say("auto")
    done = await bare.say("yes")
    await bare.say("hello")

    assert question.text.endswith("Reply with a number:\n1 Yes\n2 No, leave it")
    assert done.text.startswith("Mode: Auto")
    assert engine.newest.mode is Mode.AUTO


@pytest.mark.parametrize("words", ["9", "low, please", "1,2"])
async def test_without_buttons_other_words_go_to_the_chat_and_numbers_after_them_too(bare: Talk, words: str) -> None:
    await bare.say("/effort")

    answers = [(await bare.say(text)).text for text in (words, "1")]

    assert answers == [f"heard {words}", f"heard {words}, 1"]


async def test_without_buttons_a_number_after_another_command_is_not_for_the_menu(bare: Talk) -> None:
    await bare.say("/effort")
    await bare.say("/help")

    answer = await bare.say("2")

    assert answer.text == "heard 2"


async def test_without_buttons_a_setting_takes_a_value_and_back_by_its_name(bare: Talk) -> None:
    await bare.say("/settings")
    name = await bare.say("6")

    done = await bare.say("Pearl")
    voice = await bare.say("7")
    back = await bare.say("back")

    assert name.text.startswith("Name\n")
    assert done.text.startswith("Name is now “Pearl”.")
    assert voice.text.startswith("Voice\n")
    assert back.text.startswith("Settings\n")


async def test_a_number_is_a_budget_and_no_choice_where_a_number_is_asked_for(bare: Talk) -> None:
    await bare.say("/settings")
    question = await bare.say("8")

    done = await bare.say("1")

    assert question.text.endswith("Or reply “« Back”.")
    assert done.text.startswith("Dollars a day: $1.00 from now on.")


# ---- what is said --------------------------------------------------------------------------------------------------


async def test_usage_says_what_was_used_by_model_and_what_budgets_leave(talk: Talk) -> None:
    await talk.app.database.commit(
        AddUsage("echo", "big", Usage(input=9_000, output=1_000, cost=0.25)),
        AddUsage("echo", "small", Usage(input=50, output=10)),
    )
    await talk.app.preferences.change({"budget_day_cost": 1.0, "budget_turn_tokens": 5_000})

    answer = await talk.say("/usage")

    assert answer.text.splitlines() == [
        "Today (UTC): $0.25, 10,060 tokens, 2 answers",
        "This month: $0.25, 10,060 tokens, 2 answers",
        "",
        "By model, this month",
        "- big (echo): $0.25, 10,000 tokens",
        "- small (echo): $0.00, 60 tokens",
        "",
        "Budgets",
        "- Dollars a day: $0.75 left of $1.00",
        "- Tokens an answer: 5,000",
        "",
        "A day's budget starts anew at 00:00 UTC. /settings changes it.",
        "",
        "The price of 1 use is not known, so the dollars leave that out.",
    ]


async def test_usage_before_anything_was_used(talk: Talk) -> None:
    answer = await talk.say("/usage")

    assert answer.text.splitlines() == [
        "Today (UTC): nothing",
        "This month: nothing",
        "",
        "No budget is set. /settings sets one.",
    ]


async def test_yesterday_counts_for_the_month_only(talk: Talk) -> None:
    await talk.app.database.commit(AddUsage("echo", "big", Usage(input=900, output=100, cost=0.001)))
    await talk.clock.advance(86_400)
    same_month = talk.clock.now().date().day != 1

    answer = await talk.say("/usage")

    assert answer.text.startswith("Today (UTC): nothing")
    assert ("less than $0.01, 1,000 tokens, 1 answer" in answer.text) == same_month


async def test_effort_names_what_there_is_with_a_button_each(talk: Talk) -> None:
    answer = await talk.say("/effort gigantic")

    assert answer.text == "Big has no such effort. It has: auto, low, high."
    assert labels(answer) == ["Auto", "Low", "High"]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("/fast maybe", "Send /fast on or /fast off; /fast shows how it is."),
        ("/mode 5", "There is no such mode. There is: plan, ask, edit, auto, full."),
        ("/mode default", "Mode as in every chat: Ask first. It waits and goes with your first message."),
        ("/effort default", "Effort as in every chat: Auto. It waits and goes with your first message."),
        ("/fast default", "Fast answers as in every chat: off. It waits and goes with your first message."),
        ("/effort auto", "Effort is Auto here now. It waits and goes with your first message."),
        ("/model echo", "Big (Echo) answers here now. It waits and goes with your first message."),
    ],
)
async def test_what_the_typed_commands_say(talk: Talk, typed: str, says: str) -> None:
    answer = await talk.say(typed)

    assert answer.text == says


async def test_what_was_chosen_before_a_chat_began_is_forgotten_by_new(talk: Talk, engine: Echo) -> None:
    await talk.say("/model small")
    await talk.say("/new")

    await talk.say("hello")

    assert engine.newest.options.model is None


async def test_leaving_plan_mode_before_a_chat_began_goes_back_to_the_mode_before(talk: Talk, engine: Echo) -> None:
    await talk.say("/mode edit yes")
    await talk.say("/mode plan")
    await talk.say("/plan off")

    await talk.say("hello")

    assert engine.newest.mode is Mode.EDIT


async def test_a_file_is_no_value_for_a_setting(talk: Talk) -> None:
    menu = await talk.say("/settings")
    talk.ada.press(menu, "Name: Conch")
    await talk.ada.wait_until(lambda seen: seen.answers[-1].text.startswith("Name"))

    answer = await talk.say("look", files=[SentFile("a.txt", b"a", "text/plain")])

    assert answer.text == "heard look"


async def test_plan_off_goes_back_to_the_default_for_every_chat(talk: Talk, engine: Echo) -> None:
    await talk.app.preferences.change({"default_mode": "edit"})
    await talk.say("hello")
    await talk.say("/plan on")

    answer = await talk.say("/plan off")
    await talk.say("go")

    assert answer.text.startswith("Acting as usual: Edit freely.")
    assert engine.newest.mode is Mode.EDIT


@pytest.mark.parametrize("first", ["", "hello"])
async def test_where_planning_is_the_default_plan_off_asks_first(talk: Talk, engine: Echo, first: str) -> None:
    await talk.app.preferences.change({"default_mode": "plan"})
    if first:
        await talk.say(first)

    answer = await talk.say("/plan")
    await talk.say("go")

    assert answer.text.startswith("Acting as usual: Ask first.")
    assert engine.newest.mode is Mode.ASK
