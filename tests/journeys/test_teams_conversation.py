"""A whole conversation in Teams, over real sockets: from the first message to a stopped and started Conch."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import pytest

from channels.base import ChannelKind
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from channels.teams.kind import TeamsKind
from conch.admin import Admin
from conch.app import App
from core.clock import Clock, SystemClock
from tests.channels.teams.teams_rig import addresses_of, keys_of
from tests.journeys.living import FastClock, living
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


@pytest.fixture
async def teams() -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=FastClock()) as pretend:
        yield pretend
        assert pretend.problems == []


@asynccontextmanager
async def reached(folder: Path, teams: PretendTeams) -> AsyncIterator[App]:
    """A Conch to which Teams brings messages, with its web side on a free port."""

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    async with AsyncExitStack() as stack:
        listener = stack.enter_context(closing(listen("127.0.0.1", 0)))
        base = f"http://127.0.0.1:{listener.getsockname()[1]}/channels/teams"

        def kinds(clock: Clock) -> Mapping[str, ChannelKind]:
            return {"teams": TeamsKind(clock, addresses_of(teams), webhooks=base)}

        app = await stack.enter_async_context(living(folder, kinds, clock=FastClock(), gather_ms=0))
        backend = Backend(FakeAdministration(), health, push=app.registry.pushed)
        await stack.enter_async_context(serving(create_app(Gate(Sessions(SystemClock()), 0), backend), [listener]))
        connected = await app.registry.add("teams", "\n".join(keys_of(teams).values()))
        teams.bot.endpoint = connected.endpoint or ""
        yield app


async def let_in(app: App, teams: PretendTeams) -> Screen:
    """Ada writes to the bot, and the owner of the machine lets her in."""
    ada = teams.person("Ada")
    chat = ada.private_chat()
    await chat.start()
    await chat.say("It's me.")
    await chat.wait_for_answer()
    await Admin(app).let_in(ada.id, None)
    await chat.wait_for(lambda messages: messages[-1].text.startswith("Hello Ada!"))
    return chat


async def test_who_was_let_in_is_answered_once(tmp_path: Path, teams: PretendTeams) -> None:
    async with reached(tmp_path, teams) as app:
        chat = await let_in(app, teams)
        await chat.say("hello")
        answer = await chat.wait_for_answer()

    assert answer.text == "echo: hello"
    assert [seen.text for seen in chat.answers].count("echo: hello") == 1


async def test_a_command_is_a_command_there(tmp_path: Path, teams: PretendTeams) -> None:
    async with reached(tmp_path, teams) as app:
        chat = await let_in(app, teams)
        await chat.command("/help")
        answer = await chat.wait_for_answer()

    assert "/new" in answer.text


async def test_after_a_restart_the_conversation_goes_on(tmp_path: Path, teams: PretendTeams) -> None:
    async with reached(tmp_path, teams) as app:
        chat = await let_in(app, teams)
    async with reached(tmp_path, teams):
        await chat.say("still there?")
        answer = await chat.wait_for_answer()

    assert answer.text == "echo: still there?"
