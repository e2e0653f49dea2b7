"""Threads under messages."""

import discord
import pytest

from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Screen
from channels.emulators.discord.seen import SeenMessage
from channels.emulators.discord.server import Server
from tests.channels.emulators.discord.conftest import SdkBot, Wire


@pytest.fixture
async def said(room: Screen) -> SeenMessage:
    return await room.say("a long story")


def threads(room: Screen, message: SeenMessage) -> str:
    return f"/channels/{room.channel.id}/messages/{message.id}/threads"


async def test_a_thread_has_the_id_of_its_message(wire: Wire, room: Screen, said: SeenMessage) -> None:
    opened = await wire("POST", threads(room, said), {"name": "Story"})
    again = await wire("POST", threads(room, said), {"name": "Story"})

    assert (opened.body["id"], opened.body["type"], opened.body["parent_id"]) == (said.id, 11, room.channel.id)
    assert (again.status, again.code) == (400, 160004)
    assert room.messages[0].thread == said.id


async def test_the_sdk_talks_in_a_thread(room: Screen, bot: SdkBot) -> None:
    said = await room.say("a long story")
    heard: discord.Message = await bot.next("message")

    thread = await heard.create_thread(name="Story")
    await thread.send("go on")
    inside = room.in_thread(said)
    answer = await inside.wait_for_answer()
    await inside.say("once upon a time")
    further: discord.Message = await bot.next("message")

    assert answer.text == "go on"
    assert (further.content, further.channel.id) == ("once upon a time", thread.id)
    assert [m.text for m in room.messages] == ["a long story"]


async def test_a_sleeping_thread_wakes_when_something_is_said(
    pretend: PretendDiscord, wire: Wire, room: Screen, said: SeenMessage
) -> None:
    await wire("POST", threads(room, said), {"name": "Story"})
    sent = await wire("POST", f"/channels/{said.id}/messages", {"content": "one"})
    slept = await wire("PATCH", f"/channels/{said.id}", {"archived": True})
    edited = await wire("PATCH", f"/channels/{said.id}/messages/{sent.body['id']}", {"content": "two"})
    spoken = await wire("POST", f"/channels/{said.id}/messages", {"content": "three"})

    assert slept.body["thread_metadata"]["archived"] is True
    assert (edited.code, spoken.status) == (50083, 200)
    assert pretend.world.channels[said.id].archived is False


async def test_people_open_threads_too(room: Screen, bot: SdkBot, said: SeenMessage) -> None:
    thread = await room.open_thread(said, "Story")
    await thread.say("inside")
    await bot.next("message")

    assert (await bot.next("message")).channel.name == "Story"
    with pytest.raises(LookupError):
        await room.open_thread(said, "Again")


async def test_without_the_permission_there_is_no_thread(
    pretend: PretendDiscord, wire: Wire, team: Server, room: Screen, said: SeenMessage
) -> None:
    await team.take_away(pretend.bot, "create_public_threads")

    assert (await wire("POST", threads(room, said), {"name": "Story"})).code == 50013


async def test_a_private_chat_has_no_threads(wire: Wire, chat: Screen) -> None:
    said = await chat.say("hello")

    assert (await wire("POST", threads(chat, said), {"name": "Story"})).status == 403
    with pytest.raises(LookupError):
        chat.in_thread(said)
