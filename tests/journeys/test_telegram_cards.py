"""Cards in Telegram: drawn, pressed, answered in words, closed; over the real SDK and the pretend Telegram."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from channels.cards.filling import PICK_FIRST, TYPE_IT
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from channels.pressing import NOTES
from core.cards import PlanStep
from core.engines.base import EXIT_PLAN_MODE, PLAN_OPTIONS, START, Plan, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Step, Steps, Until
from core.engines.scripted import Script
from core.events import TurnStarted, UserMessage
from core.store.actions import Denied
from core.store.log import EventLog
from tests.journeys.living import FastClock, echo, living, owner_of, said
from tests.journeys.teams import team

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}
DAY = {"id": "day", "label": "Which day?", "kind": "date", "suggested": "2026-12-24"}
NIGHTS = {"id": "nights", "label": "How many nights?", "kind": "number", "min": 1, "max": 14, "optional": True}


def asking(*fields: Mapping[str, Any], title: str | None = None) -> Script:
    """Asked for something, says a word, asks back, and says what the model heard; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith(("Get", "Plan")):
            yield from echo(turn, earlier)
            return
        yield Text("Let me ask.")
        answer = yield CallTool("1", "ask", {"title": title, "fields": list(fields)})
        yield Text(f"heard: {answer.text}")

    return script


def wanting(*before: Step) -> Script:
    """Asked to write, wants to run a tool of its own; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Write"):
            yield from echo(turn, earlier)
            return
        yield from before
        allowed = yield AskPermission("1", "write_note", {"text": "*hello*"}, ("yes", "no"), "yes")
        yield Text("done" if allowed else "not done")

    return script


async def card(chat: Screen, words: str) -> SeenMessage:
    """The message with these words, once it has buttons."""
    found = await chat.wait_for(lambda messages: next((m for m in messages if words in m.text and m.labels), None))
    assert found is not None
    return found


async def says(chat: Screen, words: str) -> str:
    """Wait until the bot says something that begins so."""
    found = await chat.wait_for(
        lambda messages: next((m for m in messages if m.by_bot and m.text.startswith(words)), None)
    )
    assert found is not None
    return found.text


async def shows(chat: Screen, message: SeenMessage, text: str) -> None:
    """Wait until a message says this and has no buttons."""
    await chat.wait_for(lambda messages: any(m.id == message.id and m.text == text and not m.labels for m in messages))


def labels(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


async def tapped(chat: Screen, message: SeenMessage, label: str, *, stale: bool = False) -> str:
    """Press, and read the note at the top of the screen."""
    return (await chat.answer_to(await chat.press(message, label, stale=stale))).text


async def logged(app: Any, kind: type) -> list[Any]:
    """What the only conversation's log has of a kind."""
    log = EventLog(app.database)
    [conversation] = await log.page(10)
    return [event.data for event in await log.read(conversation.id) if isinstance(event.data, kind)]


# ---- a question ------------------------------------------------------------------------------------------------------


@pytest.mark.report("R071", "R081")
async def test_a_choice_is_asked_with_buttons_and_one_tap_answers_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        note = await tapped(ada.chat, question, "Tea")
        await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?\n\nAda chose “Tea”.")

    assert labels(question) == ["Tea", "Coffee", "Skip"]
    assert note == "Tea"
    assert said(ada.chat)[1:3] == ["Let me ask.", "Which drink?\n\nAda chose “Tea”."]
    assert '"tea"' in said(ada.chat)[3]


@pytest.mark.report("R073")
@pytest.mark.parametrize("words", ["tea", "1", "Tea!", " TEA "])
async def test_typed_words_answer_and_start_no_turn(tmp_path: Path, pretend: PretendTelegram, words: str) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.say(words)
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?\n\nAda chose “Tea”.")
        turns = await logged(app, TurnStarted)

    assert '"tea"' in heard
    assert len(turns) == 1


async def test_other_words_answer_freely_and_stand_in_the_log(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.say("neither, just water please")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?\n\nAda answered “neither, just water please”.")
        words, turns = await logged(app, UserMessage), await logged(app, TurnStarted)

    assert "neither, just water please" in heard
    assert [message.text for message in words] == ["Get me a drink", "neither, just water please"]
    assert len(turns) == 1


async def test_a_command_is_never_an_answer_and_stop_ends_the_waiting(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.say("/help")
        await ada.chat.wait_for(lambda messages: "/new" in messages[-1].text)
        still = labels(next(m for m in ada.chat.messages if m.id == question.id))
        await ada.chat.say("/stop")
        await says(ada.chat, "Stopped.")
        await shows(ada.chat, question, "Which drink?\n\nSkipped: the answer was stopped.")
        late = await tapped(ada.chat, question, "Tea", stale=True)

    assert still == ["Tea", "Coffee", "Skip"]
    assert late == "Skipped: the answer was stopped."


@pytest.mark.parametrize("how", ["tap", "type"])
async def test_a_question_can_be_skipped(tmp_path: Path, pretend: PretendTelegram, how: str) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await (tapped(ada.chat, question, "Skip") if how == "tap" else ada.chat.say("skip"))
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?\n\nAda skipped this.")

    assert "best judgement" in heard


async def test_several_fields_are_asked_one_after_the_other_in_one_message(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK, DAY, NIGHTS, title="Trip")) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Plan it")
        first = await card(ada.chat, "Which drink?")
        await tapped(ada.chat, first, "Coffee")
        second = await card(ada.chat, "Which day?")
        late = await tapped(ada.chat, first, "Tea", stale=True)
        await tapped(ada.chat, second, "Thursday, 24 December 2026")
        third = await card(ada.chat, "How many nights?")
        await tapped(ada.chat, third, "Leave this out")
        heard = await says(ada.chat, "heard: ")

    assert first.id == second.id == third.id
    assert "(2 of 3)" in second.text
    assert late == NOTES[Denied.REPLACED]
    assert '{"drink": "coffee", "day": "2026-12-24"}' in heard


async def test_a_field_that_was_typed_is_followed_by_the_next_one_below(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK, NIGHTS)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Plan it")
        first = await card(ada.chat, "Which drink?")

        await ada.chat.say("coffee")
        second = await card(ada.chat, "How many nights?")
        await ada.chat.wait_until(lambda: not next(m for m in ada.chat.messages if m.id == first.id).labels)
        await ada.chat.say("3")
        heard = await says(ada.chat, "heard: ")
        await shows(
            ada.chat, second, "Which drink? (and 1 more)\n\nAda answered “Which drink: Coffee; How many nights: 3”."
        )

    assert second.id > first.id
    assert '{"drink": "coffee", "nights": 3}' in heard


async def test_a_message_that_a_card_left_keeps_the_field_that_it_showed_last(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK, DAY, NIGHTS)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Plan it")
        first = await card(ada.chat, "Which drink?")
        await tapped(ada.chat, first, "Tea")
        second = await card(ada.chat, "Which day?")

        await ada.chat.say("24 December 2026")
        await card(ada.chat, "How many nights?")
        await shows(ada.chat, first, second.text)

    assert "(2 of 3)" in second.text


async def test_what_is_picked_is_ticked_until_it_is_done(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking({**DRINK, "multiple": True})) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me drinks")
        question = await card(ada.chat, "Which drink?")
        early = await tapped(ada.chat, question, "Done")

        await tapped(ada.chat, question, "○ Tea")
        await tapped(ada.chat, question, "○ Coffee", stale=True)
        await ada.chat.wait_for(lambda messages: any(labels(m)[:2] == ["✓ Tea", "✓ Coffee"] for m in messages))
        await tapped(ada.chat, question, "✓ Tea")
        await ada.chat.wait_for(lambda messages: any(labels(m)[:2] == ["○ Tea", "✓ Coffee"] for m in messages))
        await tapped(ada.chat, question, "Done")
        heard = await says(ada.chat, "heard: ")

    assert early == PICK_FIRST
    assert '{"drink": ["coffee"]}' in heard


async def test_something_else_is_typed(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking({**DRINK, "other": True})) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        hint = await tapped(ada.chat, question, "Something else…")
        await ada.chat.say("Cold cocoa")
        heard = await says(ada.chat, "heard: ")

    assert hint == TYPE_IT
    assert '{"drink": "Cold cocoa"}' in heard


@pytest.mark.report("R083", "R085")
async def test_long_labels_are_numbered_lines_and_every_button_fits(tmp_path: Path, pretend: PretendTelegram) -> None:
    options = [{"id": f"{number}" * 60, "label": f"{number}" + " long" * 15} for number in range(4)]
    async with living(tmp_path, pretend, script=asking({**DRINK, "options": options})) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me one")
        question = await card(ada.chat, "Which drink?")

        await tapped(ada.chat, question, "3")
        heard = await says(ada.chat, "heard: ")

    assert labels(question) == ["1", "2", "3", "4", "Skip"]
    assert "3. 2 long long" in question.text
    assert "2" * 60 in heard


async def test_a_forward_or_a_file_is_no_answer(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        await ada.chat.forward("tea", of="Mallory")
        await ada.chat.photo(caption="coffee")
        await says(ada.chat, "I'm waiting for an answer")
        await tapped(ada.chat, question, "Skip")
        await says(ada.chat, "echo: Forwarded from Mallory")

    assert any("best judgement" in text for text in said(ada.chat))


@pytest.mark.report("R077", "R069")
async def test_a_restart_closes_what_waited_and_says_why(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

    async with living(tmp_path, pretend, script=asking(DRINK), clock=FastClock()):
        await shows(ada.chat, question, "Which drink?\n\nSkipped: I was restarted.")
        late = await tapped(ada.chat, question, "Tea", stale=True)

    assert late == "Skipped: I was restarted."


# ---- a permission ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "line", "answer"),
    [
        ("Allow", "Ada allowed it.", "done"),
        ("Always in this chat", "Ada allowed it, always in this chat.", "done"),
        ("Don't allow", "Ada did not allow it.", "not done"),
    ],
)
async def test_a_permission_is_pressed(
    tmp_path: Path, pretend: PretendTelegram, label: str, line: str, answer: str
) -> None:
    async with living(tmp_path, pretend, script=wanting()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        note = await tapped(ada.chat, asked, label)
        await says(ada.chat, answer)
        await shows(ada.chat, asked, f"May I do this?\n\nWrite note: text “*hello*”\n\n{line}")

    assert labels(asked) == ["Allow", "Always in this chat", "Don't allow"]
    assert note == label


@pytest.mark.parametrize(("words", "answer"), [("yes", "done"), ("3", "not done"), ("👎", "not done"), ("OK.", "done")])
async def test_a_permission_is_typed(tmp_path: Path, pretend: PretendTelegram, words: str, answer: str) -> None:
    async with living(tmp_path, pretend, script=wanting()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        await card(ada.chat, "May I do this?")

        await ada.chat.say(words)
        await says(ada.chat, answer)

    assert not any(text.startswith("echo") for text in said(ada.chat))


async def test_ordinary_words_wait_while_a_permission_does(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=wanting()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        await ada.chat.say("yes, and also look at the weather")
        await says(ada.chat, "I'm waiting for an answer")
        await tapped(ada.chat, asked, "Allow")
        await says(ada.chat, "echo: yes, and also look at the weather")

    assert "done" in said(ada.chat)


@pytest.mark.report("R079")
async def test_whoever_is_second_hears_what_the_first_decided(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=wanting()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        first = await ada.chat.press(asked, "Allow")
        second = await ada.chat.press(asked, "Don't allow", stale=True)
        notes = ((await ada.chat.answer_to(first)).text, (await ada.chat.answer_to(second)).text)
        await says(ada.chat, "done")

    assert notes == ("Allow", "Ada allowed it.")


async def test_what_the_console_decided_is_seen_in_the_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        [conversation] = await EventLog(app.database).page(10)
        waiting = (await EventLog(app.database).state(conversation.id)).waiting_question
        assert waiting is not None

        await app.conversations.answer_question(
            conversation.id, waiting.question.question_id, {"drink": "coffee"}, "the console"
        )
        await shows(ada.chat, question, "Which drink?\n\nthe console chose “Coffee”.")
        late = await tapped(ada.chat, question, "Tea", stale=True)

    assert late == "the console chose “Coffee”."


# ---- a plan ----------------------------------------------------------------------------------------------------------


def planning(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    plan = {"plan": "I tidy *up*.\n\n1. Look around\n2. Clean"}
    started = yield AskPermission("1", EXIT_PLAN_MODE, plan, PLAN_OPTIONS, START)
    yield Text("started" if started else "kept planning")


@pytest.mark.parametrize(
    ("how", "answer", "line"),
    [
        ("Start", "started", "Ada said: start."),
        ("1", "started", "Ada said: start."),
        ("yes", "started", "Ada said: start."),
        ("no", "kept planning", "Ada wants to keep planning."),
        ("Keep planning", "kept planning", "Ada wants to keep planning."),
    ],
)
async def test_a_plan_is_shown_and_started_or_kept(
    tmp_path: Path, pretend: PretendTelegram, how: str, answer: str, line: str
) -> None:
    async with living(tmp_path, pretend, script=planning) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("/plan")
        await ada.chat.wait_for_answer()
        await ada.chat.say("Tidy up")
        asked = await card(ada.chat, "Shall I start")
        plan = ada.chat.messages[-2].text

        await (tapped(ada.chat, asked, how) if how in labels(asked) else ada.chat.say(how))
        await says(ada.chat, answer)
        await shows(ada.chat, asked, f"Shall I start with this plan?\n\n{line}")

    assert plan == "The plan\n\nI tidy up.\n\n○ Look around\n○ Clean"
    assert labels(asked) == ["Start", "Keep planning"]


async def test_the_checklist_is_one_message_that_goes_along_and_folds(tmp_path: Path, pretend: PretendTelegram) -> None:
    on, end = asyncio.Event(), asyncio.Event()

    def steps(*states: str) -> Plan:
        titles = ("Look", "Clean")
        return Plan(
            tuple(PlanStep.model_validate({"title": t, "state": s}) for t, s in zip(titles, states, strict=True))
        )

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield steps("active", "pending")
        yield Until(on)
        yield steps("done", "active")
        yield Until(end)
        yield steps("done", "done")
        yield Text("All done.")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Tidy up")
        await says(ada.chat, "◐ Look\n○ Clean")
        on.set()
        await says(ada.chat, "✓ Look\n◐ Clean")
        end.set()
        await says(ada.chat, "✓ 2 of 2 done")
        await says(ada.chat, "All done.")

    assert said(ada.chat)[1:] == ["✓ 2 of 2 done", "All done."]


# ---- groups ----------------------------------------------------------------------------------------------------------


@pytest.mark.report("R093", "R109")
async def test_a_group_s_question_goes_to_the_private_chat_of_who_asked(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK)) as app:
        here = await team(app, pretend)
        private = here.players["Bob"].private_chat()
        await private.say("hello")
        await private.wait_for_answer()
        await here.screen("Bob").mention("Get me a drink")
        question = await card(private, "Which drink?")

        await private.say("is it there yet?")
        await says(private, "echo: ")
        await private.reply(question, "coffee")
        await says(here.screen("Bob"), "heard: ")
        await shows(private, question, "For the group “Team”:\n\nWhich drink?\n\nBob chose “Coffee”.")

    assert question.text == "For the group “Team”:\n\nWhich drink?"
    assert not any("Which drink?" in m.text for m in here.screen("Bob").messages)
    assert not any("Which drink?" in m.text for m in here.owner.chat.messages)
