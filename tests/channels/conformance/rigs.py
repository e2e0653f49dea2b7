"""The rigs of our own adapters: over real sockets, and the in-memory app."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

from channels.base import Channel, ChatRef
from channels.conformance.rig import Rig, Trouble
from channels.discord.kind import DiscordKind
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Screen as DiscordScreen
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.faults import Call
from channels.memory.streaming import StreamingChannel
from channels.reach import Pushed, Pushes
from channels.telegram.kind import TelegramKind
from core.clock import SystemClock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from tests.channels.slack.slack_rig import slack_http_rig, slack_rig
from tests.channels.teams.teams_rig import teams_rig
from tests.journeys.living import FastClock
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


@dataclass
class TelegramRig:
    """The shipped adapter on one side of real sockets, Ada on the other."""

    channel: Channel
    chat: ChatRef
    telegram: PretendTelegram
    screen: Screen

    @property
    def secret(self) -> str:
        return self.telegram.bot.token.partition(":")[2]

    async def say(self, text: str) -> None:
        await self.screen.say(text)

    async def press(self, label: str) -> None:
        newest = next(m for m in reversed(self.screen.answers) if any(label in row for row in m.labels))
        await self.screen.press(newest, label)

    def seen(self) -> Sequence[str]:
        return [message.text for message in self.screen.answers]

    def own_message(self) -> Mapping[str, Any] | None:
        bot = {"id": self.telegram.bot.id, "is_bot": True, "first_name": "Pretend", "username": "pretend_bot"}
        chat = {"id": int(self.chat.id), "type": "private", "first_name": "Ada"}
        message = {"message_id": 5, "date": 1, "from": bot, "chat": chat, "text": "mine"}
        return {"update_id": 1, "message": message}

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.telegram.faults.add("flood", method="sendMessage", seconds=7)
            case Trouble.RECEIPT_LOST:
                self.telegram.faults.add("lost", method="sendMessage")
            case Trouble.NEVER:
                self.screen.chat.blocked = True

    def revoke(self) -> None:
        self.telegram.faults.add("unauthorized", times=None)


@asynccontextmanager
async def telegram_rig() -> AsyncIterator[Rig]:
    async with _telegram(None) as (rig, _):
        yield rig


@asynccontextmanager
async def telegram_webhook_rig() -> AsyncIterator[Rig]:
    """The same where Telegram brings messages: over the route of our web side, on a port of its own."""
    bots: dict[str, Channel] = {}

    async def push(_: str, channel_id: str, request: Pushed) -> None:
        channel = bots[channel_id]
        assert isinstance(channel, Pushes)
        await channel.pushed(request)

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    app = create_app(Gate(Sessions(SystemClock()), 0), Backend(FakeAdministration(), health, push=push))
    with closing(listen("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}/channels/telegram"
        async with serving(app, [listener]), _telegram(base) as (rig, channel):
            bots[channel.id] = channel
            yield rig


@asynccontextmanager
async def _telegram(webhooks: str | None) -> AsyncIterator[tuple[Rig, Channel]]:
    async with PretendTelegram(clock=FastClock()) as telegram:
        kind = TelegramKind(
            FastClock(), base_url=telegram.base_url, base_file_url=telegram.base_file_url, webhooks=webhooks
        )
        credentials = {"token": telegram.bot.token}
        channel = kind.connect("tg", credentials, await kind.check(credentials))
        await channel.start()
        ada = telegram.person("Ada")
        screen = ada.private_chat()
        await screen.start()
        telegram.bot.queue.drop()
        yield TelegramRig(channel, ChatRef("tg", str(ada.id)), telegram, screen), channel
        await channel.stop()


DISCORD_SEND = "POST /channels/{channel_id}/messages"


@dataclass
class DiscordRig:
    """The shipped adapter on one side of real sockets, Ada on the other."""

    channel: Channel
    chat: ChatRef
    discord: PretendDiscord
    screen: DiscordScreen

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

    def own_message(self) -> Mapping[str, Any] | None:
        bot = {"id": self.discord.bot.id, "bot": True, "username": "pretend_bot"}
        message = {"id": "5", "type": 0, "channel_id": "7", "author": bot, "content": "mine"}
        return {"t": "MESSAGE_CREATE", "d": message, "place": {}}

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.discord.faults.add("flood", method=DISCORD_SEND, seconds=7)
            case Trouble.RECEIPT_LOST:
                self.discord.faults.add("lost", method=DISCORD_SEND)
            case Trouble.NEVER:
                self.screen.person.closed_to.add(self.discord.bot.id)

    def revoke(self) -> None:
        self.discord.faults.add("unauthorized", times=None)


@asynccontextmanager
async def discord_rig() -> AsyncIterator[Rig]:
    async with PretendDiscord() as discord:
        kind = DiscordKind(FastClock(), base_url=discord.base_url, gateway_url=discord.gateway_url)
        credentials = {"token": discord.bot.token}
        channel = kind.connect("dc", credentials, await kind.check(credentials))
        await channel.start()
        ada = discord.person("Ada")
        yield DiscordRig(channel, ChatRef("dc", ada.id), discord, ada.private_chat())
        await channel.stop()


@dataclass
class MemoryRig:
    """The in-memory app, with buttons."""

    channel: MemoryChannel
    chat: ChatRef
    app: MemoryApp
    ada: MemoryChat

    @property
    def secret(self) -> str:
        return self.app.key

    async def say(self, text: str) -> None:
        self.ada.say(text)

    async def press(self, label: str) -> None:
        self.ada.press(self.ada.answers[-1], label)

    def seen(self) -> Sequence[str]:
        return self.ada.texts

    def own_message(self) -> Mapping[str, Any] | None:
        return None

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.app.faults.add(Call.SEND, TryLater("busy", retry_after=7.0))
            case Trouble.RECEIPT_LOST:
                self.app.faults.add(Call.SEND, MaybeDone("lost"), taken=True)
            case Trouble.NEVER:
                self.app.faults.add(Call.SEND, Refused("blocked", RefusedReason.GONE))

    def revoke(self) -> None:
        self.app.renew_key()


@asynccontextmanager
async def memory_rig() -> AsyncIterator[Rig]:
    async with _memory(MemoryChannel) as rig:
        yield rig


@asynccontextmanager
async def memory_streaming_rig() -> AsyncIterator[Rig]:
    """The same with streams, signs and a history."""
    async with _memory(StreamingChannel) as rig:
        yield rig


@asynccontextmanager
async def _memory(kind: type[MemoryChannel]) -> AsyncIterator[Rig]:
    clock = FastClock()
    app = MemoryApp(clock)
    ada = app.private_chat("Ada")
    channel = kind("m1", app, clock, key=app.key, button_limit=8)
    await channel.start()
    yield MemoryRig(channel, ChatRef("m1", ada.id), app, ada)
    await channel.stop()


RIGS = {
    "telegram": telegram_rig,
    "telegram webhook": telegram_webhook_rig,
    "discord": discord_rig,
    "slack": slack_rig,
    "slack by http": slack_http_rig,
    "teams": teams_rig,
    "memory": memory_rig,
    "memory with streams": memory_streaming_rig,
}
