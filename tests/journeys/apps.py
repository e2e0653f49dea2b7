"""One chat app after the other, so that a journey is written once and played in all.

Belongs here: how an app is pretended and connected, how a command is written there, how its people are let in, and its
groups. What only one app has belongs to that app's own tests. A further app is one more entry in `APPS`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from channels.base import ChannelKind
from channels.discord.kind import DiscordKind
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.phone import Phone
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Screen as SlackScreen
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.slack.kind import SlackKind
from channels.telegram.kind import TelegramKind
from commands.menus import native_menu
from conch.app import App
from core.clock import Clock
from core.store.channels import Channels
from tests.journeys.app_under_test import (
    AppUnderTest,
    Asked,
    Group,
    Member,
    Seen,
    finished,
    int_of,
    labels,
    now,
    pressed,
    said,
    told,
    wrongly_written,
)
from tests.journeys.teams_under_test import TeamsUnderTest, pretend_teams

__all__ = [
    "APPS",
    "IN_GROUPS",
    "AppUnderTest",
    "Asked",
    "DiscordUnderTest",
    "Group",
    "Member",
    "Seen",
    "SlackUnderTest",
    "TelegramUnderTest",
    "finished",
    "int_of",
    "labels",
    "now",
    "pressed",
    "said",
    "told",
    "under_test",
]


# ---- Telegram ------------------------------------------------------------------------------------------------------


class TelegramGroup(Group):
    def __init__(self, telegram: PretendTelegram, title: str, members: Sequence[Member]) -> None:
        self._pretend = telegram
        self._group: Any = telegram.group(title, [member.player for member in members], bots=[])
        self.id = str(self._group.id)

    async def begin(self) -> "TelegramGroup":
        await self._group.add_bot(self._pretend.bot)
        return self

    def screen(self, member: Member) -> Phone:
        screen: Phone = self._group.screen(member.player)
        return screen

    def talk(self, member: Member, question: Seen) -> Phone:
        return self.screen(member)

    async def throw_out(self) -> None:
        await self._group.remove_bot(self._pretend.bot)


class TelegramUnderTest(AppUnderTest):
    kind = "telegram"
    opens_threads = False
    has_forms = False

    def __init__(self, pretend: PretendTelegram) -> None:
        self.pretend = pretend
        self._chats: dict[str, Any] = {}

    @property
    def keys(self) -> str:
        return DEFAULT_BOT

    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        base, files = self.pretend.base_url, self.pretend.base_file_url
        return {self.kind: TelegramKind(clock, base_url=base, base_file_url=files)}

    def person(self, channel_id: str, name: str) -> Member:
        member = super().person(channel_id, name)
        self._chats[member.id] = member.player.private_chat().chat
        return member

    async def let_in(self, app: App, member: Member) -> Member:
        """By the hello link."""
        link = await app.registry.hello_link(member.channel_id)
        assert link is not None
        await member.player.private_chat().start(link.partition("?start=")[2])
        await member.chat.wait_for_answer()
        return member

    async def sees(self, chat: Phone, words: str) -> None:
        """What is written is a draft there."""
        screen: Any = chat
        await screen.wait_until(lambda: screen.draft is not None and words in screen.draft.text)

    def another_bot(self) -> tuple[Any, str]:
        token = "7000000002:" + "B" * 35
        return self.pretend.add_bot(token, "Other", "other_bot"), token

    async def told_in_group(self, group: Group, member: Member, words: str) -> str:
        """One that does not name its bot is for any bot."""
        name, _, rest = words.partition(" ")
        screen = group.screen(member)
        await screen.say(f"/{name}@{self.pretend.bot.username} {rest}".rstrip())
        return str((await screen.wait_for_answer()).text)

    def _messages(self) -> Iterator[Any]:
        rooms = (*self.pretend.world.groups.values(), *self._chats.values())
        return (message for room in rooms for message in room.messages.values())

    async def new_group(self, title: str, members: Sequence[Member]) -> Group:
        return await TelegramGroup(self.pretend, title, members).begin()


# ---- Discord -------------------------------------------------------------------------------------------------------


class DiscordGroup(Group):
    def __init__(self, discord: PretendDiscord, title: str, members: Sequence[Member]) -> None:
        self._pretend = discord
        self._server = discord.guild(title, [member.player for member in members], bots=[])
        self.id = self._server.guild.channel_named("general").id

    async def begin(self) -> "DiscordGroup":
        await self._server.add_bot(self._pretend.bot)
        return self

    def screen(self, member: Member) -> Phone:
        return self._server.screen(member.player)

    def talk(self, member: Member, question: Seen) -> Phone:
        return self._server.screen(member.player).in_thread(question)

    async def throw_out(self) -> None:
        await self._server.remove_bot(self._pretend.bot)


class DiscordUnderTest(AppUnderTest):
    kind = "discord"

    def __init__(self, pretend: PretendDiscord) -> None:
        self.pretend = pretend
        pretend.bot.allowed_intents = 0  # as it is with a new bot, which does not read on in its threads

    @property
    def keys(self) -> str:
        return str(self.pretend.bot.token)

    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        kind = DiscordKind(clock, base_url=self.pretend.base_url, gateway_url=self.pretend.gateway_url)
        return {self.kind: kind}

    async def ready(self, app: App, channel_id: str) -> None:
        """A command can be picked once Discord was told of it."""
        await super().ready(app, channel_id)
        wanted = native_menu(self.kind).digest()
        async with asyncio.timeout(10):
            while await Channels(app.database).menu_digest(channel_id) != wanted:  # noqa: ASYNC110 - a picture
                await asyncio.sleep(0.01)

    def another_bot(self) -> tuple[Any, str]:
        bot = self.pretend.add_bot("Other", "other_bot")
        return bot, bot.token

    async def told_in_group(self, group: Group, member: Member, words: str) -> str:
        """Only what works there can be picked there; anything can be typed to the bot."""
        return await group.told(member, f"/{words}")

    def _messages(self) -> Iterator[Any]:
        rooms = self.pretend.world.channels.values()
        return (message for room in rooms for message in room.messages.values())

    async def new_group(self, title: str, members: Sequence[Member]) -> Group:
        return await DiscordGroup(self.pretend, title, members).begin()


# ---- Slack ---------------------------------------------------------------------------------------------------------


class SlackThread(SlackScreen):
    """A thread of a channel, opened: what is said goes there, and only that is seen."""

    def __init__(self, screen: SlackScreen, root: str) -> None:
        super().__init__(screen.world, screen.chat, screen.person)
        self._root = root

    @property
    def messages(self) -> list[Seen]:
        return self._of_thread(super().messages)

    def _of_thread(self, messages: Sequence[Seen]) -> list[Seen]:
        return [message for message in messages if self._root in (message.id, message.thread)]

    async def say(self, text: str, *, thread: str | None = None) -> Seen:
        return await super().say(text, thread=thread or self._root)

    async def mention(self, text: str, *, thread: str | None = None) -> Seen:
        return await super().mention(text, thread=thread or self._root)


class SlackGroup(Group):
    def __init__(self, slack: PretendSlack, title: str, members: Sequence[Member]) -> None:
        self._pretend = slack
        self._room = slack.channel(title, [member.player for member in members], bots=[])
        self.id = self._room.id

    async def begin(self) -> "SlackGroup":
        await self._room.add_bot(self._pretend.bot)
        return self

    def screen(self, member: Member) -> Phone:
        return self._room.screen(member.player)

    def talk(self, member: Member, question: Seen) -> Phone:
        return SlackThread(self._room.screen(member.player), question.thread or question.id)

    async def throw_out(self) -> None:
        await self._room.remove_bot(self._pretend.bot)


class SlackUnderTest(AppUnderTest):
    kind = "slack"
    reads_on = True

    def __init__(self, pretend: PretendSlack) -> None:
        self.pretend = pretend

    @property
    def keys(self) -> str:
        return f"{self.pretend.bot.app_token}\n{self.pretend.bot.token}"

    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        return {self.kind: SlackKind(clock, base_url=self.pretend.base_url)}

    async def ready(self, app: App, channel_id: str) -> None:
        """What is said while nobody is connected is told to nobody."""
        await super().ready(app, channel_id)
        await self.pretend.connected()

    async def sees(self, chat: Phone, words: str) -> None:
        """Nothing is written in a private chat before it is done there; eyes under the question say that it is seen."""
        await chat.wait_for(
            lambda messages: any("eyes" in seen.reactions or (seen.by_bot and words in seen.text) for seen in messages)
        )

    def another_bot(self) -> tuple[Any, str]:
        bot = self.pretend.add_bot("Other")
        return bot, f"{bot.app_token} {bot.token}"

    async def type(self, chat: Phone, words: str) -> None:
        """Behind the one command that Slack lets through."""
        await chat.command(words)

    async def stop_in(self, talk: Phone) -> None:
        """Slack takes no commands in threads, so the bot is mentioned."""
        await talk.mention("/conch stop")

    def _messages(self) -> Iterator[Any]:
        rooms = self.pretend.world.chats.values()
        return (message for room in rooms for message in room.messages.values())

    async def new_group(self, title: str, members: Sequence[Member]) -> Group:
        return await SlackGroup(self.pretend, title, members).begin()


# ---- all of them ---------------------------------------------------------------------------------------------------

APPS: Mapping[str, tuple[Callable[[], Any], Callable[[Any], AppUnderTest]]] = {
    "telegram": (PretendTelegram, TelegramUnderTest),
    "discord": (PretendDiscord, DiscordUnderTest),
    "slack": (PretendSlack, SlackUnderTest),
    "teams": (pretend_teams, TeamsUnderTest),
}
"""By its name, what makes a pretend app, and what plays on it."""

IN_GROUPS = pytest.mark.parametrize("messenger", [name for name in APPS if name != "teams"], indirect=True)
"""What is about groups is played where bots are in them."""


@asynccontextmanager
async def under_test(name: str) -> AsyncIterator[AppUnderTest]:
    """A pretend app that finds nothing wrong with what the bot sends it."""
    make, play = APPS[name]
    async with make() as pretend:
        app = play(pretend)
        yield app
        assert pretend.problems == []
        assert [words for words in app.everything_said() if wrongly_written(name, words)] == []
