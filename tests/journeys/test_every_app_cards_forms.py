"""More to fill in than one thing to pick: a form in the apps that have forms, elsewhere one field after the other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from channels.emulators.phone import Phone
from core.events import TurnStarted
from tests.journeys.apps import AppUnderTest, Seen, labels
from tests.journeys.cards import (
    DAY,
    DRINK,
    NIGHTS,
    Fields,
    answer_fields,
    asking,
    card,
    fill_in,
    form_of,
    lines,
    logged,
    says,
    shows,
    tap,
    told,
    whispers,
)

TIME = {"id": "time", "label": "At what hour?", "kind": "time", "min": "08:00", "max": "20:00"}
MOMENT = {"id": "moment", "label": "When do we meet?", "kind": "datetime"}
WORDS = {"id": "words", "label": "What else?", "kind": "text", "placeholder": "No nuts", "multiline": True}
MANY = {**DRINK, "id": "many", "label": "Which ones?", "multiple": True}
AGAIN = "Fill it in again"

with_forms = pytest.mark.parametrize("messenger", ["discord", "slack"], indirect=True)


async def answer_all(messenger: AppUnderTest, chat: Phone, question: Seen, values: Fields) -> None:
    """Answer a question in the way that the app has for it."""
    if messenger.has_forms:
        await chat.answer_to(await fill_in(chat, question, values))
    else:
        await answer_fields(chat, values)


@pytest.mark.parametrize(
    ("field", "value", "exact", "read_as"),
    [
        (DAY, "2026-12-31", '"2026-12-31"', "Thursday, 31 December 2026"),
        (TIME, "09:30", '"09:30"', "09:30"),
        (MOMENT, "2026-12-31T09:30", '"2026-12-31T09:30"', "Thursday, 31 December 2026, 09:30"),
        (NIGHTS, "3", "3", "3"),
        (WORDS, "no nuts & 1 < 2", '"no nuts & 1 < 2"', "no nuts & 1 < 2"),
    ],
    ids=["date", "time", "datetime", "number", "text"],
)
async def test_each_kind_of_field_is_filled_in(
    tmp_path: Path, messenger: AppUnderTest, field: Mapping[str, Any], value: str, exact: str, read_as: str
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(field)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, field["label"])

        await answer_all(messenger, ada.chat, question, {field["label"]: value})
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, field["label"], f"Ada answered “{read_as}”.")

    assert f'{{"{field["id"]}": {exact}}}' in heard
    assert not whispers(ada.chat)


async def test_several_fields_are_one_answer(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, DAY, NIGHTS, title="Trip")) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Trip")

        values = {"Which drink?": "Tea", "Which day?": "2026-12-31", "How many nights?": "3"}
        await answer_all(messenger, ada.chat, question, values)
        heard = await says(ada.chat, "heard: ")
        turns = await logged(app, TurnStarted)

    assert '{"drink": "tea", "day": "2026-12-31", "nights": 3}' in heard
    assert len(turns) == 1


async def test_what_need_not_be_said_is_left_out_and_several_are_picked(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(MANY, NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Which ones?")

        if messenger.has_forms:
            await ada.chat.answer_to(await fill_in(ada.chat, question, {"Which ones?": ["Tea", "Coffee"]}))
        else:
            await answer_fields(
                ada.chat, {"Which ones?": ["○ Tea", "○ Coffee", "Done"], "How many nights?": "Leave this out"}
            )
        heard = await says(ada.chat, "heard: ")

    assert '{"many": ["tea", "coffee"]}' in heard


async def test_what_is_suggested_is_one_tap_away(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DAY)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Which day?")

        await tap(ada.chat, question, "Send" if messenger.fields_in_message else "Thursday, 24 December 2026")
        heard = await says(ada.chat, "heard: ")

    assert '{"day": "2026-12-24"}' in heard


@with_forms
async def test_what_is_suggested_stands_in_the_form_already(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, DAY)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Which day?")

        await fill_in(ada.chat, question, {"Which drink?": "Coffee"})
        heard = await says(ada.chat, "heard: ")

    assert '{"drink": "coffee", "day": "2026-12-24"}' in heard


async def test_what_does_not_fit_is_said_where_it_was_filled_in_and_corrected_there(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "How many nights?")

        if messenger.has_forms:
            fault = await wrong_then_right(ada.chat, question, {"How many nights?": "99"}, {"How many nights?": "3"})
        else:
            await ada.chat.say("99")
            fault = await says(ada.chat, "14 is the most.")
            await ada.chat.say("3")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "How many nights?", "Ada answered “3”.")

    assert ("A number from 1 to 14, please." if messenger.fields_in_message else "14 is the most.") in fault
    assert '{"nights": 3}' in heard


async def wrong_then_right(chat: Phone, question: Seen, wrong: Fields, right: Fields) -> str:
    """Send a form that does not fit, read what is said about it, and send it again as it is right."""
    form = await form_of(chat, question)
    try:
        answer = await chat.answer_to(await chat.fill_in(form, wrong))
    except ValueError as by_the_app:
        await chat.answer_to(await chat.fill_in(form, right))
        return str(by_the_app)
    offered = [line for line in whispers(chat) if AGAIN in labels(line)]
    if offered:
        form = await chat.form_of(await chat.press(offered[-1], AGAIN))
    await chat.answer_to(await chat.fill_in(form, right))
    return answer.text


@with_forms
async def test_a_form_that_was_opened_before_the_answer_came_elsewhere_says_so(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "Which drink?")
        first = await ada.chat.form_of(await ada.chat.press(question, "Answer…"))
        second = await ada.chat.form_of(await ada.chat.press(question, "Answer…"))

        await ada.chat.fill_in(first, {"Which drink?": "Tea"})
        heard = await says(ada.chat, "heard: ")
        await ada.chat.fill_in(second, {"Which drink?": "Coffee"})
        late = await ada.chat.wait_for(lambda _: next(iter(whispers(ada.chat)), None))

    assert late.text == "Ada answered “Which drink: Tea”."
    assert [line for line in lines(ada.chat) if line.startswith("heard")] == [heard]


@with_forms
async def test_a_form_is_not_opened_for_what_is_over(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "How many nights?")
        await tap(ada.chat, question, "Skip")
        await shows(ada.chat, question, "How many nights?", "Ada skipped this.")

        late = await told(ada.chat, question, "Answer…", stale=True)

    assert late == "Ada skipped this."


@pytest.mark.report("R077")
@with_forms
async def test_a_form_that_is_sent_after_a_restart_hears_that_it_is_over(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await card(ada.chat, "How many nights?")
        form = await ada.chat.form_of(await ada.chat.press(question, "Answer…"))

    async with messenger.living(tmp_path, gather_ms=0, script=asking(NIGHTS)) as app:
        await shows(ada.chat, question, "How many nights?", "Skipped: I was restarted.")
        await messenger.ready(app, ada.channel_id)
        await ada.chat.fill_in(form, {"How many nights?": "3"})
        late = await ada.chat.wait_for(lambda _: next(iter(whispers(ada.chat)), None))

    assert late.text == "Skipped: I was restarted."


async def test_typed_words_fill_in_one_field_after_the_other(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DRINK, NIGHTS)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        first = await card(ada.chat, "Which drink?")

        await ada.chat.say("coffee")
        second = await card(ada.chat, "How many nights?", below=first)
        await ada.chat.wait_for(lambda messages: not any(m.id == first.id and m.labels for m in messages))
        await ada.chat.say("3")
        heard = await says(ada.chat, "heard: ")
        answered = "Ada answered “Which drink: Coffee; How many nights: 3”."
        await shows(ada.chat, second, "Which drink? (and 1 more)", answered)

    assert '{"drink": "coffee", "nights": 3}' in heard


async def test_typed_words_that_are_no_value_are_asked_once_more(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=asking(DAY)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        await card(ada.chat, "Which day?")

        await ada.chat.say("30.2.2027")
        again = await says(ada.chat, "There is no such date.")
        await ada.chat.say("28 February 2027")
        heard = await says(ada.chat, "heard: ")

    assert again == "There is no such date. Type a date, like 24 December 2026."
    assert '{"day": "2027-02-28"}' in heard
