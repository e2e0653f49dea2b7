"""The goal, before and in a conversation, by what the next turn is told."""

import pytest

from channels.memory.app import MemoryApp
from conch.home import Home
from core.clock import ManualClock
from core.events import GoalSet, Mode
from core.store.seats import SeatRecord
from tests.channels.commands.talking import Echo, Talk, labels, talking, until


def told_goal(engine: Echo) -> str | None:
    """The goal in the newest turn's instructions."""
    _, found, after = engine.newest.instructions.partition("in the person's own words: “")
    return after.partition("”")[0] if found else None


# ---- in a conversation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["goal", "objective"])
async def test_a_goal_is_in_every_turn_from_the_next_on(talk: Talk, engine: Echo, name: str) -> None:
    await talk.say("hello")

    answer = await talk.say(f"/{name} sleep more")
    await talk.say("one")
    await talk.say("/clear")
    await talk.say("two")

    assert answer.text == f"The goal is now “sleep more”. /{name} clear takes it away."
    assert labels(answer) == ["Clear goal"]
    assert told_goal(engine) == "sleep more"


async def test_the_goal_is_shown_with_its_button(talk: Talk) -> None:
    await talk.say("hello")
    none = await talk.say("/goal")
    await talk.say("/goal sleep\n  more")

    shown = await talk.say("/goal")

    assert none.text == "There is no goal here. Write it after /goal, in up to 500 characters, to set one."
    assert labels(none) == []
    assert shown.text == "The goal is “sleep more”. /goal clear takes it away."
    assert labels(shown) == ["Clear goal"]


async def test_a_tap_clears_the_goal(talk: Talk, engine: Echo) -> None:
    await talk.say("hello")
    shown = await talk.say("/goal sleep more")

    gone = await talk.tap(shown, "Clear goal")
    await talk.say("one")

    assert gone.text == "The goal is gone."
    assert told_goal(engine) is None


@pytest.mark.parametrize("word", ["clear", "OFF"])
async def test_each_clearing_word_clears_the_goal_alone(talk: Talk, engine: Echo, word: str) -> None:
    await talk.say("hello")
    await talk.say(f"/goal {word} the desk")
    await talk.say("one")
    before = told_goal(engine)

    gone = await talk.say(f"/goal {word}")
    again = await talk.say(f"/goal {word}")
    await talk.say("two")

    assert before == f"{word} the desk"
    assert (gone.text, again.text) == ("The goal is gone.", "There is no goal here.")
    assert told_goal(engine) is None


async def test_the_same_goal_again_is_logged_once(talk: Talk) -> None:
    await talk.say("hello")

    first = await talk.say("/goal sleep")
    second = await talk.say("/goal  sleep ")

    assert first.text == second.text
    assert [data for data in await talk.log() if isinstance(data, GoalSet)] == [GoalSet(goal="sleep")]


@pytest.mark.parametrize("begun", [True, False], ids=["in a conversation", "before one"])
async def test_a_goal_over_500_characters_is_refused_with_the_cap(talk: Talk, engine: Echo, begun: bool) -> None:
    if begun:
        await talk.say("hello")

    refused = await talk.say(f"/goal {'x' * 501}")
    fits = await talk.say(f"/goal {'y' * 500}")
    await talk.say("one")

    assert refused.text == "A goal has at most 500 characters; this one has 501, so it is not set."
    assert fits.text.startswith("The goal is now “yyy")
    assert told_goal(engine) == "y" * 500


async def test_a_goal_set_while_it_answers_counts_from_the_next_answer(talk: Talk, engine: Echo) -> None:
    talk.ada.say("wait")
    await engine.has_begun("wait")

    answer = await talk.say("/goal sleep")
    during = told_goal(engine)
    engine.go.set()
    await talk.ada.wait_until(lambda seen: seen.texts[-1].endswith("heard wait"))
    await talk.say("one")

    assert "It counts from the next answer on." in answer.text
    assert (during, told_goal(engine)) == (None, "sleep")


async def test_a_goal_is_shown_as_words_never_as_markup(talk: Talk) -> None:
    await talk.say("hello")

    answer = await talk.say("/goal `*win*` [now](https://evil.example) _all_")

    assert "“`*win*` [now](https://evil.example) _all_”" in answer.text


# ---- before there is a conversation --------------------------------------------------------------------------------


async def test_a_goal_waits_for_the_first_message(talk: Talk, engine: Echo) -> None:
    answer = await talk.say("/goal sleep more")
    shown = await talk.say("/goal")

    await talk.say("hello")

    assert answer.text == (
        "The goal is now “sleep more”. It waits and goes with your first message. /goal clear takes it away."
    )
    assert shown.text == answer.text.replace("is now", "is")
    assert labels(shown) == labels(answer) == ["Clear goal"]
    assert told_goal(engine) == "sleep more"
    assert [data.type for data in await talk.log()][:2] == ["goal", "user.message"]


async def test_a_goal_that_waits_is_replaced_by_the_next_one(talk: Talk, engine: Echo) -> None:
    await talk.say("/goal sleep")
    await talk.say("/goal wake up")

    await talk.say("hello")

    assert told_goal(engine) == "wake up"


async def test_a_tap_clears_the_goal_that_waits(talk: Talk, engine: Echo) -> None:
    shown = await talk.say("/goal sleep more")

    gone = await talk.tap(shown, "Clear goal")
    again = await talk.say("/goal clear")
    await talk.say("hello")

    assert (gone.text, again.text) == ("The goal is gone.", "There is no goal here.")
    assert told_goal(engine) is None


async def test_a_goal_waits_over_a_restart(home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock) -> None:
    async with talking(home, engine, shell, clock) as talk:
        await talk.say("/goal sleep more")

    async with talking(home, engine, shell, clock) as later:
        await later.say("hello")

    assert told_goal(engine) == "sleep more"


async def test_new_drops_the_goal_that_waits_and_the_goal_of_the_conversation(talk: Talk, engine: Echo) -> None:
    await talk.say("/goal sleep more")
    await talk.say("/new")
    waited = await talk.seat()
    await talk.say("hello")
    first = told_goal(engine)
    await talk.say("/goal wake up")
    await talk.say("/new")

    await talk.say("hello")

    assert (waited, first, told_goal(engine)) == (None, None, None)


async def test_a_goal_chosen_while_the_first_message_is_on_its_way_is_not_lost(talk: Talk, engine: Echo) -> None:
    talk.ada.say("hello")

    await talk.say("/goal sleep")
    await talk.ada.wait_until(lambda seen: len(seen.answers) == 3)
    await talk.say("one")

    assert told_goal(engine) == "sleep"


async def test_each_waits_on_a_seat_without_pushing_the_other_away(talk: Talk, engine: Echo) -> None:
    await talk.say("/goal sleep")
    await talk.say("/plan on")
    waiting = await talk.seat()

    await talk.say("/goal clear")
    left = await talk.seat()

    assert waiting is not None
    assert waiting == SeatRecord(waiting.seat, "private", None, "sleep", True)
    assert left == SeatRecord(waiting.seat, "private", None, None, True)


async def test_a_goal_that_waits_goes_with_the_first_message_that_is_held(talk: Talk, engine: Echo) -> None:
    await talk.say("/goal sleep")
    engine.is_ready = False
    await talk.say("hello")
    engine.is_ready = True

    await talk.clock.advance(30)
    await until(lambda: engine.turns)
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "heard hello")

    assert told_goal(engine) == "sleep"


async def test_what_waits_is_the_owners_and_goes_with_nobody_elses_message(talk: Talk, engine: Echo) -> None:
    await talk.say("/goal sleep more")
    await talk.say("/plan on")
    await talk.app.people.remove(talk.channel_id, "ada")
    await talk.let_in("Bob")  # who owns the bot now

    await talk.let_in("Ada")
    await talk.say("hello")

    assert (told_goal(engine), engine.newest.mode) == (None, Mode.ASK)


async def test_no_one_but_the_owner_sets_a_goal(talk: Talk, engine: Echo) -> None:
    bob = await talk.let_in("Bob")

    answer = await talk.say("/goal win", bob)
    await talk.say("hello", bob)

    assert answer.text == "/goal is about how Conch works, so only its owner can use it, in their private chat with me."
    assert told_goal(engine) is None
