"""Words of models and apps that want to be more than words, in every app: long, marked up, calling everybody."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.cards import Offer, OfferKind, PlanStep
from core.engines.base import MessageEnd, Plan, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Steps, Until
from core.events import OfferShown
from tests.journeys.apps import AppUnderTest, Seen, labels
from tests.journeys.cards import DAY, DRINK, NIGHTS, add, asking, card, choice, lines, read, says, shows, tap

CALLS = "@everyone @here <!channel> <@U000000001> <@1> @Ada"
MARKS = "**b** <b>x</b> [y](http://evil.example.com) `c` ~s~ ||h||"
HOSTILE = f"{CALLS[:38]} {MARKS}"[:80]
LONG = ("Ünder the 🍋 trees " * 6)[:80].strip()


def stands_there(message: Seen, words: str) -> bool:
    """Whether a person reads these words, as they are, on a button or in the message."""
    return words in labels(message) or words in read(message.text)


def rang_for_nobody(chat: Any) -> bool:
    """Whether no phone rang for what the bot said."""
    return not any(getattr(message, "pings", ()) for message in chat.answers)


@pytest.mark.report("R083", "R085")
@pytest.mark.parametrize("count", [4, 6])
async def test_every_option_is_read_whole_and_each_can_be_picked(
    tmp_path: Path, messenger: AppUnderTest, count: int
) -> None:
    options = [HOSTILE, LONG, "C", f"Z{LONG[:70]}", "D", "E"][:count]
    field: dict[str, Any] = choice(*options)
    field["options"] = [{**one, "id": str(place) * 60} for place, one in enumerate(field["options"])]
    async with messenger.living(tmp_path, gather_ms=0, script=asking(field)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Get me one")
        question = await card(ada.chat, "Which drink?")

        wanted = options[3]
        await tap(ada.chat, question, wanted if wanted in labels(question) else "4")
        heard = await says(ada.chat, "heard: ")
        await shows(ada.chat, question, "Which drink?", f"Ada chose “{wanted}”.")

    assert [option for option in options if not stands_there(question, option)] == []
    assert "3" * 60 in heard
    assert rang_for_nobody(ada.chat)


@pytest.mark.parametrize("messenger", ["discord", "slack"], indirect=True)
async def test_a_form_takes_the_longest_words_that_there_are(tmp_path: Path, messenger: AppUnderTest) -> None:
    def long(field: Mapping[str, Any]) -> dict[str, Any]:
        return {**field, "label": f"{field['id']} {HOSTILE} {LONG} {LONG}"[:200], "id": f"{field['id']}-{'x' * 50}"}

    several = {**DRINK, "id": "several", "multiple": True}

    drink = long({**choice(HOSTILE, LONG, *"CDEF"), "other": True})
    drink["options"] = [{**one, "description": HOSTILE * 2} for one in drink["options"]]
    fields = (drink, long(DAY), long({**NIGHTS, "unit": "nights in the hotel at A"}), long(several))
    async with messenger.living(tmp_path, gather_ms=0, script=asking(*fields, title=(MARKS * 3)[:120])) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Plan it")
        question = await ada.chat.wait_for(lambda messages: next((m for m in messages if m.labels), None))
        form = await ada.chat.form_of(await ada.chat.press(question, "Answer…"))

        picked, *_, nights, many = [name for name, label in form.fields.items() if "Something else" not in name + label]
        await ada.chat.fill_in(form, {picked: "C", nights: "3", many: ["Tea", "Coffee"]})
        heard = await says(ada.chat, "heard: ")

    assert '"o2"' in heard
    assert '"2026-12-24"' in heard
    assert '["tea", "coffee"]' in heard
    assert rang_for_nobody(ada.chat)


async def test_what_a_tool_wants_to_do_is_shown_as_it_is(tmp_path: Path, messenger: AppUnderTest) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield AskPermission("1", "send_mail", {"to": HOSTILE, "text": LONG}, ("yes", "no"), "yes")

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        await tap(ada.chat, asked, "Don't allow")
        await ada.chat.wait_for(lambda messages: not any(message.labels for message in messages))

    assert HOSTILE in read(asked.text)
    assert LONG in read(asked.text)
    assert rang_for_nobody(ada.chat)


async def test_a_checklist_of_hostile_steps_is_one_message_of_them(tmp_path: Path, messenger: AppUnderTest) -> None:
    on = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Plan((PlanStep(title=HOSTILE), *(PlanStep(title=f"{n} {'word ' * 39}".strip()) for n in range(29))))
        yield Until(on)
        yield Text("All done.")

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Tidy up")
        shown = await says(ada.chat, "○ @everyone")
        on.set()
        await says(ada.chat, "○ 0 of 30 done")
        await says(ada.chat, "All done.")

    assert "\n○ 28 word" in shown
    assert lines(ada.chat) == ["○ 0 of 30 done", "All done."]
    assert rang_for_nobody(ada.chat)


async def test_an_offer_of_hostile_words_offers_no_more_than_it_says(tmp_path: Path, messenger: AppUnderTest) -> None:
    go = asyncio.Event()
    offer = Offer(
        offer_id="o1",
        kind=OfferKind.APP,
        target="photos",
        name=HOSTILE,
        description=(f"{HOSTILE} " * 3)[:240],
        why=(f"{HOSTILE} " * 2)[:160].strip(),
        by="assistant",
        request="Find my pictures",
    )

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("I can't see them.")
        yield MessageEnd()
        yield Until(go)

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Find my pictures")
        await says(ada.chat, "I can't see them.")
        await add(app, OfferShown(offer=offer))
        go.set()
        shown = await card(ada.chat, "Once it is")
        await tap(ada.chat, shown, "Not now")
        await shows(ada.chat, shown, f"Offered: {HOSTILE} · not now")

    assert read(shown.text).startswith(f"{HOSTILE}: ")
    assert rang_for_nobody(ada.chat)


async def test_a_chip_that_is_longer_than_a_button_sends_all_of_its_words(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    chips = [f"{HOSTILE} and one more thing to ask"[:118], "What does it cost?"]

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("How"):
            yield Text("By train.")
            yield CallTool("1", "suggest_replies", {"replies": chips})
        else:
            yield Text(f"length: {len(turn.text)}")

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("How do I get there?")
        answer = await card(ada.chat, "By train.")

        await tap(ada.chat, answer, labels(answer)[0])
        await says(ada.chat, f"length: {len(chips[0])}")

    assert labels(answer)[1:] == chips[1:]
    assert rang_for_nobody(ada.chat)
