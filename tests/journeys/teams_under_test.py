"""Teams in the shared journeys: the one app that brings messages to us, through our web side on a port of its own.

It has private chats only, so `IN_GROUPS` leaves it out.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from socket import socket
from typing import Any

from channels.base import ChannelKind
from channels.emulators.phone import Phone
from channels.emulators.teams.keys import Key, new_key
from channels.emulators.teams.people import Bot
from channels.emulators.teams.pretend import PretendTeams
from channels.teams.addresses import Addresses
from channels.teams.kind import TeamsKind
from conch.app import App
from core.checkpoints import NO_CHECKPOINTS, Checkpoints
from core.clock import Clock, SystemClock
from core.engines.base import Engine
from core.engines.scripted import Script
from tests.journeys.app_under_test import AppUnderTest, Group, Member, labels
from tests.journeys.living import echo, living
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


@cache
def _key() -> Key:
    """Making one takes as long as a whole journey."""
    return new_key()


def pretend_teams() -> PretendTeams:
    """A Teams with a key that was made before."""
    return PretendTeams(key=_key())


def kind_at(port: int, addresses: Addresses, clock: Clock) -> TeamsKind:
    """Teams as a Conch connects to it whose web side is at this port."""
    return TeamsKind(clock, addresses, webhooks=f"http://127.0.0.1:{port}/channels/teams")


@asynccontextmanager
async def brought_to(app: App, listener: socket) -> AsyncIterator[None]:
    """Let a Conch be reached from there."""

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    backend = Backend(FakeAdministration(), health, push=app.registry.pushed)
    gate = Gate(Sessions(SystemClock()), listener.getsockname()[1])
    async with serving(create_app(gate, backend), [listener]):
        yield


class TeamsUnderTest(AppUnderTest):
    kind = "teams"
    opens_threads = False
    notes_stay = True
    fields_in_message = True

    def __init__(self, pretend: PretendTeams) -> None:
        self.pretend = pretend
        self._port = 0

    @property
    def keys(self) -> str:
        return _keys_of(self.pretend.bot)

    @property
    def addresses(self) -> Addresses:
        """Where the pretend Teams is."""
        teams = self.pretend
        return Addresses(login=teams.login_url, openid=teams.openid_url, issuer=teams.issuer, service=teams.service_url)

    @property
    def port(self) -> int:
        """Where it brings its messages; the same for each Conch after the first."""
        return self._port

    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        return {self.kind: kind_at(self._port, self.addresses, clock)}

    @asynccontextmanager
    async def living(
        self,
        folder: Path,
        *,
        engines: Sequence[Engine] | None = None,
        script: Script = echo,
        clock: Clock | None = None,
        checkpoints: Checkpoints = NO_CHECKPOINTS,
        **settings: Any,
    ) -> AsyncIterator[App]:
        """The same, behind our web side; a Conch that is started again is where it was."""
        given = {"engines": engines, "script": script, "clock": clock, "checkpoints": checkpoints, **settings}
        with closing(listen("127.0.0.1", self._port)) as listener:
            self._port = listener.getsockname()[1]
            async with living(folder, self.kinds, **given) as app, brought_to(app, listener):
                yield app

    async def add(self, app: App, bot: Bot, keys: str) -> str:
        """The same, and Teams is told where to bring its messages."""
        connected = await app.registry.add(self.kind, keys)
        bot.endpoint = connected.endpoint or ""
        await self.ready(app, connected.channel_id)
        return connected.channel_id

    def another_bot(self) -> tuple[Any, str]:
        bot = self.pretend.add_bot("Other")
        return bot, _keys_of(bot)

    async def takes_files(self, chat: Any) -> None:
        """A file comes once the person allowed it; a picture is simply there."""
        asked = await chat.wait_for(lambda messages: [one for one in messages if "Allow" in labels(one)])
        for message in asked:
            await chat.press(message, "Allow")

    async def give(self, chat: Phone, words: str) -> None:
        """The list of commands puts the words into the box with the `/` in front."""
        await chat.command(f"/{words}")

    async def sees(self, chat: Phone, words: str) -> None:
        """What is written is a message of its own, of which a stream shows the words."""
        await chat.wait_for(lambda messages: any(seen.by_bot and words in seen.text for seen in messages))

    def _messages(self) -> Iterator[Any]:
        rooms = self.pretend.world.chats.values()
        return (message for room in rooms for message in room.messages.values())

    async def new_group(self, title: str, members: Sequence[Member]) -> Group:
        raise NotImplementedError("the bot is in private chats only")


def _keys_of(bot: Bot) -> str:
    return f"{bot.app_id}\n{bot.tenant}\n{bot.password}"
