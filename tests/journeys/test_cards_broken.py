"""Cards with people who are hostile, hurried or confused: what could be misunderstood about an answer, and is not."""

import asyncio
from pathlib import Path

import pytest

from channels.cards.answering import Answerer, Answering
from channels.cards.faces import asked_of
from channels.cards.filling import Filling
from channels.emulators.telegram.pretend import PretendTelegram
from channels.pressing import NOTES
from core.cards import PlanStep
from core.engines.base import EXIT_PLAN_MODE, PLAN_OPTIONS, START, MessageEnd, Plan, Text, TurnInput
from core.engines.script import AskPermission, Steps, Until
from core.events import QuestionAsked
from core.store.actions import Denied
from core.store.cards import CardRows
from core.store.log import EventLog
from tests.journeys.living import living, owner_of, said
from tests.journeys.test_telegram_cards import DRINK, NIGHTS, asking, card, labels, says, tapped
from tests.journeys.test_text_cards import chatting, hears


def choice(*options: str) -> dict[str, object]:
    return {**DRINK, "options": [{"id": f"o{place}", "label": label} for place, label in enumerate(options)]}


def number(suggested: str) -> dict[str, object]:
    return {"id": "n", "label": "How many?", "kind": "number", "suggested": suggested}


# ---- what was typed is what is heard ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "words", "value"),
    [
        (choice("C", "C++", "C#"), "C++", '"o1"'),
        (choice("$5", "$10", "$15", "$20", "$25"), "$5", '"o0"'),
        (choice("2", "4", "6"), "2", '"o0"'),
        (number("1.5"), "15", "15"),
        (number("-10"), "10", "10"),
    ],
)
async def test_typed_words_are_never_taken_for_a_button_that_only_looks_like_them(
    tmp_path: Path, pretend: PretendTelegram, field: dict[str, object], words: str, value: str
) -> None:
    async with living(tmp_path, pretend, script=asking(field)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get it")
        await card(ada.chat, str(field["label"]))

        await ada.chat.say(words)
        heard = await says(ada.chat, "heard: ")

    assert f": {value}}}" in heard


async def test_options_that_are_called_by_numbers_are_not_numbered(tmp_path: Path) -> None:
    async with chatting(tmp_path, asking(choice("2", "4", "6"))) as ada:
        ada.say("Get it")
        question = await hears(ada, "Which drink?")

        ada.say("2")
        heard = await hears(ada, "heard: ")

    assert question == "Which drink?\n\nReply “2”, “4”, “6” or “Skip”."
    assert '"o0"' in heard


async def test_words_that_do_not_fit_a_later_field_lose_nothing_that_was_filled_in(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK, NIGHTS)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Plan it")
        await tapped(ada.chat, await card(ada.chat, "Which drink?"), "Coffee")
        await card(ada.chat, "How many nights?")

        await ada.chat.say("As many as they have")
        heard = await says(ada.chat, "heard: ")

    assert heard.endswith('typed: "Which drink: Coffee; and in their own words: As many as they have"')


async def test_of_two_processes_that_fill_in_a_field_at_once_the_second_says_so(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, script=asking(DRINK, NIGHTS)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Which drink?")
        [seen] = await CardRows(app.database).lately(ada.channel_id, str(ada.chat.chat.id), "", str(ada.player.id))
        asked = await asked_of(EventLog(app.database), seen)
        channel = app.outbox.channel(ada.channel_id)
        assert isinstance(asked, QuestionAsked)
        assert channel is not None
        other = Answering(
            database=app.database, conversations=app.conversations, outbox=app.outbox, redrawing=app.redrawing
        )
        by = Answerer(channel, "another update", "Ada", pressed=str(question.id))

        first = await tapped(ada.chat, question, "Tea")
        second = await other.go_on(seen, asked, Filling(field=1, values={"drink": "coffee"}), "Coffee", by)
        await ada.chat.say("3")
        heard = await says(ada.chat, "heard: ")

    assert (first, second.note) == ("Tea", NOTES[Denied.REPLACED])
    assert '"tea"' in heard


# ---- a yes is for what it was said to --------------------------------------------------------------------------------


def two_permissions(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    for name in ("write_note", "delete_everything"):
        allowed = yield AskPermission(name, name, {"text": "hello"}, ("yes", "no"), "yes")
        yield Text(f"{name}: {'done' if allowed else 'not done'}")


@pytest.mark.report("R079")
async def test_a_yes_that_quotes_a_decided_card_allows_no_other(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=two_permissions) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Write it down")
        first = await card(ada.chat, "Write note")
        await tapped(ada.chat, first, "Allow")
        second = await card(ada.chat, "Delete everything")

        await ada.chat.reply(first, "yes")
        await says(ada.chat, "Ada allowed it.")
        still = labels(next(message for message in ada.chat.messages if message.id == second.id))

    assert still == ["Allow", "Always in this chat", "Don't allow"]
    assert "delete_everything: done" not in said(ada.chat)


@pytest.mark.report("R073")
async def test_a_number_answers_the_question_and_not_the_menu_above_it(tmp_path: Path) -> None:
    on = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("One moment.")
        yield MessageEnd()
        yield Until(on)
        yield from asking(DRINK)(turn, earlier)

    async with chatting(tmp_path, script) as ada:
        ada.say("Get me a drink")
        await hears(ada, "One moment.")
        ada.say("/settings")
        await hears(ada, "Settings")
        on.set()
        await hears(ada, "Which drink?")

        ada.say("2")
        heard = await hears(ada, "heard: ")

    assert '"coffee"' in heard
    assert ada.texts[-1].startswith("heard: ")


# ---- much at once ----------------------------------------------------------------------------------------------------


async def test_a_long_checklist_stays_one_message_and_folds_whole(tmp_path: Path, pretend: PretendTelegram) -> None:
    on = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Plan(tuple(PlanStep(title=f"{number} {'word ' * 39}".strip()) for number in range(30)))
        yield Until(on)
        yield Text("All done.")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Tidy up")
        shown = await says(ada.chat, "○ 0 word")
        on.set()
        await says(ada.chat, "○ 0 of 30 done")

    assert "\n○ 29 word" in shown
    assert said(ada.chat)[1:] == ["○ 0 of 30 done", "All done."]


async def test_a_long_plan_is_shown_whole_before_it_may_start(tmp_path: Path, pretend: PretendTelegram) -> None:
    steps = [f"{number}. Step {number} <b>bold</b> {'lorem ' * 105}" for number in range(1, 31)]
    plan = "\n".join(steps)[:19_990].rstrip() + " the end"

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        started = yield AskPermission("1", EXIT_PLAN_MODE, {"plan": plan}, PLAN_OPTIONS, START)
        yield Text("started" if started else "kept planning")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("/plan")
        await ada.chat.wait_for_answer()
        await ada.chat.say("Tidy up")
        asked = await card(ada.chat, "Shall I start")
        shown = "\n".join(message.text for message in ada.chat.messages if message.id < asked.id)

        await tapped(ada.chat, asked, "Start")
        await says(ada.chat, "started")

    assert "the end" in shown
    assert all(f"Step {number} <b>bold</b>" in shown for number in range(1, 31))
