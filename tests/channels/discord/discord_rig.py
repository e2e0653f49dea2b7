"""The shipped Discord adapter on one side of real sockets, Ada on the other."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from channels.base import Channel, ChatRef
from channels.conformance.rig import Rig, Trouble
from channels.discord.kind import DiscordKind
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Screen
from channels.emulators.discord.seen import SeenForm, SeenMessage
from tests.journeys.living import FastClock

SEND = "POST /channels/{channel_id}/messages"


@dataclass
class DiscordRig:
    """The shipped adapter on one side of real sockets, Ada on the other."""

    channel: Channel
    chat: ChatRef
    discord: PretendDiscord
    screen: Screen
    general: Screen | None = None
    asked: SeenMessage | None = None
    form: SeenForm | None = None

    @property
    def secret(self) -> str:
        return self.discord.bot.token.rpartition(".")[2]

    async def say(self, text: str) -> None:
        await self.screen.say(text)

    async def press(self, label: str) -> None:
        newest = next(m for m in reversed(self.screen.answers) if any(label in row for row in m.labels))
        await self.screen.press(newest, label)

    def seen(self) -> Sequence[str]:
        return [message.text for message in self.screen.answers]

    def labels(self) -> Sequence[Sequence[str]]:
        return [[label for row in message.labels for label in row] for message in self.screen.answers]

    def menu(self) -> Sequence[str]:
        return [command.name for command in self.screen.menu]

    async def open_form(self, label: str | None) -> Sequence[str]:
        assert label is not None
        self.form = await self.screen.form_of(await self.screen.press(self.screen.answers[-1], label))
        return list(self.form.fields.values())

    async def fill_in(self, values: Mapping[str, str]) -> None:
        assert self.form is not None
        await self.screen.fill_in(self.form, values)

    async def say_in_thread(self, text: str) -> None:
        ada = self.screen.person
        self.general = self.discord.guild("Home", [ada]).screen(ada)
        self.asked = await self.general.mention(text)

    def seen_in_thread(self) -> Sequence[str]:
        assert self.general is not None
        assert self.asked is not None
        return [message.text for message in self.general.in_thread(self.asked).answers]

    def seen_beside(self) -> Sequence[str]:
        assert self.general is not None
        return [message.text for message in self.general.answers]

    def own_message(self) -> Mapping[str, Any] | None:
        bot = {"id": self.discord.bot.id, "bot": True, "username": "pretend_bot"}
        message = {"id": "5", "type": 0, "channel_id": "7", "author": bot, "content": "mine"}
        return {"t": "MESSAGE_CREATE", "d": message, "place": {}}

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.discord.faults.add("flood", method=SEND, seconds=7)
            case Trouble.RECEIPT_LOST:
                self.discord.faults.add("lost", method=SEND)
            case Trouble.NEVER:
                self.screen.person.closed_to.add(self.discord.bot.id)

    def revoke(self) -> None:
        self.discord.faults.add("unauthorized", times=None)

    async def cut(self) -> None:
        await self.discord.go_away()

    async def mend(self) -> None:
        await self.discord.come_back()


@asynccontextmanager
async def discord_rig() -> AsyncIterator[Rig]:
    async with PretendDiscord() as discord:
        kind = DiscordKind(FastClock(), base_url=discord.base_url, gateway_url=discord.gateway_url)
        credentials = {"token": discord.bot.token}
        channel = kind.connect("dc", credentials, await kind.check(credentials))
        await channel.start()
        ada = discord.person("Ada")
        try:
            yield DiscordRig(channel, ChatRef("dc", ada.id), discord, ada.private_chat())
        finally:
            await channel.stop()
