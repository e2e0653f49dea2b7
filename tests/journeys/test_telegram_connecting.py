"""Connecting an app from Telegram: out to a browser, through the sign-in, and back into the chat by itself."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from conch.app import App, secret_box
from conch.settings import ProgramSettings
from core.apps.app import Tokens
from core.clock import Clock
from core.engines.base import Engine, EngineCapabilities, Text, TurnInput
from core.engines.demo.engine import DemoEngine
from core.engines.script import CallTool, Steps
from core.engines.scripted import ScriptedEngine
from core.events import Mode, OfferResolved, Tainted, ToolFinished, ToolStarted
from core.store.apps import TICKET_LIFE
from core.store.log import EventLog
from tests.journeys.browsing import Window, web_side
from tests.journeys.living import FastClock, Owner, living, owner_of, said, until
from web.serving import address, listen

ASKED = "What's on my calendar on 1 December?"
DAY = "2026-12-01"
AGENDA = "\n".join(
    (
        "Agenda, Tue 1 December 2026",
        "",
        "Tue 1 December 2026:",
        "• 09:30–09:45 Stand-up, Video call",
        "• 16:00–16:45 Dentist, 12 Harbour Street",
    )
)


class Noon(FastClock):
    """Begins at a day that is known."""

    def now(self) -> datetime:
        return super().now().replace(year=2026, month=12, day=1, tzinfo=UTC)


class Later(Noon):
    """Goes ahead when it is told to."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


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

    def link(self) -> str:
        """Where the button of the newest offer leads."""
        [*_, card] = [message for message in self.ada.chat.messages if "Demo Calendar: " in message.text]
        [connect, *_] = [button for row in card.buttons for button in row]
        assert (connect.label, connect.does) == ("Connect", "url")
        return connect.value


@asynccontextmanager
async def connectable(
    folder: Path, pretend: PretendTelegram, clock: Clock | None = None, engines: Sequence[Engine] = ()
) -> AsyncIterator[Life]:
    clock = clock or Noon()
    able = EngineCapabilities(host_tools="inline", modes=tuple(Mode))
    engines = engines or [ScriptedEngine(clock, calendar_keeper, capabilities=able)]
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
    await life.ada.chat.wait_for(lambda messages: any(message.labels for message in messages))
    return life.link()


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


async def test_the_mark_stands_before_what_the_model_is_told(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life:
        await connected(life)
        events = await EventLog(life.app.database).read(await life.conversation())

    kinds = [event.data.type for event in events if isinstance(event.data, ToolStarted | Tainted | ToolFinished)]
    assert kinds == ["tool.started", "taint", "tool.finished"]


async def test_a_let_in_person_sees_nothing_of_the_owners_calendar(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life:
        await connected(life)
        bob = pretend.person("Bob")
        await life.app.people.let_in(life.ada.channel_id, str(bob.id), by="console", name="Bob")

        await bob.private_chat().say(ASKED)
        await until(lambda: said(bob.private_chat()))

    assert said(bob.private_chat()) == ["I can't see your calendar."]


async def test_the_demo_shows_it_from_the_question_to_the_answer(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = Noon()
    engines = [DemoEngine(clock, "connect an engine")]
    async with connectable(tmp_path, pretend, clock, engines) as life, Window() as window:
        await life.ada.chat.say("What's on my calendar today?")
        await life.ada.chat.wait_for(lambda messages: any(message.labels for message in messages))
        card, asks = said(life.ada.chat)[-1], await window.open(life.link())
        await window.submit(await window.submit(asks), answer="yes")
        await until(lambda: said(life.ada.chat)[-1] == "Today there are 2 appointments.")
        await life.ada.chat.say("Add lunch to my calendar")
        await life.ada.chat.wait_for(lambda messages: messages[-1].labels)
        await life.ada.chat.press(life.ada.chat.messages[-1], "Allow")
        await until(lambda: any("13:00–14:00 Lunch" in text for text in said(life.ada.chat)))

    assert card.endswith(
        "Connect it, and I carry on with what you asked. The link opens only on the machine where Conch runs."
    )
    assert AGENDA in said(life.ada.chat)


async def test_the_demo_shows_every_kind_of_list(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = Noon()
    async with connectable(tmp_path, pretend, clock, [DemoEngine(clock, "connect an engine")]) as life:
        async with Window() as window:
            await life.ada.chat.say("What goes with my meetings?")
            await life.ada.chat.wait_for(lambda messages: any(message.labels for message in messages))
            await window.submit(await window.submit(await window.open(life.link())), answer="yes")
            await until(lambda: said(life.ada.chat)[-1].startswith("These were a list of mail"))
        await life.ada.chat.say("What's on my calendar today?")
        await until(lambda: said(life.ada.chat)[-1] == "Today there are 2 appointments.")

    shown = [text.partition("\n\n") for text in said(life.ada.chat)]
    firsts = {head: rest.partition("\n")[0] for head, _, rest in shown if rest.startswith("•")}
    assert firsts == {
        "Mail": "• ● Noor · Invitation: Stand-up · Sun 29 November 2026, 09:30: Where: Video call",
        "Files": "• Stand-up.pdf · Noor · Mon 30 November 2026",
        "Remarks": "• Noor · Tue 1 December 2026, 08:30: Stand-up: I'll bring the cake.",
    }
    assert AGENDA in said(life.ada.chat)


async def test_the_writing_tool_asks_first_and_the_agenda_shows_what_it_did(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with connectable(tmp_path, pretend) as life:
        await connected(life)

        await life.ada.chat.say("Add lunch")
        await life.ada.chat.wait_for(lambda messages: messages[-1].labels)
        asks = life.ada.chat.messages[-1]
        before = [text for text in said(life.ada.chat) if text.startswith("Added")]
        await life.ada.chat.press(asks, "Allow")
        await until(lambda: any(text.startswith("Added: Tue 2026-12-01 12:00") for text in said(life.ada.chat)))
        await life.ada.chat.say(ASKED)
        await until(lambda: said(life.ada.chat)[-1] == "3 appointments.")

    assert "This chat has taken in something from outside: “Demo Calendar”." in asks.text
    assert before == []
    assert any("• 12:00–13:00 Lunch" in text for text in said(life.ada.chat))


async def test_every_turn_that_reads_the_calendar_is_marked(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life:
        await connected(life)

        await life.ada.chat.say(ASKED)
        await until(lambda: said(life.ada.chat).count("2 appointments.") == 2)
        marks = await life.events(Tainted)

    assert len(marks) == 2


async def test_a_no_on_the_apps_page_leaves_the_offer_as_it_is(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        theirs = await window.submit(await window.open(link := await offered(life)))
        end = await window.submit(theirs, answer="no")
        resolved, connections = await life.events(OfferResolved), await life.app.apps.apps.connections()
        await life.ada.chat.say("/status")
        await life.ada.chat.wait_for(lambda messages: "Demo Calendar: " in messages[-1].text)
        again = await window.submit(await window.submit(await window.open(fresh := life.link())), answer="yes")
        await until(lambda: said(life.ada.chat)[-1] == "2 appointments.")

    assert end.heading == "Demo Calendar is not connected"
    assert "Go back to Telegram. If you change your mind, /status there brings a new link." in end.html
    assert (resolved, connections, fresh != link) == ([], (), True)
    assert again.heading == "Demo Calendar is connected"


async def test_a_link_works_once(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window, Window() as other:
        link = await offered(life)
        first, second = await window.open(link), await other.open(link)
        await window.submit(first)

        late, looked = await other.submit(second), await other.open(link)

    assert [(page.status, page.heading) for page in (late, looked)] == [(410, "This link was used")] * 2


async def test_a_link_works_for_ten_minutes(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = Later()
    async with connectable(tmp_path, pretend, clock) as life, Window() as window:
        page = await window.open(await offered(life))
        clock.ahead = TICKET_LIFE

        late = await window.submit(page)

    assert (late.status, late.heading) == (410, "This link is over")
    assert "Send /status in the chat (in Slack: /conch status) for a fresh one" in late.html


async def test_coming_back_works_for_ten_minutes(tmp_path: Path, pretend: PretendTelegram) -> None:
    clock = Later()
    async with connectable(tmp_path, pretend, clock) as life, Window() as window:
        theirs = await window.submit(await window.open(await offered(life)))
        back = await window.submit(theirs, follow=False, answer="yes")
        clock.ahead = TICKET_LIFE

        late = await window.open(str(back.url))
        connections = await life.app.apps.apps.connections()

    assert (late.status, late.heading, connections) == (410, "That took too long", ())


async def test_only_the_browser_that_began_can_come_back(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window, Window() as other:
        theirs = await window.submit(await window.open(await offered(life)))
        back = await window.submit(theirs, follow=False, answer="yes")

        foreign = await other.open(str(back.url))
        connections = await life.app.apps.apps.connections()
        right, twice = await window.open(str(back.url)), await window.open(str(back.url))

    assert (foreign.status, foreign.heading, connections) == (403, "Not in this browser", ())
    assert right.heading == "Demo Calendar is connected"
    assert (twice.status, twice.heading) == (410, "This sign-in is over")


async def test_what_is_forged_opens_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        theirs = await window.submit(await window.open(link := await offered(life)))
        base, state = link.partition("/connect/")[0], theirs.fields["state"]
        pages = [
            await window.open(f"{base}/connect/{'x' * 43}"),
            await window.open(f"{base}/connect/back?state={state[:-9]}AAAAAAAA=&code=x"),
            await window.open(f"{base}/connect/back"),
        ]
        wrong_code = await window.open(f"{base}/connect/back?state={state}&code=x")
        elsewhere = await window.open(f"{base}/demo-calendar/authorize?redirect_uri=https://evil.example.com/")
        connections = await life.app.apps.apps.connections()

    assert [page.status for page in pages] == [404, 404, 404]
    assert (wrong_code.status, wrong_code.heading) == (400, "That did not work")
    assert (elsewhere.status, elsewhere.heading) == (400, "Nothing to say yes to")
    assert connections == ()


async def test_another_site_cannot_begin_a_sign_in(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        page = await window.open(await offered(life))
        refused = await window.submit(page, origin="https://evil.example.com")
        begun = await window.submit(page)

    assert (refused.status, refused.heading) == (403, "Not from here")
    assert begun.heading == "May Conch use your calendar?"


async def test_the_pages_keep_to_the_policy(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        asks = await window.open(await offered(life))
        theirs = await window.submit(asks)
        pages = (asks, theirs, await window.submit(theirs, answer="yes"))

    assert not [page for page in pages if re.search(r"<script|<style|\sstyle=|\son\w+=", page.html)]
    assert {page.headers["referrer-policy"] for page in pages} == {"same-origin"}
    assert {page.headers["cache-control"] for page in pages} == {"no-store"}
    assert all("form-action 'self'" in page.headers["content-security-policy"] for page in pages)


async def test_a_newer_message_ends_what_the_sign_in_was_for(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        theirs = await window.submit(await window.open(await offered(life)))
        await life.ada.chat.say("Never mind")
        await until(lambda: said(life.ada.chat).count("I can't see your calendar.") == 2)

        end = await window.submit(theirs, answer="yes")

    assert end.heading == "Demo Calendar is connected"
    assert "Go back to Telegram and ask again: what you asked there is over by now." in end.html


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_no_secret_of_a_sign_in_is_kept_or_shown_in_clear(
    tmp_path: Path, pretend: PretendTelegram, capsys: pytest.CaptureFixture[str]
) -> None:
    async with connectable(tmp_path, pretend) as life, Window() as window:
        link = await offered(life)
        theirs = await window.submit(await window.open(link))
        end = await window.submit(theirs, answer="yes")
        await until(lambda: said(life.ada.chat)[-1] == "2 appointments.")
        apps = life.app.apps.apps
        [kept] = await apps.connections()
        tokens = Tokens.of(secret_box(life.app.home, ProgramSettings()).open(kept.credentials))
        events = await EventLog(life.app.database).read(await life.conversation())

    said_anywhere = capsys.readouterr().out + repr(events) + end.html + "".join(said(life.ada.chat))
    on_disk = everything_in(tmp_path)
    secrets = [tokens.access, str(tokens.refresh), theirs.fields["state"]]
    assert not [secret for secret in secrets if secret in said_anywhere or secret.encode() in on_disk]
    assert tokens.access not in repr(tokens) + repr(kept)
