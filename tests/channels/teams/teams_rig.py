"""The shipped Teams adapter on one side of real sockets, Ada on the other; over the route of our web side."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

from channels.base import Channel, ChatRef
from channels.conformance.rig import Trouble
from channels.emulators.teams.connector import Judge
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from channels.emulators.teams.seen import SeenForm
from channels.reach import Pushed, Pushes
from channels.teams.addresses import Addresses
from channels.teams.kind import TeamsKind
from core.clock import Clock, SystemClock
from tests.journeys.living import FastClock
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


@dataclass
class TeamsRig:
    """One bot in a pretend Teams, and its private chat with Ada."""

    channel: Channel
    chat: ChatRef
    teams: PretendTeams
    screen: Screen
    form: SeenForm | None = None

    @property
    def secret(self) -> str:
        return self.teams.bot.password

    async def say(self, text: str) -> None:
        await self.screen.say(text)

    async def press(self, label: str) -> None:
        newest = next(m for m in reversed(self.screen.answers) if any(label in row for row in m.labels))
        await self.screen.press(newest, label)

    def seen(self) -> Sequence[str]:
        return [message.text for message in self.screen.answers]

    def labels(self) -> Sequence[Sequence[str]]:
        return [[label for row in message.labels for label in row] for message in self.screen.answers]

    async def open_form(self, label: str | None) -> Sequence[str]:
        assert label is None
        self.form = self.screen.form_in(self.screen.answers[-1])
        return list(self.form.fields)

    async def fill_in(self, values: Mapping[str, str]) -> None:
        assert self.form is not None
        await self.screen.fill_in(self.form, values)

    def own_message(self) -> Mapping[str, Any] | None:
        return {
            "type": "message",
            "id": "1",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "channelId": "msteams",
            "from": self.teams.bot.brief,
            "recipient": {"id": "29:ada", "name": "Ada"},
            "conversation": {"id": self.chat.id, "conversationType": "personal"},
            "text": "mine",
        }

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.teams.faults.add("throttled", method="send", seconds=7)
            case Trouble.RECEIPT_LOST:
                self.teams.faults.add("lost", method="send")
            case Trouble.NEVER:
                self.screen.chat.blocked = True

    def revoke(self) -> None:
        self.teams.bot.password = "another"
        self.teams.world.tokens.revoke()

    async def cut(self) -> None:
        await self.teams.go_away()

    async def mend(self) -> None:
        await self.teams.come_back()


def addresses_of(teams: PretendTeams) -> Addresses:
    """Where the pretend Teams is."""
    return Addresses(login=teams.login_url, openid=teams.openid_url, issuer=teams.issuer, service=teams.service_url)


def keys_of(teams: PretendTeams) -> dict[str, str]:
    """What connects its bot."""
    return {"app_id": teams.bot.app_id, "tenant": teams.bot.tenant, "secret": teams.bot.password}


@asynccontextmanager
async def doorway() -> AsyncIterator[tuple[str, dict[str, Channel]]]:
    """Our web side on a port of its own: its address, and the bots that are reached there, to be filled in."""
    bots: dict[str, Channel] = {}

    async def push(_: str, channel_id: str, request: Pushed) -> Mapping[str, Any] | None:
        channel = bots[channel_id]
        assert isinstance(channel, Pushes)
        return await channel.pushed(request)

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    app = create_app(Gate(Sessions(SystemClock()), 0), Backend(FakeAdministration(), health, push=push))
    with closing(listen("127.0.0.1", 0)) as listener:
        async with serving(app, [listener]):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/channels/teams", bots


@asynccontextmanager
async def teams_rig(judge: Judge | None = None, clock: Clock | None = None) -> AsyncIterator[TeamsRig]:
    clock = clock or FastClock()
    async with doorway() as (base, bots), PretendTeams(clock=clock, judge=judge) as teams:
        kind = TeamsKind(clock, addresses_of(teams), webhooks=base)
        keys = keys_of(teams)
        channel = kind.connect("tm", keys, await kind.check(keys))
        await channel.start()
        bots[channel.id] = channel
        teams.bot.endpoint = f"{base}/{channel.id}/messages"
        ada = teams.person("Ada")
        screen = ada.private_chat()
        teams.world.private_chat(ada, teams.bot).installed = True
        try:
            yield TeamsRig(channel, ChatRef("tm", screen.chat.id), teams, screen)
        finally:
            await channel.stop()
