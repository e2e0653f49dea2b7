"""A bot connected to the pretend Telegram: the shipped adapter on one side of real sockets, people on the other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from channels.base import ChatRef, Edited, Form, Inbound, InboundMessage, Press, Sender, Update
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from channels.telegram.channel import TelegramChannel
from channels.telegram.kind import TelegramKind
from commands.values import ValueItem
from core.clock import Clock, SystemClock

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds of real time after which a test that waits for something has failed."""


@dataclass
class Ear:
    """A sink that keeps what came in, and wakes whoever waits for it."""

    channel: TelegramChannel
    updates: list[Update] = field(default_factory=list)
    heard: list[Inbound] = field(default_factory=list)
    is_online: asyncio.Event = field(default_factory=asyncio.Event)
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def store(self, updates: Sequence[Update]) -> None:
        async with self._more:
            self.updates.extend(updates)
            for update in updates:
                self.heard.extend(self.channel.parse(update.payload))
            self._more.notify_all()

    def online(self) -> None:
        self.is_online.set()

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()

    async def next(self, kind: type[T], which: Callable[[T], bool] = lambda _: True) -> T:
        """The newest thing of this kind that fits; waited for."""

        def found() -> T | None:
            return next((item for item in reversed(self.heard) if isinstance(item, kind) and which(item)), None)

        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(lambda: found() is not None)
        item = found()
        assert item is not None
        return item

    async def message(self, text: str) -> InboundMessage:
        return await self.next(InboundMessage, lambda message: message.text == text)

    async def edited(self, text: str) -> InboundMessage:
        return (await self.next(Edited, lambda edit: edit.message.text == text)).message

    async def press(self) -> Press:
        return await self.next(Press)


@dataclass
class Connected:
    """Ada wrote to the bot once, so it may write to her."""

    telegram: PretendTelegram
    kind: TelegramKind
    channel: TelegramChannel
    ear: Ear
    ada: Player
    chat: Screen


@asynccontextmanager
async def connect(telegram: PretendTelegram, clock: Clock | None = None) -> AsyncIterator[Connected]:
    """A started channel that does not listen yet."""
    kind = TelegramKind(clock or SystemClock(), base_url=telegram.base_url, base_file_url=telegram.base_file_url)
    credentials = kind.find_credentials(telegram.bot.token)
    assert credentials is not None
    channel = kind.connect("tg", credentials, await kind.check(credentials))
    assert isinstance(channel, TelegramChannel)
    await channel.start()
    ada = telegram.person("Ada", username="ada")
    chat = ada.private_chat()
    await chat.start()
    yield Connected(telegram, kind, channel, Ear(channel), ada, chat)
    await channel.stop()


@asynccontextmanager
async def listening(connected: Connected) -> AsyncIterator[Ear]:
    """The channel receives for the length of a block."""
    task = asyncio.create_task(connected.channel.listen(connected.ear))
    await connected.ear.message("/start")
    yield connected.ear
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
