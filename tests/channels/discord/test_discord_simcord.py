"""A stranger's simulation of Discord as an independent judge of what we send, in process: no gateway, no sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
import simcord
from discord.http import Route

from channels.base import Button, Form
from channels.discord import answers, limits, menu, render, replies, tokens
from channels.discord.render import ApiCall
from commands.menus import native_menu
from core.cards import Choice, ChoiceField, TextField
from tests.channels.discord.connected import words

PLACE = ChoiceField(id="p", label="Where?", options=(Choice(id="r", label="Rome"), Choice(id="o", label="Oslo")))
TRIP = Form("A trip", (PLACE, TextField(id="t", label="Why?")), "tok-form")


async def make(client: discord.Client, call: ApiCall) -> Any:
    """Make one of our calls through the simulation."""
    return await client.http.request(Route(call.method, call.path, **dict(call.parameters)), json=call.json)


@asynccontextmanager
async def simulated(client: discord.Client) -> AsyncIterator[tuple[Any, Any, Any]]:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("general")
        yield env, channel, guild.add_member(env.create_user("ada"))


def client() -> discord.Client:
    intents = discord.Intents.default()
    return discord.Client(intents=intents)


async def test_a_message_with_buttons_and_a_list_is_taken() -> None:
    bot = client()
    options = tuple(Button(f"Option {at}", token=f"t{at}", option=True) for at in range(8))
    async with simulated(bot) as (_, channel, _ada):
        message = words(
            "May I?", buttons=(Button("Yes", token="y"), *options, Button("Read", url="https://example.org"))
        )
        sent = await make(bot, render.send(str(channel.id), message))
        shown = channel.last_message.content
        await make(bot, render.edit(str(channel.id), str(sent["id"]), "Allowed."))
        after = channel.last_message.content

    assert (shown, after) == ("May I?", "Allowed.")


async def test_what_is_too_long_is_refused_there_too() -> None:
    bot = client()
    async with simulated(bot) as (_, channel, _ada):
        await make(bot, render.send(str(channel.id), words("x" * limits.MAX_TEXT)))
        with pytest.raises(discord.HTTPException):
            await make(bot, render.send(str(channel.id), words("x" * (limits.MAX_TEXT + 1))))


async def test_a_press_is_answered_as_discord_wants_it() -> None:
    bot = client()

    @bot.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await make(bot, replies.seen(str(interaction.id), interaction.token))

    async with simulated(bot) as (_, channel, ada):
        await make(bot, render.send(str(channel.id), words("May I?", buttons=(Button("Yes", token="y"),))))
        result = await ada.click(channel.last_message, custom_id="b:y")

    assert result.acknowledged


async def test_a_form_opens_as_discord_wants_it() -> None:
    bot = client()

    @bot.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await make(bot, replies.form(str(interaction.id), interaction.token, TRIP))

    async with simulated(bot) as (_, channel, ada):
        buttons = (Button("Answer…", token="tok-form", form=True),)
        await make(bot, render.send(str(channel.id), words("A trip", buttons=buttons)))
        result = await ada.click(channel.last_message, custom_id="f:tok-form")

    assert result.modal is not None


async def test_what_a_button_brings_back_is_as_long_as_it_may_be_there_too() -> None:
    bot, longest = client(), "t" * (limits.MAX_CUSTOM_ID - len(tokens.of_button("")))
    async with simulated(bot) as (_, channel, _ada):
        await make(bot, render.send(str(channel.id), words("May I?", buttons=(Button("Yes", token=longest),))))
        with pytest.raises(discord.HTTPException):
            await make(bot, render.send(str(channel.id), words("?", buttons=(Button("Yes", token=longest + "t"),))))


async def test_two_buttons_that_bring_back_the_same_are_refused_there_too() -> None:
    bot = client()
    both = (Button("Yes", token="y"), Button("No", token="y"))
    async with simulated(bot) as (_, channel, _ada):
        with pytest.raises(discord.HTTPException):
            await make(bot, render.send(str(channel.id), words("May I?", buttons=both)))


async def test_a_press_that_is_answered_twice_is_heard_of_once_and_we_know_why() -> None:
    bot, refused = client(), list[discord.HTTPException]()

    @bot.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        for _ in range(2):
            try:
                await make(bot, replies.seen(str(interaction.id), interaction.token))
            except discord.HTTPException as refusal:
                refused.append(refusal)

    async with simulated(bot) as (_, channel, ada):
        await make(bot, render.send(str(channel.id), words("May I?", buttons=(Button("Yes", token="y"),))))
        await ada.click(channel.last_message, custom_id="b:y")

    [refusal] = refused
    explained = answers.explain(refusal.status, {"code": refusal.code, "message": refusal.text})
    assert isinstance(explained, answers.TooLateToAnswer)


async def test_the_menu_is_taken_and_without_it_nothing_can_be_picked_in_a_server() -> None:
    bot = client()

    @bot.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await make(bot, replies.told(str(interaction.id), interaction.token, "/stop"))

    async with simulated(bot) as (env, channel, ada):
        with pytest.raises(simcord.SetupError):
            await ada.slash(channel, "stop")
        await make(bot, put_commands(str(env.bot.application_id)))
        there = ada.available_commands(channel)
        told = (await ada.slash(channel, "stop")).response

    assert there == ("help", "new", "stop")
    assert (told.content, told.ephemeral) == ("/stop", True)


def put_commands(application_id: str) -> ApiCall:
    """Ours, as the adapter sends them."""
    return render.put_commands(application_id, menu.commands_of(native_menu("discord")))
