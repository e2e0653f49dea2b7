"""A pretend Discord with people in it, the real SDK as its bot, and the bare wire without any SDK."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Player, Screen
from channels.emulators.discord.server import Server
from core.clock import ManualClock


class SdkBot(discord.Client):
    """The SDK, which keeps what it is told until a test asks for it."""

    def __init__(self, *, content: bool = True, patience: float = 60.0) -> None:
        intents = discord.Intents.default()
        intents.message_content = content
        super().__init__(
            intents=intents, guild_ready_timeout=0.01, max_ratelimit_timeout=30, heartbeat_timeout=patience
        )
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    async def on_ready(self) -> None:
        self.told.put_nowait(("ready", None))

    async def on_resumed(self) -> None:
        self.told.put_nowait(("resumed", None))

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.told.put_nowait(("message", message))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self.told.put_nowait(("interaction", interaction))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        self.told.put_nowait(("joined", guild))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self.told.put_nowait(("left", guild))

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        self.told.put_nowait(("reaction", str(reaction.emoji)))

    @property
    def me(self) -> discord.ClientUser:
        """Itself, once it is in."""
        assert self.user is not None
        return self.user

    async def next(self, kind: str) -> Any:
        """What it is told next of this kind; other things are left out."""
        async with asyncio.timeout(5):
            while True:
                found, what = await self.told.get()
                if found == kind:
                    return what

    async def heard(self) -> str:
        """The words of the next message."""
        message: discord.Message = await self.next("message")
        return message.content


Online = Callable[..., AbstractAsyncContextManager[SdkBot]]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any
    headers: Any

    @property
    def code(self) -> int:
        """Discord's own code."""
        code: int = self.body["code"]
        return code


class Wire:
    """Calls as JSON without any SDK in between."""

    def __init__(self, session: aiohttp.ClientSession, pretend: PretendDiscord) -> None:
        self._session = session
        self._pretend = pretend

    async def __call__(self, method: str, path: str, body: object = None, *, token: str | None = None) -> Answer:
        headers = {"Authorization": f"Bot {token or self._pretend.bot.token}"}
        url = self._pretend.base_url + path
        async with self._session.request(method, url, json=body, headers=headers) as response:
            raw = await response.read()
            json = await response.json() if raw and response.content_type == "application/json" else raw.decode()
            return Answer(response.status, json, response.headers)

    async def say(self, screen: Screen, **body: object) -> Answer:
        return await self("POST", f"/channels/{screen.channel.id}/messages", body)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def pretend(clock: ManualClock) -> AsyncIterator[PretendDiscord]:
    async with PretendDiscord(clock=clock) as pretend:
        yield pretend


@pytest.fixture
def ada(pretend: PretendDiscord) -> Player:
    return pretend.person("Ada")


@pytest.fixture
def bob(pretend: PretendDiscord) -> Player:
    return pretend.person("Bob")


@pytest.fixture
def chat(ada: Player) -> Screen:
    """Ada's private chat with the bot."""
    return ada.private_chat()


@pytest.fixture
def team(pretend: PretendDiscord, ada: Player, bob: Player) -> Server:
    """A server with both of them and the bot."""
    return pretend.guild("Team", [ada, bob])


@pytest.fixture
def room(team: Server, ada: Player) -> Screen:
    """The server's channel as Ada has it open."""
    return team.screen(ada)


@pytest.fixture
async def wire(pretend: PretendDiscord) -> AsyncIterator[Wire]:
    async with aiohttp.ClientSession() as session:
        yield Wire(session, pretend)


@pytest.fixture
def online(pretend: PretendDiscord, monkeypatch: pytest.MonkeyPatch) -> Online:
    """The SDK as anyone would set it up, connected for the length of a block. Its addresses are process-wide."""
    monkeypatch.setattr(Route, "BASE", pretend.base_url)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(pretend.gateway_url))

    @asynccontextmanager
    async def online(*, content: bool = True, patience: float = 60.0) -> AsyncIterator[SdkBot]:
        bot = SdkBot(content=content, patience=patience)
        running = asyncio.create_task(bot.start(pretend.bot.token))
        ready = asyncio.create_task(bot.next("ready"))
        try:
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
            yield bot
        finally:
            ready.cancel()
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)

    return online


@pytest.fixture
async def bot(online: Online) -> AsyncIterator[SdkBot]:
    async with online() as bot:
        yield bot
