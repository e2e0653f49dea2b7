"""Slack from end to end: the shipped program, the real SDK, the pretend Slack over real sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Player, Screen
from channels.slack.kind import SlackKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import Clock, SystemClock
from core.engines.scripted import Script, ScriptedEngine
from tests.journeys.living import echo


@dataclass(frozen=True)
class Life:
    app: App
    slack: PretendSlack
    ada: Player
    chat: Screen
    channel_id: str


@asynccontextmanager
async def in_slack(
    folder: Path, slack: PretendSlack, *, script: Script = echo, clock: Clock | None = None
) -> AsyncIterator[App]:
    """A Conch over this data folder, receiving from this Slack."""
    clock, home = clock or SystemClock(), Home(folder)
    home.prepare()
    kind = SlackKind(clock, base_url=slack.base_url)
    chosen = ProgramSettings.model_validate({"rate_per_chat": 0, "rate_global": 0})
    engines = [ScriptedEngine(clock, script)]
    async with composed(home, chosen, clock=clock, kinds={"slack": kind}, engines=engines) as app:
        await app.start()
        yield app
        await app.drain()


@asynccontextmanager
async def let_in(folder: Path, script: Script = echo) -> AsyncIterator[Life]:
    """Ada wrote to the bot, and is its owner."""
    async with PretendSlack() as slack, in_slack(folder, slack, script=script) as app:
        connected = await app.registry.add("slack", f"{slack.bot.app_token}\n{slack.bot.token}")
        ada = slack.person("Ada")
        chat = ada.private_chat()
        await slack.connected()
        await app.people.let_in(connected.channel_id, ada.id, by="owner", name="Ada")
        yield Life(app, slack, ada, chat, connected.channel_id)


async def test_a_message_is_answered_once(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        await life.chat.say("hello")
        answer = await life.chat.wait_for_answer()

        assert answer.text == "echo: hello"
        assert answer.thread is None


async def test_a_stranger_is_told_to_wait(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        bob = life.slack.person("Bob").private_chat()
        await bob.say("let me in")
        answer = await bob.wait_for_answer()
        requests = await life.app.people.requests(life.channel_id)

        assert "echo" not in answer.text
        assert [request.name for request in requests] == ["Bob"]


async def test_a_mention_opens_a_thread(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        room = life.slack.channel("general", [life.ada])
        await life.app.groups.heard_of(life.channel_id, room.id, "general")
        await life.app.groups.switch(life.channel_id, room.id, True)
        screen = room.screen(life.ada)
        asked = await screen.mention("what now?")
        answer = await screen.wait_for_answer()
        await screen.mention("and then?", thread=asked.id)
        more = await screen.wait_for_answer()

        assert (answer.text, answer.thread) == ("echo: what now?", asked.id)
        assert (more.text, more.thread) == ("echo: and then?", asked.id)


async def test_a_command_is_answered_in_the_private_chat(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        await life.chat.command("help")
        answer = await life.chat.wait_for_answer()

        assert "/conch new" in answer.text


async def test_a_command_where_the_bot_is_not_is_answered_to_the_person_alone(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        bob = life.slack.person("Bob")
        room = life.slack.channel("elsewhere", [life.ada, bob], bots=[])
        screen = room.screen(life.ada)
        await screen.slash("/conch", "what is on today?")
        answer = await screen.wait_for_answer()

        assert answer.text == "echo: what is on today?"
        assert room.screen(bob).answers == []
        assert life.chat.answers == []
