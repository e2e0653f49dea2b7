"""Discord's published description of its API as a second judge of every call that can be made."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.base import Button, ButtonStyle, Form, OutboundFile, OutboundMessage
from channels.discord import menu, render, replies
from channels.discord.render import ApiCall
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.schema import FILE_NAME, SchemaCheck
from commands.menus import native_menu
from core.cards import Choice, ChoiceField, MomentField, NumberField, TextField
from tests.channels.discord.connected import Connected, connect, listening, words

pytestmark = pytest.mark.specs


@pytest.fixture(scope="module")
def schema() -> SchemaCheck:
    return SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME)


IDS = st.integers(min_value=1, max_value=2**63).map(str)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=150)
KEYS = st.text("abcXYZ019-_", min_size=1, max_size=64)
BUTTONS = st.lists(
    st.builds(Button, WORDS, token=KEYS, style=st.sampled_from(ButtonStyle), option=st.booleans(), form=st.booleans())
    | st.builds(Button, WORDS, url=st.just("https://example.org")),
    max_size=25,
).map(tuple)
MESSAGES = st.builds(
    OutboundMessage,
    WORDS,
    WORDS,
    WORDS,
    file=st.none() | st.builds(OutboundFile, st.just(Path("x")), WORDS, st.just("text/csv")),
    buttons=BUTTONS,
    reply_to=st.none() | IDS,
    silent=st.booleans(),
)
LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)
CHOICES = st.builds(
    ChoiceField,
    id=KEYS,
    label=LABELS,
    optional=st.booleans(),
    options=st.lists(
        st.builds(Choice, id=KEYS, label=st.text("abc", min_size=1, max_size=80)), min_size=2, max_size=6
    ).map(tuple),
    multiple=st.booleans(),
    other=st.booleans(),
)
FIELDS = (
    CHOICES
    | st.builds(MomentField, id=KEYS, label=LABELS, kind=st.sampled_from(["date", "time"]), min=st.just("2026-01-01"))
    | st.builds(NumberField, id=KEYS, label=LABELS, min=st.just(1.0), max=st.just(2.5), suggested=st.just(1.5))
    | st.builds(TextField, id=KEYS, label=LABELS, placeholder=st.none() | st.just("x" * 120), multiline=st.booleans())
)
FORMS = st.builds(Form, LABELS, st.lists(FIELDS, min_size=1, max_size=4).map(tuple), KEYS)
CALLS = st.one_of(
    st.builds(render.send, IDS, MESSAGES),
    st.builds(render.edit, IDS, IDS, WORDS, BUTTONS),
    st.builds(render.delete, IDS, IDS),
    st.builds(render.open_thread, IDS, IDS, WORDS),
    st.builds(render.private_room, IDS),
    st.builds(render.typing, IDS),
    st.builds(render.messages_after, IDS, st.integers(0, 2**63)),
    st.builds(replies.form, IDS, KEYS, FORMS),
    st.builds(replies.told, IDS, KEYS, WORDS, BUTTONS),
    st.builds(replies.seen, IDS, KEYS),
    st.builds(replies.completions, IDS, KEYS, st.dictionaries(WORDS, KEYS, max_size=30)),
    st.builds(replies.told_later, IDS, KEYS, WORDS),
    st.builds(render.put_commands, IDS, st.just(menu.commands_of(native_menu("discord")))),
    st.sampled_from([render.get_me(), render.get_application(), render.get_gateway(), render.get_commands("1")]),
)


@given(call=CALLS)
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_every_call_that_can_be_made_is_one_of_discords(schema: SchemaCheck, call: ApiCall) -> None:
    assert schema.request(f"{call.method} {call.path}", call.json) == []


@pytest.fixture
async def judged(schema: SchemaCheck) -> AsyncIterator[Connected]:
    async with PretendDiscord(judge=schema) as discord, connect(discord) as connected:
        yield connected


async def test_a_conversation_on_the_wire_is_as_published(judged: Connected) -> None:
    channel, chat = judged.channel, judged.room
    server = judged.discord.guild("Home", [judged.ada])
    general = server.screen(judged.ada)
    judged.ear.forms["tok-form"] = Form("A trip", (TextField(id="t", label="Where?"),), "tok-form")
    buttons = (Button("Yes", token="t"), Button("Answer…", token="tok-form", form=True))
    async with listening(judged) as ear:
        await channel.set_menu(native_menu("discord"))
        await channel.typing(chat)
        begun = await channel.open_stream(chat, words("May"))
        await channel.stream(begun, "May I", "May I")
        sent = await channel.send(chat, words("May I?", into=begun.message_id, buttons=buttons))
        await judged.chat.press(judged.chat.answers[-1], "Yes")
        await channel.answer_press(await ear.press(), "Thanks")
        form = await judged.chat.form_of(await judged.chat.press(judged.chat.answers[0], "Answer…"))
        await judged.chat.fill_in(form, {"Where?": "Rome"})
        await channel.edit(sent, words("done"))
        await channel.delete(sent)
        await judged.chat.command("goal Rest")
        await ear.message("/goal Rest")
        await general.mention("hello")
        await channel.send((await ear.message("hello")).chat, words("Hello yourself."))

    assert judged.discord.problems == []
