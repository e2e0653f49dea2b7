"""Driving a pretend Discord from outside: the control address, its client, and the process of its own."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest

from channels.emulators.discord.control import Control
from channels.emulators.discord.menus import Command
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.remote import RemoteDiscord, RemoteScreen
from channels.emulators.discord.seen import SeenAnswer
from channels.emulators.remote import ControlError
from tests.channels.emulators.discord.conftest import SdkBot, Wire

SECRET = "a secret of this test"
BUTTON = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "Yes", "custom_id": "y"}]}]
FORM = {
    "title": "Order",
    "custom_id": "order",
    "components": [{"type": 18, "label": "Name", "component": {"type": 4, "custom_id": "name", "style": 1}}],
}


@pytest.fixture
async def control(pretend: PretendDiscord) -> AsyncIterator[Control]:
    control = Control(pretend, SECRET)
    await control.start()
    yield control
    await control.stop()


@pytest.fixture
async def remote(control: Control) -> AsyncIterator[RemoteDiscord]:
    async with RemoteDiscord(control.url, SECRET) as remote:
        yield remote


@pytest.fixture
async def screen(remote: RemoteDiscord) -> RemoteScreen:
    """Eve's private chat with the bot."""
    return (await remote.person("Eve")).private_chat()


async def channel_of(remote: RemoteDiscord, screen: RemoteScreen, wire: Wire) -> str:
    opened = await wire("POST", "/users/@me/channels", {"recipient_id": screen.where["person"]})
    channel: str = opened.body["id"]
    return channel


async def answer(wire: Wire, pretend: PretendDiscord, press: str, kind: int, data: object = None) -> None:
    token = pretend.world.interactions.known(press).token
    await wire("POST", f"/interactions/{press}/{token}/callback", {"type": kind, "data": data})


@pytest.mark.parametrize("secret", ["", "wrong", SECRET + "x"])
async def test_nobody_gets_in_without_the_secret(control: Control, secret: str) -> None:
    async with RemoteDiscord(control.url, secret) as remote:
        with pytest.raises(ControlError, match="401: the control address wants its secret"):
            await remote.state()


def test_a_control_address_has_a_secret(pretend: PretendDiscord) -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        Control(pretend, "")


async def test_a_conversation_from_outside(bot: SdkBot, screen: RemoteScreen) -> None:
    said = await screen.say("hello")
    heard: discord.Message = await bot.next("message")
    await heard.reply("**hi** Eve")

    answer = await screen.wait_for_answer()

    assert (answer.text, answer.reply_to) == ("hi Eve", said.id)
    assert [message.text for message in await screen.messages()] == ["hello", "hi Eve"]
    assert [message.text for message in await screen.answers()] == ["hi Eve"]


async def test_a_press_and_what_it_brought(
    bot: SdkBot, wire: Wire, remote: RemoteDiscord, screen: RemoteScreen, pretend: PretendDiscord
) -> None:
    channel = await channel_of(remote, screen, wire)
    sent = (await wire("POST", f"/channels/{channel}/messages", {"content": "sure?", "components": BUTTON})).body["id"]

    press = await screen.press(sent, "Yes")
    await answer(wire, pretend, press, 4, {"content": "only you", "flags": 64})

    assert await screen.answer_to(press) == SeenAnswer("only you")
    with pytest.raises(ControlError, match="nothing says 'No'"):
        await screen.press(sent, "No")


async def test_a_form_from_outside(
    wire: Wire, remote: RemoteDiscord, screen: RemoteScreen, pretend: PretendDiscord
) -> None:
    channel = await channel_of(remote, screen, wire)
    sent = (await wire("POST", f"/channels/{channel}/messages", {"content": "sure?", "components": BUTTON})).body["id"]
    press = await screen.press(sent, "Yes")
    await answer(wire, pretend, press, 9, FORM)

    form = await screen.form_of(press)
    filled = await screen.fill_in(form, {"Name": "Eve"})

    assert (form.title, form.fields) == ("Order", {"name": "Name"})
    data: Any = pretend.world.interactions.known(filled).data
    assert data["components"][0]["component"]["value"] == "Eve"


async def test_commands_from_outside(wire: Wire, screen: RemoteScreen, pretend: PretendDiscord) -> None:
    option = {"type": 3, "name": "text", "description": "What"}
    path = f"/applications/{pretend.bot.application_id}/commands"
    await wire("PUT", path, [{"name": "goal", "description": "Set it", "options": [option]}])

    await screen.command("goal learn it")
    picked = await screen.pick("goal", text="other")

    assert await screen.menu() == (Command("goal", "Set it", ("text",)),)
    assert pretend.world.interactions.known(picked).data["options"][0]["value"] == "other"
    with pytest.raises(ControlError, match="no command /other"):
        await screen.command("other")


async def test_everything_else_a_person_does(screen: RemoteScreen, remote: RemoteDiscord) -> None:
    said = await screen.say("one")
    await screen.edit(said, "two")
    await screen.reply(said, "three", ping=False)
    sent = await screen.file("note.txt", b"words", "look")
    await screen.photo()
    await screen.album([("a.txt", b"a"), ("b.txt", b"b")])
    await screen.react(said, "👍")
    await screen.delete(await screen.say("gone"))

    messages = await screen.messages()

    assert [message.text for message in messages] == ["two", "three", "look", "", ""]
    assert messages[0].reactions == ("👍",)
    assert [len(message.files) for message in messages] == [0, 0, 1, 1, 2]
    assert sent.file is not None
    assert await remote.file(sent.file.id) == b"words"
    with pytest.raises(ControlError, match="no such file"):
        await remote.file("1")


async def test_servers_from_outside(wire: Wire, remote: RemoteDiscord) -> None:
    eve, dan = await remote.person("Eve"), await remote.person("Dan")
    server = await remote.guild("Team", [eve, dan])
    room = server.screen(dan)
    named = await room.mention("hello")
    await server.take_away("send_messages", channel="general")
    state = await remote.state()
    channel = (await remote.events(0))[0][-1]["channel"]

    refused = await wire("POST", f"/channels/{channel}/messages", {"content": "x"})
    await server.give_back("send_messages", channel="general")
    taken = await wire("POST", f"/channels/{channel}/messages", {"content": "x"})

    assert named.text == "@Pretend hello"
    assert (refused.code, taken.status) == (50013, 200)
    assert state["groups"] == [{"id": server.id, "name": "Team", "channels": ["general"]}]


async def test_what_goes_wrong_is_arranged_from_outside(
    wire: Wire, remote: RemoteDiscord, screen: RemoteScreen, pretend: PretendDiscord
) -> None:
    await remote.add_fault("flood", method="GET /users/@me", seconds=1, times=5)
    refused = await wire("GET", "/users/@me")
    waiting = (await remote.state())["faults"]
    await remote.clear_faults()
    taken = await wire("GET", "/users/@me")
    await remote.set_flood_control(on=True)
    counted = await wire("GET", "/users/@me")

    assert (refused.status, taken.status, counted.headers["X-RateLimit-Remaining"]) == (429, 200, "4")
    assert [fault["kind"] for fault in waiting] == ["flood"]
    assert [call["status"] for call in await remote.calls("GET /users/@me")] == [429, 200, 200]


async def test_it_goes_away_and_comes_back(wire: Wire, remote: RemoteDiscord) -> None:
    await remote.set_reachable(on=False)
    with pytest.raises(aiohttp.ClientConnectionError):
        await wire("GET", "/users/@me")

    await remote.set_reachable(on=True)

    assert (await wire("GET", "/users/@me")).status == 200


async def test_the_gateway_is_broken_from_outside(bot: SdkBot, remote: RemoteDiscord, screen: RemoteScreen) -> None:
    await remote.break_gateway("drop", code=4000)
    await screen.say("in the gap")

    assert await bot.heard() == "in the gap"
    with pytest.raises(ControlError, match="the gateway cannot 'fly'"):
        await remote.break_gateway("fly")


async def test_what_happens_is_told_as_it_happens(remote: RemoteDiscord, screen: RemoteScreen) -> None:
    before = (await remote.state())["last_event"]

    waiting = asyncio.create_task(remote.events(before, wait=5))
    await screen.say("hello")
    events, last = await waiting

    assert (last, [event["kind"] for event in events]) == (before + 1, ["message"])
    assert events[0]["message"]["text"] == "hello"


async def test_nobody_can_do_what_nobody_can(remote: RemoteDiscord, screen: RemoteScreen) -> None:
    with pytest.raises(ControlError, match="nobody can 'fly'"):
        await remote.ask("POST", "act", {"do": "fly"})
    with pytest.raises(ControlError, match="nothing at GET"):
        await remote.ask("GET", "nothing", {})


async def test_a_process_of_its_own_goes_with_its_parent() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "channels.emulators.discord", "--control-secret-env", "PRETEND_SECRET"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PRETEND_SECRET": SECRET},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    told = json.loads(await process.stdout.readline())
    async with RemoteDiscord(told["control_url"], SECRET) as remote:
        screen = (await remote.person("Eve")).private_chat()
        await screen.say("hello")
        state = await remote.state()

    process.stdin.close()

    assert await process.wait() == 0
    assert (told["app"], state["gateway_url"], state["bots"][0]["token"]) == (
        "discord",
        told["gateway_url"],
        told["bot_token"],
    )
