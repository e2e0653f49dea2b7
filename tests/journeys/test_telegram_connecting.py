"""Connecting an app from Telegram: out to a browser, through the sign-in, and back into the chat by itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from channels.emulators.telegram.pretend import PretendTelegram
from conch.app import App
from core.clock import Clock
from core.engines.base import EngineCapabilities, Text, TurnInput
from core.engines.script import CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.events import Mode, OfferShown, Tainted
from core.store.log import EventLog
from tests.journeys.browsing import Window, web_side
from tests.journeys.living import FastClock, Owner, living, owner_of, said, until
from web.serving import address, listen

ASKED = "What's on my calendar on 1 December?"
DAY = "2026-12-01"
AGENDA = "Agenda, Tue 1 December 2026\n\nTue 1 December 2026:\n• 09:30–09:45 Stand-up, Video call\n• 16:00–16:45 Dentist, 12 Harbour Street"


class Noon(FastClock):
    """Begins at a day that is known."""

    def now(self) -> datetime:
        return super().now().replace(year=2026, month=12, day=1, tzinfo=UTC)


def calendar_keeper(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Looks the day up where it can, adds a lunch when asked to, and else says that it cannot see a calendar."""
    tools = {tool.name for tool in turn.tools}
    if "calendar_agenda" not in tools:
        yield Text("I can't see your calendar.")
    elif turn.text.startswith("Add"):
        lunch = {"title": "Lunch", "start": f"{DAY}T12:00"}
        yield Text((yield CallTool(f"add-{len(earlier)}", "calendar_add", lunch)).text)
    else:
        answer = yield CallTool(f"look-{len(earlier)}", "calendar_agenda", {"from": DAY})
        yield Text(f"{len(answer.text.splitlines()) - 1} appointments.")


@dataclass(frozen=True, slots=True)
class Life:
    app: App
    ada: Owner

    async def conversation(self) -> str:
        [conversation] = await EventLog(self.app.database).page(10)
        return conversation.id

    async def events(self, kind: type) -> list[object]:
        found = await EventLog(self.app.database).read(await self.conversation())
        return [event.data for event in found if isinstance(event.data, kind)]

    async def link(self) -> str:
        """A link for the newest offer."""
        [*_, shown] = await self.events(OfferShown)
        assert isinstance(shown, OfferShown)
        link = await self.app.apps.links.link(await self.conversation(), shown.offer.offer_id, "demo-calendar")
        assert link is not None
        return link


@asynccontextmanager
async def connectable(folder: Path, pretend: PretendTelegram, clock: Clock | None = None) -> AsyncIterator[Life]:
    clock = clock or Noon()
    able = EngineCapabilities(host_tools="inline", modes=tuple(Mode))
    engines = [ScriptedEngine(clock, calendar_keeper, capabilities=able)]
    with listen("127.0.0.1", 0) as listener:
        where = address("127.0.0.1", listener)
        async with (
            living(folder, pretend, engines=engines, clock=clock, local_url=where) as app,
            web_side(app, listener),
        ):
            yield Life(app, await owner_of(app, pretend))


async def offered(life: Life) -> str:
    """Ask what needs the calendar; come back with the link of its offer."""
    await life.ada.chat.say(ASKED)
    await life.ada.chat.wait_for(lambda messages: any("Demo Calendar" in message.text for message in messages))
    return await life.link()


async def connected(life: Life) -> None:
    async with Window() as window:
        page = await window.open(await offered(life))
        page = await window.submit(await window.submit(page), answer="yes")
    assert page.heading == "Demo Calendar is connected"
    await until(lambda: said(life.ada.chat)[-1] == "2 appointments.")


async def test_whoever_signs_in_finds_the_answer_in_the_chat(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        asks = await window.open(await offered(life))
        theirs = await window.submit(asks)
        end = await window.submit(theirs, answer="yes")
        await until(lambda: said(life.ada.chat)[-1] == "2 appointments.")
        marks = await life.events(Tainted)

    assert [page.heading for page in (asks, theirs)] == ["Connect Demo Calendar", "May Conch use your calendar?"]
    assert "Go back to Telegram: the answer to what you asked comes there by itself." in end.html
    assert "Connected Demo Calendar · carrying on" in said(life.ada.chat)
    assert AGENDA in said(life.ada.chat)
    assert [(mark.source, mark.label) for mark in marks if isinstance(mark, Tainted)] == [("app", "Demo Calendar")]
