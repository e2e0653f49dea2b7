"""What a tool shows, in every app: a list after the words before it, harmless whatever stands in it."""

import asyncio
from pathlib import Path

import pytest

from channels.threads import MENTION_ME
from conch.app import App
from core import views
from core.cards import ToolView
from core.engines.base import MessageEnd, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import Script
from core.events import ToolFinished, ToolStarted
from tests.journeys.apps import IN_GROUPS, AppUnderTest, Member, said
from tests.journeys.cards import add, lines, says, talk_of
from tests.journeys.living import echo

HOSTILE = "<b>x</b> <!channel> @everyone [y](http://evil.com)\u202e\x00\n# z"
HARMLESS = "<b>x</b> <!channel> @everyone [y](http://evil.com) # z"
URL = "https://drive.example.com/1"

AGENDA = views.agenda(
    [
        {"title": "Stand-up", "start": "2026-12-01T09:30", "end": "2026-12-01T09:45", "location": "Room 1"},
        {"title": HOSTILE, "start": "2026-12-02", "all_day": True},
    ],
    "2026-12-01",
    "2026-12-02",
)
MAIL = views.mail([{"from": "Bob", "subject": "Hi", "snippet": HOSTILE, "unread": True, "attachments": 2}])
FILES = views.files([{"name": HOSTILE, "url": URL}, {"name": "plan.txt"}])
MESSAGES = views.messages("#general", [{"author": "Bob", "text": HOSTILE, "at": "2026-12-01T09:30", "url": URL}])
NOTHING = views.files([])


def waiting(go: asyncio.Event) -> Script:
    """Says a word, waits until the tool was called, and says what it found; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Find"):
            yield from echo(turn, earlier)
            return
        yield Text("Let me look.")
        yield MessageEnd()
        yield Until(go)
        yield Text("There it is.")

    return script


async def look(app: App, ada: Member, view: ToolView, go: asyncio.Event) -> None:
    """Have it looked for, and shown."""
    await ada.chat.say("Find it")
    await says(ada.chat, "Let me look.")
    finished = ToolFinished(tool_use_id="1", name="find", status="ok", output="2", view=view)
    await add(app, ToolStarted(tool_use_id="1", name="find"), finished)
    go.set()
    await says(ada.chat, "There it is.")


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        (
            AGENDA,
            [
                "Agenda, Tue 1 December 2026 – Wed 2 December 2026",
                "Tue 1 December 2026:",
                "• 09:30–09:45 Stand-up, Room 1",
                "Wed 2 December 2026:",
                f"• {HARMLESS}",
            ],
        ),
        (MAIL, ["Mail", f"• ● Bob · Hi · 2 files: {HARMLESS}"]),
        (FILES, ["Files", f"• {HARMLESS} · open", "• plan.txt"]),
        (MESSAGES, ["#general", f"• Bob · Tue 1 December 2026, 09:30: {HARMLESS} · open"]),
        (NOTHING, ["Files", "No files found."]),
    ],
    ids=["agenda", "mail", "files", "messages", "nothing"],
)
async def test_a_view_follows_what_was_said_before_it(
    tmp_path: Path, messenger: AppUnderTest, view: ToolView, shown: list[str]
) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)

        await look(app, ada, view, go)

    assert lines(ada.chat) == ["Let me look.", "\n".join(shown), "There it is."]
    assert not any(getattr(message, "pings", ()) for message in ada.chat.answers)


@IN_GROUPS
async def test_a_group_sees_the_words_and_no_view(tmp_path: Path, messenger: AppUnderTest) -> None:
    go = asyncio.Event()
    async with messenger.living(tmp_path, gather_ms=0, script=waiting(go)) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])
        question = await group.screen(ada).mention("Find it")
        talk = await talk_of(group, ada, question)
        await says(talk, "Let me look.")

        finished = ToolFinished(tool_use_id="1", name="find", status="ok", output="2", view=FILES)
        await add(app, ToolStarted(tool_use_id="1", name="find"), finished)
        go.set()
        await says(talk, "There it is.")

    answered = [text for text in said(talk) if text != MENTION_ME]
    assert answered == ["Let me look.", "There it is."]
