"""The in-memory app with forms: the bot answers their presses itself, and takes a form only once nothing is wrong."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.abilities import FormMessages, Forms
from channels.base import Button, ChatRef, Form, OutboundMessage, Press
from channels.conformance.rig import Ear
from channels.memory.app import MemoryApp
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.memory.forms import FieldsChannel, FormChannel
from core.cards import TextField
from core.clock import ManualClock
from core.errors import Refused, RefusedReason

ADA = ChatRef("c1", "ada")
FORM = Form("Your answer", (TextField(id="name", label="For whom?"),), "tok")
ASKING = OutboundMessage("For whom?", "For whom?", "k", buttons=(Button("Answer…", "tok", form=True),))


@pytest.fixture
def forms(app: MemoryApp, clock: ManualClock) -> FormChannel:
    return FormChannel("c1", app, clock, key=app.key, button_limit=8)


@pytest.fixture
async def ear(forms: FormChannel, chat: MemoryChat) -> AsyncIterator[Ear]:
    """Somebody who hears what the channel stores, after Ada was asked."""
    ear = Ear(forms)
    await forms.send(ADA, ASKING)
    listening = asyncio.create_task(forms.listen(ear))
    yield ear
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)


def test_it_can_do_what_it_says(forms: FormChannel, app: MemoryApp, clock: ManualClock) -> None:
    fields: object = FieldsChannel("c1", app, clock, key=app.key)

    assert isinstance(forms, Forms)
    assert not isinstance(forms, FormMessages)
    assert isinstance(fields, FormMessages)
    assert not isinstance(fields, Forms)


async def test_a_press_is_answered_with_the_form_and_not_stored(ear: Ear, chat: MemoryChat, app: MemoryApp) -> None:
    ear.forms["tok"] = FORM

    chat.press(chat.answers[0], "Answer…")
    await app.feed.drained()

    assert chat.form is not None
    assert chat.form.form == FORM
    assert ear.heard == []


async def test_a_form_with_a_fault_stays_open_and_one_without_is_stored(
    ear: Ear, chat: MemoryChat, app: MemoryApp
) -> None:
    ear.forms["tok"], ear.wrong["tok"] = FORM, {"name": "This needs an answer."}
    chat.press(chat.answers[0], "Answer…")
    await app.feed.drained()
    opened = chat.form
    assert opened is not None

    chat.fill(opened)
    await app.feed.drained()
    faulty = chat.form
    ear.wrong.clear()
    chat.fill(opened, name="Bob")
    (press,) = await ear.until_heard(Press)

    assert faulty is not None
    assert faulty.faults == {"name": "This needs an answer."}
    assert isinstance(press, Press)
    assert (press.token, press.filled) == ("tok", {"name": ("Bob",)})
    assert chat.form is None


async def test_a_form_that_is_not_there_is_a_press_like_any_other(ear: Ear, chat: MemoryChat) -> None:
    chat.press(chat.answers[0], "Answer…")
    (gone,) = await ear.until_heard(Press)

    assert isinstance(gone, Press)
    assert (gone.token, gone.filled) == ("tok", None)


async def test_a_form_that_the_app_refuses_is_a_press_like_any_other(
    ear: Ear, chat: MemoryChat, app: MemoryApp
) -> None:
    ear.forms["tok"] = FORM
    app.faults.add(Call.ANSWER_PRESS, Refused("Too late.", RefusedReason.GONE))

    chat.press(chat.answers[0], "Answer…")
    (press,) = await ear.until_heard(Press)

    assert isinstance(press, Press)
    assert chat.form is None
