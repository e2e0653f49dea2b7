"""Something to choose, in every app: one tap, a list of many, several with ticks, or typed words."""

from pathlib import Path

import pytest

from channels.cards.filling import PICK_FIRST, TYPE_IT
from core.events import TurnStarted, UserMessage
from core.store.log import EventLog
from tests.journeys.apps import AppUnderTest, labels, said
from tests.journeys.cards import (
    DRINK,
    asking,
    card,
    choice,
    has,
    lines,
    logged,
    only_conversation,
    says,
    shows,
    tap,
    told,
    whispers,
)

ANSWERED = ("Which drink?", "Ada chose “Tea”.")


@pytest.mark.report("R071", "R081")
async def test_one_tap_answers_and_leaves_nothing_else_behind(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await tap(ada.chat, question, "Tea")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)

    assert labels(question) == ["Tea", "Coffee", "Skip"]
    assert lines(ada.chat) == ["\n".join(ANSWERED), heard]
    assert '"tea"' in heard
    assert not whispers(ada.chat)


async def test_more_than_five_are_picked_as_well_as_two(tmp_path: Path, messenger: AppUnderTest) -> None:
    drinks = ("Tea", "Coffee", "Cocoa", "Milk", "Water", "Juice")
    async with messenger.living(tmp_path, gather_ms=0, script=asking(choice(*drinks))) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await tap(ada.chat, question, "Juice")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "Ada chose “Juice”.")

    assert sorted(labels(question)) == sorted([*drinks, "Skip"])
    assert '"o5"' in heard


async def test_what_is_picked_is_ticked_until_it_is_done(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking({**DRINK, "multiple": True})) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me drinks")
        question = await card(ada.chat, "Which drink?")
        early = await told(ada.chat, question, "Done")

        await tap(ada.chat, question, "○ Tea")
        await tap(ada.chat, question, "○ Coffee", stale=True)
        await has(ada.chat, question, "✓ Tea", "✓ Coffee")
        await tap(ada.chat, question, "✓ Tea")
        await has(ada.chat, question, "○ Tea", "✓ Coffee")
        await tap(ada.chat, question, "Done")
        heard = await says(ada.chat, "heard: ")

    assert early == PICK_FIRST
    assert '{"drink": ["coffee"]}' in heard


async def test_something_else_is_typed(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking({**DRINK, "other": True})) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        hint = await told(ada.chat, question, "Something else…")
        await ada.chat.say("Cold cocoa")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "Ada chose “Cold cocoa”.")

    assert hint == TYPE_IT
    assert '{"drink": "Cold cocoa"}' in heard


@pytest.mark.report("R073")
@pytest.mark.parametrize("words", ["1", " TEA! "])
async def test_typed_words_answer_and_start_no_turn(tmp_path: Path, messenger: AppUnderTest, words: str) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.say(words)
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)
        turns = await logged(app, TurnStarted)

    assert '"tea"' in heard
    assert len(turns) == 1


async def test_other_words_answer_freely_and_stand_in_the_log(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.say("neither, just water please")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "Ada answered “neither, just water please”.")
        words = await logged(app, UserMessage)

    assert "neither, just water please" in heard
    assert [message.text for message in words] == ["Get me a drink", "neither, just water please"]


async def test_an_answer_that_quotes_the_question_is_one(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.reply(question, "tea")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)

    assert '"tea"' in heard


@pytest.mark.parametrize("how", ["tap", "type"])
async def test_a_question_can_be_skipped(tmp_path: Path, messenger: AppUnderTest, how: str) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await (tap(ada.chat, question, "Skip") if how == "tap" else ada.chat.say("skip"))
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "Ada skipped this.")

    assert "best judgement" in heard


async def test_a_command_is_never_an_answer_and_stop_ends_the_waiting(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await messenger.give(ada.chat, "help")
        await ada.chat.wait_for(lambda messages: messenger.written("new") in messages[-1].text)
        await has(ada.chat, question, "Tea", "Coffee", "Skip")
        await messenger.give(ada.chat, "stop")
        await shows(ada.chat, question, "Which drink?", "Skipped: the answer was stopped.")
        late = await told(ada.chat, question, "Tea", stale=True, besides=("Stopped.",))

    assert "Stopped." in said(ada.chat)
    assert late == "Skipped: the answer was stopped."


# ---- late, twice, elsewhere ------------------------------------------------------------------------------------------


@pytest.mark.report("R079")
async def test_two_devices_at_once_get_one_answer_and_the_second_hears_which(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.press(question, "Tea")
        second = await told(ada.chat, question, "Coffee", stale=True, besides=("heard: ",))
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *ANSWERED)

    assert second == "Ada chose “Tea”."
    stays = [second] if messenger.notes_stay else []
    assert sorted(lines(ada.chat)) == sorted(["\n".join(ANSWERED), heard, *stays])


async def test_what_was_decided_elsewhere_is_seen_in_the_chat(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        conversation_id = await only_conversation(app)
        waiting = (await EventLog(app.database).state(conversation_id)).waiting_question
        assert waiting is not None

        question_id = waiting.question.question_id
        await app.conversations.answer_question(conversation_id, question_id, {"drink": "coffee"}, "The API (laptop)")
        await shows(ada.chat, question, "Which drink?", "The API (laptop) chose “Coffee”.")
        late = await told(ada.chat, question, "Tea", stale=True, besides=("heard: ",))

    assert late == "The API (laptop) chose “Coffee”."


@pytest.mark.report("R069", "R077")
async def test_a_restart_closes_what_waited_and_says_why(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        await shows(ada.chat, question, "Which drink?", "Skipped: I was restarted.")
        await messenger.ready(app, ada.channel_id)
        late = await told(ada.chat, question, "Tea", stale=True)

    assert late == "Skipped: I was restarted."


@pytest.mark.report("R077")
async def test_what_was_pressed_while_nothing_ran_changes_nothing_by_itself(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
    await ada.chat.press(question, "Tea", stale=True)

    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK)) as app:
        await shows(ada.chat, question, "Which drink?", "Skipped: I was restarted.")
        await messenger.ready(app, ada.channel_id)
        await ada.chat.say("hello")
        await says(ada.chat, "echo: hello")

    assert [line for line in lines(ada.chat) if line.startswith("heard")] == []
