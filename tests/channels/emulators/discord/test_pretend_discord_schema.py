"""Discord's published description as a second judge, of what comes in and of what goes out."""

import io
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.routes.table import ROUTES
from channels.emulators.discord.schema import FILE_NAME, SchemaCheck
from core.clock import ManualClock
from tests.channels.emulators.discord.conftest import SdkBot, Wire

pytestmark = pytest.mark.specs

SAY = "POST /channels/{channel_id}/messages"


@pytest.fixture(scope="module")
def schema() -> SchemaCheck:
    return SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME)


@pytest.fixture
async def pretend(schema: SchemaCheck, clock: ManualClock) -> AsyncIterator[PretendDiscord]:
    async with PretendDiscord(clock=clock, judge=schema) as pretend:
        yield pretend


class Choice(discord.ui.View):
    """Buttons and a list, as the SDK makes them."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.add_item(discord.ui.Button(label="Yes", custom_id="y", style=discord.ButtonStyle.success))
        self.add_item(discord.ui.Button(label="Open", url="https://example.com"))
        self.add_item(discord.ui.Select(custom_id="s", options=[discord.SelectOption(label="A", value="a")]))


class Order(discord.ui.Modal, title="Order"):
    name: Any = discord.ui.Label(text="Name", component=discord.ui.TextInput(custom_id="name"))


def test_every_route_is_a_real_one(schema: SchemaCheck) -> None:
    assert [route.name for route in ROUTES if not schema.knows(route.name)] == []


def test_the_description_finds_mistakes(schema: SchemaCheck) -> None:
    assert schema.request(SAY, {"content": 7}) != []
    assert schema.request(SAY, {"content": "x" * 4001}) != []
    assert schema.request("POST /nothing", {}) == ["POST /nothing: no such route"]
    assert schema.answer("GET /users/@me", 200, {"id": "x"}) != []
    assert schema.answer("GET /users/@me", 204, None) == ["GET /users/@me: no answer with 204"]


async def test_what_the_sdk_says_and_hears_is_as_described(
    pretend: PretendDiscord, bot: SdkBot, wire: Wire, schema: SchemaCheck
) -> None:
    ada = pretend.person("Ada")
    chat = ada.private_chat()
    await chat.file("a.txt", b"x", "hello")
    heard: discord.Message = await bot.next("message")
    await heard.channel.typing()
    embed = discord.Embed(title="T", description="D").add_field(name="N", value="V")
    file = discord.File(io.BytesIO(b"x"), "b.txt")
    sent = await heard.reply("one", view=Choice(), embed=embed, file=file, nonce="n")
    await sent.edit(content="two", attachments=[], view=Choice())
    await sent.add_reaction("👀")
    press = await chat.press(str(sent.id), "Yes")
    pressed: discord.Interaction = await bot.next("interaction")
    await pressed.response.send_message("only you", ephemeral=True)
    await pressed.followup.send("more", ephemeral=True)
    picked = await chat.press(str(sent.id), "A")
    choosing: discord.Interaction = await bot.next("interaction")
    await choosing.response.send_modal(Order())
    await chat.fill_in(await chat.form_of(picked), {"Name": "Ada"})
    filled: discord.Interaction = await bot.next("interaction")
    await filled.response.defer()
    await filled.edit_original_response(content="done", view=None)
    assert [m.content async for m in heard.channel.history()][-1] == "hello"

    assert (await chat.answer_to(press)).text == "only you\nmore"
    assert pretend.problems == []
    assert [c.status for c in pretend.calls() if c.status >= 400] == []


async def test_commands_and_threads_are_as_described(pretend: PretendDiscord, bot: SdkBot) -> None:
    tree = discord.app_commands.CommandTree(bot)

    @tree.command(description="Set a goal")
    async def goal(interaction: discord.Interaction, text: str, level: int = 1) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.edit_original_response(content=f"{text} {level}")

    await tree.sync()
    ada = pretend.person("Ada")
    room = pretend.guild("Team", [ada]).screen(ada)
    await room.command("goal it 2")
    answer = await room.wait_for_answer()
    said = await room.say("a story")
    heard: discord.Message = await bot.next("message")
    thread = await heard.create_thread(name="Story")
    await thread.send("go on")

    assert answer.text == "it 2"
    assert [m.text for m in room.in_thread(said).messages] == ["go on"]
    assert pretend.problems == []


async def test_what_only_the_description_refuses_is_refused(
    pretend: PretendDiscord, wire: Wire, schema: SchemaCheck
) -> None:
    chat = pretend.person("Ada").private_chat()

    answer = await wire.say(chat, content="x", tts="maybe")

    assert (answer.code, chat.messages) == (50035, [])


async def test_where_it_is_not_strict_such_calls_are_only_told(clock: ManualClock, schema: SchemaCheck) -> None:
    async with PretendDiscord(clock=clock, judge=schema, strict=False) as lenient, aiohttp.ClientSession() as session:
        chat = lenient.person("Ada").private_chat()

        answer = await Wire(session, lenient).say(chat, content="x", tts="maybe")

    assert answer.status == 200
    assert len(lenient.problems) == 1
