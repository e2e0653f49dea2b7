"""A bot connected to the pretend Discord: the shipped adapter on one side of real sockets, people on the other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from channels.base import ChatRef, Form, Inbound, InboundMessage, OutboundMessage, Press, Sender, Update
from channels.discord.channel import DiscordChannel
from channels.discord.kind import DiscordKind
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Player, Screen
from commands.values import ValueItem
from core.clock import Clock
from core.errors import TryLater
from tests.journeys.living import FastClock

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds of real time after which a test that waits for something has failed."""

SEND = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
ANSWER = "POST /interactions/{interaction_id}/{interaction_token}/callback"


@dataclass
class Ear:
    """A sink that keeps what came in, and wakes whoever waits for it. `held`: nothing is stored until it is set."""

    channel: DiscordChannel
    updates: list[Update] = field(default_factory=list)
    heard: list[Inbound] = field(default_factory=list)
    forms: dict[str, Form] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    words: dict[str, Sequence[ValueItem]] = field(default_factory=dict)
    completing: list[tuple[ChatRef, Sender, str]] = field(default_factory=list)
    is_mute: bool = False
    onlines: int = 0
    held: asyncio.Event | None = None
    full: bool = False
    offered: int = 0
    is_online: asyncio.Event = field(default_factory=asyncio.Event)
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def store(self, updates: Sequence[Update]) -> None:
        self.offered += 1
        if self.held is not None:
            await self.held.wait()
        if self.full:
            raise TryLater("The disk is full.")
        async with self._more:
            self.updates.extend(updates)
            for update in updates:
                self.heard.extend(self.channel.parse(update.payload))
            self._more.notify_all()

    def online(self) -> None:
        self.onlines += 1
        self.is_online.set()

    async def form(self, press: Press) -> Form | None:
        return self.forms.get(press.token)

    async def faults(self, press: Press) -> Mapping[str, str]:
        return self.wrong

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        self.completing.append((chat, sender, command))
        if self.is_mute:
            await asyncio.Event().wait()
        return self.words.get(command, ())

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

    async def press(self) -> Press:
        return await self.next(Press)

    @property
    def texts(self) -> list[str]:
        return [item.text for item in self.heard if isinstance(item, InboundMessage)]


@dataclass
class Connected:
    """Ada's private chat with the bot, and `room`, as Conch names it."""

    discord: PretendDiscord
    kind: DiscordKind
    channel: DiscordChannel
    ear: Ear
    ada: Player
    chat: Screen

    @property
    def room(self) -> ChatRef:
        return ChatRef("dc", self.ada.id)


@asynccontextmanager
async def connect(discord: PretendDiscord, clock: Clock | None = None) -> AsyncIterator[Connected]:
    """A started channel that does not listen yet."""
    kind = DiscordKind(clock or FastClock(), base_url=discord.base_url, gateway_url=discord.gateway_url)
    credentials = kind.find_credentials(discord.bot.token)
    assert credentials is not None
    channel = kind.connect("dc", credentials, await kind.check(credentials))
    assert isinstance(channel, DiscordChannel)
    await channel.start()
    ada = discord.person("Ada", username="ada")
    yield Connected(discord, kind, channel, Ear(channel), ada, ada.private_chat())
    await channel.stop()


@asynccontextmanager
async def listening(connected: Connected) -> AsyncIterator[Ear]:
    """The channel receives for the length of a block."""
    ear = connected.ear
    ear.is_online.clear()
    task = asyncio.create_task(connected.channel.listen(ear))
    online = asyncio.create_task(ear.is_online.wait())
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait({task, online}, return_when=asyncio.FIRST_COMPLETED)
    online.cancel()
    if task.done():
        task.result()
    yield ear
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def words(text: str, key: str = "", **more: object) -> OutboundMessage:
    """A message of these words."""
    return OutboundMessage(text, text, key or f"key of {text}", **more)  # type: ignore[arg-type]
