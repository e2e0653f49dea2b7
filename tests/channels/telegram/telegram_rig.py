"""The shipped Telegram adapter on one side of real sockets, Ada on the other; by polling and by webhook."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

from channels.base import Channel, ChatRef
from channels.conformance.rig import Rig, Trouble
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from channels.reach import Pushed, Pushes
from channels.telegram.kind import TelegramKind
from core.clock import SystemClock
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
    ada: Player
    screen: Screen
    topic: tuple[Screen, int] | None = None

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

    def labels(self) -> Sequence[Sequence[str]]:
        return [[label for row in message.labels for label in row] for message in self.screen.answers]

    def menu(self) -> Sequence[str]:
        return [command.command for command in self.screen.menu]

    async def say_in_thread(self, text: str) -> None:
        forum = self.telegram.group("Workshop", [self.ada], forum=True)
        self.topic = forum.screen(self.ada), await forum.open_topic("Cogs")
        await self.topic[0].mention(text, thread=self.topic[1])

    def seen_in_thread(self) -> Sequence[str]:
        assert self.topic is not None
        return [message.text for message in self.topic[0].in_topic(self.topic[1]) if message.by_bot]

    def seen_beside(self) -> Sequence[str]:
        assert self.topic is not None
        return [message.text for message in self.topic[0].in_topic(None) if message.by_bot]

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

    async def cut(self) -> None:
        await self.telegram.go_away()

    async def mend(self) -> None:
        await self.telegram.come_back()


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
        try:
            yield TelegramRig(channel, ChatRef("tg", str(ada.id)), telegram, ada, screen), channel
        finally:
            await channel.stop()
