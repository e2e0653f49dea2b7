"""Cards that are answered elsewhere, or while nothing ran, in every app: they say so, and nothing is done twice."""

from pathlib import Path

import pytest

from core.engines.base import TurnInput
from core.engines.script import Steps
from core.events import QuestionAnswered, TurnStarted
from tests.journeys.apps import AppUnderTest, labels, now, said
from tests.journeys.cards import DRINK, NIGHTS, asking, card, lines, logged, says, shows, tap, told, wanting
from tests.journeys.living import until
from tests.journeys.programs import program_of


def doing(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Asks about a drink, wants to write a note, or echoes."""
    yield from (wanting() if turn.text.startswith("Write") else asking(DRINK))(turn, earlier)


# ---- by a program ----------------------------------------------------------------------------------------------------


@pytest.mark.report("R081")
async def test_a_question_of_a_chat_is_answered_by_a_program_and_closed_there(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app, program_of(app) as program:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        waiting = (await program.now())["question"]["question"]

        answered = await program.post(f"/questions/{waiting['question_id']}/answer", {"values": {"drink": "tea"}})
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", "The API (laptop) chose “Tea”.")
        late = await told(ada.chat, question, "Coffee", stale=True)

    assert answered.json == {"outcome": "answered", "words": "Tea"}
    assert '"tea"' in heard
    assert late == "The API (laptop) chose “Tea”."


async def test_what_a_program_allows_is_done_and_said_in_the_chat(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app, program_of(app) as program:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")
        [waiting] = (await program.now())["permissions"]

        await program.post(f"/permissions/{waiting['permission_id']}", {"decision": "allow"})
        await says(ada.chat, "done")
        words = ("May I do this?", "Write note: text “*hello*”", "The API (laptop) allowed it.")
        await shows(ada.chat, asked, *words)
        late = await told(ada.chat, asked, "Don't allow", stale=True)

    assert late == "The API (laptop) allowed it."


async def test_what_was_pressed_here_first_a_program_hears(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app, program_of(app) as program:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        waiting = (await program.now())["question"]["question"]

        await tap(ada.chat, question, "Tea")
        heard = await says(ada.chat, "heard: ")
        late = await program.post(f"/questions/{waiting['question_id']}/answer", {"text": "coffee"})
        answers = await logged(app, QuestionAnswered)

    assert late.status == 404
    assert [answer.words for answer in answers] == ["Tea"]
    assert lines(ada.chat)[-1] == heard


async def test_what_a_program_says_in_a_chats_conversation_is_not_told_in_the_chat(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app, program_of(app) as program:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "Hello")

        await program.post("/messages", {"text": "From a program"})
        await until(lambda: app.conversations.active == 0)
        await messenger.asked(ada.chat, "And you?")

    assert lines(ada.chat) == ["echo: Hello", "echo: And you?"]


# ---- between two lives of the program --------------------------------------------------------------------------------


@pytest.mark.report("R077")
async def test_words_that_were_typed_while_nothing_ran_are_a_message_and_no_answer(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
    await ada.chat.say("tea")

    async with messenger.living(tmp_path, gather_ms=0, script=doing):
        await shows(ada.chat, question, "Which drink?", "Skipped: I was restarted.")
        await ada.chat.wait_for(lambda _: any("echo: " in text and "tea" in text for text in said(ada.chat)))

    assert not any(line.startswith("heard") for line in lines(ada.chat))


async def test_what_was_answered_before_a_restart_stays_so_after_it(tmp_path: Path, messenger: AppUnderTest) -> None:
    answered = ("Which drink?", "Ada chose “Tea”.")
    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        await tap(ada.chat, question, "Tea")
        await says(ada.chat, "heard: ")
        await shows(ada.chat, question, *answered)

    async with messenger.living(tmp_path, gather_ms=0, script=doing) as app:
        await messenger.ready(app, ada.channel_id)
        late = await told(ada.chat, question, "Coffee", stale=True)
        turns = await logged(app, TurnStarted)

    assert late == "Ada chose “Tea”."
    assert len(turns) == 1


@pytest.mark.report("R077")
async def test_a_card_that_a_restart_left_half_filled_in_is_closed_with_the_rest(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        first = await card(ada.chat, "Which drink?")
        await ada.chat.say("coffee")
        second = await card(ada.chat, "How many nights?", below=first)
        await ada.chat.wait_for(lambda _: not labels(now(ada.chat, first)))

    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, NIGHTS)) as app:
        await shows(ada.chat, second, "Which drink? (and 1 more)", "Skipped: I was restarted.")
        await messenger.ready(app, ada.channel_id)
        late = await told(ada.chat, second, "Leave this out", stale=True)

    assert late == "Skipped: I was restarted."
    assert not [each for each in (first, second) if labels(now(ada.chat, each))]
