"""Answers that grow in one message on Discord, whatever happens to it meanwhile."""

from pathlib import Path

import pytest

from core.clock import SystemClock
from core.engines.scripted import ScriptedEngine
from tests.journeys.apps import DiscordUnderTest, finished, said
from tests.journeys.living import echo, until
from tests.journeys.remembering import Remembering

EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
SEND = "POST /channels/{channel_id}/messages"


@pytest.mark.parametrize("fault", ["flood", "server_error", "cloudflare", "cut"])
async def test_an_answer_whose_edits_are_refused_ends_as_one_message(
    tmp_path: Path, discord: DiscordUnderTest, fault: str
) -> None:
    remembering = Remembering()
    async with discord.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("wait for it")
        await discord.sees(ada.chat, "so far")
        discord.pretend.faults.add(fault, method=EDIT, seconds=0.1)
        remembering.go.set()
        await ada.chat.wait_for(lambda messages: messages[-1].text == "so far: heard wait for it")

    assert said(ada.chat)[1:] == ["so far: heard wait for it"]


async def test_an_answer_that_somebody_deleted_half_way_is_said_whole(
    tmp_path: Path, discord: DiscordUnderTest
) -> None:
    remembering = Remembering()
    async with discord.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await discord.owner_of(app)
        await ada.chat.say("wait for it")
        await discord.sees(ada.chat, "so far")
        begun = ada.chat.answers[-1]
        room = ada.player.private_chat().channel
        room.messages[begun.id].deleted = True
        remembering.go.set()
        await ada.chat.wait_for(lambda messages: messages[-1].text == "so far: heard wait for it")

    assert said(ada.chat)[1:] == ["so far: heard wait for it"]


async def test_a_receipt_that_was_lost_doubles_no_answer(tmp_path: Path, discord: DiscordUnderTest) -> None:
    engine = ScriptedEngine(SystemClock(), echo)
    async with discord.living(tmp_path, engines=[engine], gather_ms=0) as app:
        ada = await discord.owner_of(app)
        discord.pretend.faults.add("lost", method=SEND)
        await ada.chat.say("hello")
        await ada.chat.wait_for(lambda messages: finished(messages[-1]) and messages[-1].text == "echo: hello")
        await until(lambda: not app.conversations.turns)
        await discord.asked(ada.chat, "and now?")

    assert said(ada.chat)[1:] == ["echo: hello", "echo: and now?"]
