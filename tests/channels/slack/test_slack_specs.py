"""Slack's published list of methods as a second judge of what the adapter calls."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from channels.base import Button, Form, InboundMessage, MessageRef, OutboundFile, OutboundMessage, Press
from channels.emulators.slack.schema import FILE_NAME, SchemaCheck
from core.cards import TextField
from tests.channels.slack.slack_connected import Connected, connected

pytestmark = pytest.mark.specs


@pytest.fixture
async def judged() -> AsyncIterator[Connected]:
    schema = SchemaCheck(Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME)
    async with connected(judge=schema) as bot:
        yield bot


async def test_a_conversation_on_the_wire_is_as_published(judged: Connected, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a")
    room = judged.slack.channel("general", [judged.ada])
    await room.screen(judged.ada).mention("hello")
    question = (await judged.ear.until_heard(InboundMessage))[-1]
    assert isinstance(question, InboundMessage)
    message = OutboundMessage("**May** I?", "May I?", "k", buttons=(Button("Yes", token="t"),))

    await judged.channel.mark(MessageRef(question.chat, question.message_id))
    await judged.channel.typing(question.chat)
    begun = await judged.channel.open_stream(
        question.chat, OutboundMessage("One", "One", "s", answers=question.message_id)
    )
    await judged.channel.stream(begun, "One two", "")
    await judged.channel.send(question.chat, OutboundMessage("One two three", "", "s", into=begun.message_id))
    sent = await judged.channel.send(judged.chat, message)
    await judged.channel.send(judged.chat, replace(message, file=OutboundFile(path, "a.txt", "text/plain")))
    await judged.screen.press(sent.message_id, "Yes")
    (press,) = await judged.ear.until_heard(Press)
    assert isinstance(press, Press)
    await judged.channel.answer_press(press, "Thanks")
    await judged.channel.open_form(press, Form("Say", (TextField(id="a", label="What?"),), "tok"))
    await judged.channel.edit(sent, replace(message, buttons=()))
    await judged.channel.delete(sent)
    _ = [update async for update in judged.channel.missed(judged.chat, datetime.fromtimestamp(0, UTC))]
    await judged.screen.open_home()
    await judged.settled()

    assert judged.slack.problems == []
    assert [(call.method, call.error) for call in judged.slack.calls() if call.error] == []
