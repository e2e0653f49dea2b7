"""Presses, forms and picked commands over real sockets: answered at once, and understood."""

import asyncio

import pytest

from channels.base import Button, ButtonStyle, Form, InboundMessage, Press
from channels.discord import limits, menu
from channels.emulators.discord.pretend import PretendDiscord
from commands.menus import native_menu
from commands.values import ValueItem
from core.cards import Choice, ChoiceField, MomentField, TextField
from core.events import ChatKind
from tests.channels.discord.connected import ANSWER, SEND, Connected, listening, words

TRIP = Form(
    "A trip",
    (
        ChoiceField(
            id="like",
            label="What do you like?",
            options=(Choice(id="a", label="Art"), Choice(id="f", label="Food")),
            multiple=True,
            other=True,
        ),
        MomentField(id="day", kind="date", label="Which day?", suggested="2026-12-24"),
        TextField(id="more", label="Anything else?", optional=True, multiline=True),
    ),
    "tok-form",
)
OPENS = Button("Answer…", token="tok-form", form=True)


@pytest.mark.report("R071")
async def test_a_press_is_answered_while_nothing_can_be_stored(connected: Connected) -> None:
    connected.ear.held = asyncio.Event()
    async with listening(connected):
        await connected.channel.send(connected.room, words("May I?", buttons=(Button("Yes", token="tok-1"),)))
        press = await connected.chat.press(connected.chat.answers[-1], "Yes")

        answer = await connected.chat.answer_to(press, timeout=2)

        assert answer.text == ""
        assert connected.ear.heard == []
        connected.ear.held.set()
        assert (await connected.ear.press()).token == "tok-1"


async def test_a_press_says_who_pressed_what_under_which_message(connected: Connected) -> None:
    async with listening(connected) as ear:
        sent = await connected.channel.send(connected.room, words("May I?", buttons=(Button("Yes", token="tok-1"),)))
        pressed = await connected.chat.press(connected.chat.answers[-1], "Yes")
        press = await ear.press()

    assert (press.sender.id, press.sender.name) == (connected.ada.id, "Ada")
    assert (press.message, press.filled) == (sent, None)
    assert press.update_id == pressed.id


async def test_the_note_of_a_press_is_seen_by_who_pressed_alone(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("May I?", buttons=(Button("Yes", token="tok-1"),)))
        press = await connected.chat.press(connected.chat.answers[-1], "Yes")
        heard = await ear.press()
        await connected.channel.answer_press(heard, "This button is not yours.")
        answer = await connected.chat.answer_to(press)
        calls = len(connected.discord.calls())
        await connected.channel.answer_press(heard)

    assert answer.text == "This button is not yours."
    assert len(connected.discord.calls()) == calls


async def test_many_options_are_a_list_whose_pick_is_the_press_of_one(connected: Connected) -> None:
    options = tuple(Button(f"Model {at}", token=f"tok-{at}", option=True) for at in range(8))
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("Which?", buttons=(*options, Button("Back", token="tok-b"))))
        await connected.chat.press(connected.chat.answers[-1], "Model 6")
        press = await ear.press()

    assert press.token == "tok-6"


async def test_a_form_opens_at_once_and_comes_back_filled(connected: Connected) -> None:
    connected.ear.forms["tok-form"] = TRIP
    connected.ear.held = asyncio.Event()
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("A trip", buttons=(OPENS,)))
        form = await connected.chat.form_of(
            await connected.chat.press(connected.chat.answers[-1], "Answer…"), timeout=2
        )
        connected.ear.held.set()
        values = {"What do you like?": ["Food"], "Something else too": "Trees", "Which day?": "2026-12-26"}
        sent = await connected.chat.fill_in(form, values)
        press = await ear.press()
        answer = await connected.chat.answer_to(sent)

    assert form.title == "A trip"
    assert press.token == "tok-form"
    assert press.filled == {"like": ("f", "Trees"), "day": ("2026-12-26",)}
    assert answer.text == ""
    assert len([item for item in ear.heard if isinstance(item, Press)]) == 1


async def test_a_form_that_is_over_is_stored_like_any_press(connected: Connected) -> None:
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("A trip", buttons=(OPENS,)))
        press = await connected.chat.press(connected.chat.answers[-1], "Answer…")
        answer = await connected.chat.answer_to(press)

        assert (await ear.press()).token == "tok-form"
        assert answer.text == ""


async def test_what_is_wrong_with_a_form_is_said_with_a_button_that_opens_it_again(connected: Connected) -> None:
    connected.ear.forms["tok-form"] = TRIP
    connected.ear.wrong = {"day": "31 November is no day."}
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("A trip", buttons=(OPENS,)))
        form = await connected.chat.form_of(await connected.chat.press(connected.chat.answers[-1], "Answer…"))
        sent = await connected.chat.fill_in(form, {"What do you like?": ["Art"], "Which day?": "2026-11-31"})
        answer = await connected.chat.answer_to(sent)
        again = await connected.chat.form_of(
            await connected.chat.press(connected.chat.messages[-1], "Fill it in again")
        )

    assert answer.text == "“Which day?” 31 November is no day."
    assert again.title == "A trip"
    assert ear.heard == []


async def test_what_was_wrong_is_gone_once_it_is_right(connected: Connected) -> None:
    connected.ear.forms["tok-form"] = TRIP
    connected.ear.wrong = {"day": "31 November is no day."}
    async with listening(connected) as ear:
        await connected.channel.send(connected.room, words("A trip", buttons=(OPENS,)))
        form = await connected.chat.form_of(await connected.chat.press(connected.chat.answers[-1], "Answer…"))
        await connected.chat.answer_to(await connected.chat.fill_in(form, {"Which day?": "2026-11-31"}))
        connected.ear.wrong = {}
        again = await connected.chat.form_of(
            await connected.chat.press(connected.chat.messages[-1], "Fill it in again")
        )
        await connected.chat.fill_in(again, {"Which day?": "2026-11-30"})
        press = await ear.press()
        await connected.chat.wait_for(lambda there: there[-1].text == "Sent.")

    assert press.filled == {"day": ("2026-11-30",)}
    assert connected.chat.messages[-1].labels == []


async def test_a_picked_command_is_the_words_it_stands_for(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    async with listening(connected) as ear:
        await connected.chat.command("goal Learn Spanish")
        message = await ear.next(InboundMessage)
        shown = (await connected.chat.wait_for(lambda there: there))[-1]

    assert (message.text, message.chat) == ("/goal Learn Spanish", connected.room)
    assert not message.mentioned
    assert shown.text == "/goal Learn Spanish"


@pytest.mark.parametrize(
    "words", ["*not* bold and_not_slanted `or code`", "||said aloud|| ~~all~~", "a\\*b", "_" * 900]
)
async def test_a_command_is_repeated_as_it_was_typed(connected: Connected, words: str) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    async with listening(connected):
        await connected.chat.command(f"goal {words}")
        shown = (await connected.chat.wait_for(lambda there: there))[-1]

    assert shown.text.removesuffix("…") == f"/goal {words}"[: len(shown.text.removesuffix("…"))]
    assert len(shown.text) >= min(400, len(words))
    assert connected.discord.problems == []


async def test_in_a_server_a_picked_command_is_for_the_bot(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    server = connected.discord.guild("Home", [connected.ada])
    async with listening(connected) as ear:
        await server.screen(connected.ada).command("stop")
        message = await ear.message("/stop")

    assert message.mentioned
    assert message.chat.kind is ChatKind.GROUP
    assert message.chat.title == "#general (Home)"


async def test_what_does_not_work_in_servers_is_not_in_their_menu(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    server = connected.discord.guild("Home", [connected.ada])

    private = [command.name for command in connected.chat.menu]
    in_server = [command.name for command in server.screen(connected.ada).menu]

    assert private == [entry.name for entry in native_menu("discord").default]
    assert in_server == ["new", "stop", "help"]


async def test_values_are_completed_with_those_that_there_are_now(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    connected.ear.words["model"] = (ValueItem("demo/one", "One (Demo)"), ValueItem("demo/two", "Two (Demo)"))
    async with listening(connected) as ear:
        found = await connected.chat.suggestions("model", "value", "TWO")

    assert found == ["Two (Demo)"]
    assert [(chat, sender.id, command) for chat, sender, command in ear.completing] == [
        (connected.room, connected.ada.id, "model")
    ]
    assert ear.heard == []


async def test_values_are_completed_while_nothing_can_be_stored(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    connected.ear.words["effort"] = (ValueItem("high", "High"),)
    connected.ear.held = asyncio.Event()
    async with listening(connected):
        await connected.chat.say("held")
        found = await connected.chat.suggestions("effort", "value", "h")

    assert found == ["High"]


async def test_where_our_side_says_nothing_in_time_what_there_always_is_completes(
    connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FORM_SECONDS", 0.05)
    await connected.channel.set_menu(native_menu("discord"))
    connected.ear.is_mute = True
    async with listening(connected):
        found = await connected.chat.suggestions("effort", "value", "h")

    assert found == ["High", "Extra high"]


async def test_where_nothing_is_for_this_person_nothing_completes(connected: Connected) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    async with listening(connected):
        assert await connected.chat.suggestions("effort", "value", "") == []


def test_a_word_that_is_too_long_to_come_back_completes_nothing() -> None:
    data = {"name": "model", "options": [{"name": "value", "value": "", "focused": True}]}
    items = (ValueItem("x" * 101, "Long"), ValueItem("x" * 100, "Just right"))

    assert menu.completions(native_menu("discord"), data, items) == {"Just right": "x" * 100}


async def test_a_menu_is_sent_only_when_discord_has_another(connected: Connected, discord: PretendDiscord) -> None:
    await connected.channel.set_menu(native_menu("discord"))
    await connected.channel.set_menu(native_menu("discord"))

    assert len(discord.calls("PUT /applications/{application_id}/commands")) == 1


async def test_an_answer_that_does_not_arrive_keeps_nothing_from_being_stored(connected: Connected) -> None:
    connected.discord.faults.add("server_error", method=ANSWER)
    async with listening(connected) as ear:
        yes = Button("Yes", token="tok-1", style=ButtonStyle.PRIMARY)
        await connected.channel.send(connected.room, words("May I?", buttons=(yes,)))
        await connected.chat.press(connected.chat.answers[-1], "Yes")

        assert (await ear.press()).token == "tok-1"
    assert len(connected.discord.calls(SEND)) == 1
