"""What a tool shows, in Telegram: a list after the tool's message, in private chats alone."""

import asyncio
from pathlib import Path

from channels.emulators.telegram.pretend import PretendTelegram
from conch.app import App
from core import views
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import Script
from core.events import ToolFinished, ToolStarted
from core.store.log import Append, EventLog
from tests.journeys.living import FastClock, living, owner_of, said
from tests.journeys.teams import team

HOSTILE = "<b>x</b> @ada [y](http://evil.com)\u202e\x00\n# z"
VIEW = views.files([{"name": HOSTILE, "url": "https://drive.example.com/1"}, {"name": "plan.txt"}])
LIST = "Files\n\n• <b>x</b> @\u2060ada [y](http://evil.com) # z · open\n• plan.txt"


def waiting(go: asyncio.Event) -> Script:
    """Says a word, waits until the tool was called, and says what it found."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Let me look.")
        yield MessageEnd()
        yield Until(go)
        yield Text("Two files.")

    return script


async def look(app: App, go: asyncio.Event) -> None:
    """A call of a tool that shows two files, then the rest of the answer."""
    [conversation] = await EventLog(app.database).page(10)
    finished = ToolFinished(tool_use_id="1", name="find", status="ok", output="2", view=VIEW)
    await app.database.commit(Append(conversation.id, (ToolStarted(tool_use_id="1", name="find"), finished)))
    go.set()


async def test_a_view_follows_what_was_said_before_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Find my files")
        await ada.chat.wait_for(lambda messages: messages[-1].text == "Let me look.")

        await look(app, go)
        await ada.chat.wait_for(lambda messages: messages[-1].text == "Two files.")

    assert said(ada.chat)[1:] == ["Let me look.", LIST, "Two files."]


async def test_a_group_sees_the_words_and_no_view(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()
    async with living(tmp_path, pretend, script=waiting(go), clock=FastClock()) as app:
        friends = await team(app, pretend)
        screen = friends.screen("Ada")
        await screen.mention("Find my files")
        await screen.wait_for(lambda messages: messages[-1].text == "Let me look.")

        await look(app, go)
        await screen.wait_for(lambda messages: messages[-1].text == "Two files.")

    assert said(screen) == ["Let me look.", "Two files."]
