"""Forms in a whole Conch: opened by a button or in the message itself, checked, sent once, told when too late."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from channels.cards.decided import ALREADY
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat, OpenedForm, SeenMessage
from channels.memory.faults import Call
from channels.memory.forms import FieldsChannel, FormChannel
from channels.memory.kind import MemoryKind
from channels.pressing import NOTES
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.errors import Refused, RefusedReason
from core.store.actions import Denied

DAY = {"id": "day", "label": "Which day?", "kind": "date", "min": "2026-12-01", "suggested": "2026-12-24"}
NIGHTS = {"id": "nights", "label": "How many nights?", "kind": "number", "max": "14", "optional": True}
DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}


def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Ask what is wanted, and say what the model heard; else echo."""
    asked: Mapping[str, tuple[Mapping[str, Any], ...]] = {"a trip": (DAY, NIGHTS, DRINK), "a day": (DAY,)}
    fields = asked.get(turn.text)
    if fields is None:
        yield Text(f"echo: {turn.text}")
        return
    answer = yield CallTool("1", "ask", {"title": "The trip", "fields": list(fields)})
    yield Text(f"heard: {answer.text}")


@asynccontextmanager
async def chatting(folder: Path, channel: type[MemoryChannel]) -> AsyncIterator[tuple[App, MemoryApp, MemoryChat]]:
    """Ada's chat with a Conch of her own."""
    clock = SystemClock()
    world, home = MemoryApp(clock), Home(folder)
    home.prepare()
    kinds = {"memory": MemoryKind(clock, world, button_limit=8, channel=channel)}
    settings = ProgramSettings.model_validate({"gather_ms": 0})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=[ScriptedEngine(clock, script)]) as app:
        await app.start()
        connected = await app.registry.add("memory", world.key)
        ada = world.private_chat("Ada")
        assert connected.link is not None
        ada.open_link(connected.link)
        await ada.wait_until(lambda chat: chat.texts)
        yield app, world, ada
        await app.drain()


async def card(chat: MemoryChat, words: str) -> SeenMessage:
    """The message with these words, once it can be answered."""
    await chat.wait_until(lambda chat: any(words in m.text and m.buttons for m in chat.answers))
    return next(m for m in reversed(chat.answers) if words in m.text and m.buttons)


async def opened(chat: MemoryChat, message: SeenMessage) -> OpenedForm:
    chat.press(message, "Answer…")
    await chat.wait_until(lambda chat: chat.form is not None)
    assert chat.form is not None
    return chat.form


async def says(chat: MemoryChat, words: str) -> str:
    await chat.wait_until(lambda chat: any(words in text for text in chat.texts))
    return next(text for text in reversed(chat.texts) if words in text)


async def test_a_button_opens_all_fields_and_what_is_sent_is_the_answer(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, _, ada):
        ada.say("a trip")
        question = await card(ada, "The trip")
        form = await opened(ada, question)

        ada.fill(form, day="2026-12-24", drink="coffee")
        heard = await says(ada, "heard: ")
        decided = await says(ada, "Ada answered")

    assert [field.id for field in form.form.fields] == ["day", "nights", "drink"]
    assert [button.label for button in question.buttons] == ["Answer…", "Skip"]
    assert 'Exact values: {"day": "2026-12-24", "drink": "coffee"}' in heard
    assert "Which day: Thursday, 24 December 2026; Which drink: Coffee" in decided


async def test_what_does_not_fit_is_said_in_the_form_and_taken_once_it_does(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, _, ada):
        ada.say("a trip")
        form = await opened(ada, await card(ada, "The trip"))

        ada.fill(form, day="2026-11-30", nights="15")
        await ada.wait_until(lambda chat: chat.form is not None and chat.form.faults)
        faults = ada.form.faults if ada.form is not None else {}
        ada.fill(form, day="2026-12-01", nights="14", drink="tea")
        heard = await says(ada, "heard: ")

    assert faults == {
        "day": "Tuesday, 1 December 2026 is the earliest.",
        "nights": "14 is the most.",
        "drink": "This needs an answer.",
    }
    assert '"nights": 14' in heard


async def test_a_single_field_can_also_be_answered_by_its_suggestion(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, _, ada):
        ada.say("a day")
        ada.press(await card(ada, "Which day?"), "Thursday, 24 December 2026")
        heard = await says(ada, "heard: ")

    assert 'Exact values: {"day": "2026-12-24"}' in heard


async def test_what_is_typed_is_tried_as_the_field_beside_its_form(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, _, ada):
        ada.say("a day")
        await card(ada, "Which day?")
        ada.say("25 December 2026")
        heard = await says(ada, "heard: ")

    assert 'Exact values: {"day": "2026-12-25"}' in heard


async def test_a_form_that_comes_too_late_hears_what_was_decided(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, _, ada):
        ada.say("a day")
        question = await card(ada, "Which day?")
        form = await opened(ada, question)
        ada.press(question, "Skip")
        await says(ada, "Ada skipped this.")

        ada.fill(form, day="2026-12-24")
        await ada.wait_until(lambda chat: chat.notes[-1:] == ("Ada skipped this.",))
        heard = [text for text in ada.texts if text.startswith("heard: ")]

    assert len(heard) == 1
    assert "skipped" in heard[0]


async def test_a_button_of_a_card_that_is_over_opens_nothing_and_says_why(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (_, world, ada):
        ada.say("a day")
        question = await card(ada, "Which day?")
        world.faults.add(Call.EDIT, Refused("It stays as it is.", RefusedReason.BAD_PAYLOAD))
        ada.say("25 December 2026")
        await says(ada, "heard: ")

        ada.press(question, "Answer…")
        await ada.wait_until(lambda chat: chat.notes)

    assert ada.form is None
    assert ada.notes[-1] in ("Ada answered “Friday, 25 December 2026”.", ALREADY)


async def test_a_form_is_opened_for_whom_it_is_and_nobody_else(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (app, world, ada):
        ada.say("a day")
        question = await card(ada, "Which day?")
        (channel_id,) = app.registry.kinds()
        await app.people.let_in(channel_id, "bob", by="console", name="Bob")
        bob = world.private_chat("Bob").people[0]

        ada.press(question, "Answer…", by=bob)
        await ada.wait_until(lambda chat: chat.notes)
        form = ada.form
        mine = await opened(ada, question)
        ada.fill(mine, by=bob, day="2026-12-24")
        await ada.wait_until(lambda chat: len(chat.notes) == 2)

    assert form is None
    assert ada.notes == (NOTES[Denied.FOREIGN], NOTES[Denied.FOREIGN])


async def test_a_form_opens_while_nothing_can_be_written(tmp_path: Path) -> None:
    async with chatting(tmp_path, FormChannel) as (app, _, ada):
        ada.say("a day")
        question = await card(ada, "Which day?")
        async with writer_held(app):
            form = await opened(ada, question)

    assert [field.id for field in form.form.fields] == ["day"]


@asynccontextmanager
async def writer_held(app: App) -> AsyncIterator[None]:
    """Whatever is to be written waits meanwhile."""
    held = asyncio.Event()
    commit = app.database.commit

    async def later(*changes: Any) -> Any:
        await held.wait()
        return await commit(*changes)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app.database, "commit", later)
        yield
        held.set()


async def test_the_message_itself_has_the_fields_where_the_app_can_hold_them(tmp_path: Path) -> None:
    async with chatting(tmp_path, FieldsChannel) as (_, _, ada):
        ada.say("a trip")
        question = await card(ada, "The trip")
        ada.fill(question, day="2026-11-01", drink="tea")
        await ada.wait_until(lambda chat: chat.notes)
        wrong = ada.notes[-1]

        ada.fill(question, day="2026-12-24", drink="tea")
        heard = await says(ada, "heard: ")
        await ada.wait_until(lambda chat: not any(message.form for message in chat.answers))

    assert [button.label for button in question.buttons] == ["Skip"]
    assert wrong == "“Which day?”: Tuesday, 1 December 2026 is the earliest."
    assert '"drink": "tea"' in heard


async def test_a_date_out_of_bounds_is_asked_for_again_and_loses_nothing(tmp_path: Path) -> None:
    async with chatting(tmp_path, MemoryChannel) as (_, _, ada):
        ada.say("a trip")
        await card(ada, "Which day?")
        ada.say("1 November 2026")
        again = await says(ada, "is the earliest.")
        ada.say("24 December 2026")
        await card(ada, "How many nights?")
        ada.say("about 3 or 4")
        unread = await says(ada, "I can't read that")
        ada.say("3")
        ada.press(await card(ada, "Which drink?"), "Tea")
        heard = await says(ada, "heard: ")

    assert again.startswith("Tuesday, 1 December 2026 is the earliest. Type a date, like 24 December 2026")
    assert unread == "I can't read that as a number. Type a number (14 or less)."
    assert 'Exact values: {"day": "2026-12-24", "nights": 3, "drink": "tea"}' in heard
