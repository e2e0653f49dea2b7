"""The Slack adapter, listening to the pretend Slack, for tests of what goes over the wire."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from channels.base import ChatRef, Identity, Update
from channels.conformance.rig import Ear
from channels.emulators.slack.api import Judge
from channels.emulators.slack.envelopes import Envelope
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Player, Screen
from channels.slack.channel import SlackChannel
from channels.slack.kind import SlackKind
from core.clock import Clock
from tests.journeys.living import FastClock


class BriskClock(FastClock):
    """For a pretend Slack that is to give up waiting: its three seconds are short, and still enough for an answer."""

    SPEED = 20.0


class LiveEar(Ear):
    """An ear that can be kept from storing for as long as a test wants, and that finds fault with forms."""

    def __init__(self, channel: SlackChannel) -> None:
        super().__init__(channel)
        self.may_store = asyncio.Event()
        self.may_store.set()
        self.was_asked = asyncio.Event()

    async def store(self, updates: Sequence[Update]) -> None:
        self.was_asked.set()
        await self.may_store.wait()
        await super().store(updates)


@dataclass
class Connected:
    """One bot that listens, and Ada."""

    channel: SlackChannel
    slack: PretendSlack
    ada: Player
    screen: Screen
    ear: LiveEar
    clock: FastClock

    @property
    def chat(self) -> ChatRef:
        return ChatRef("sl", self.ada.id)

    async def settled(self) -> None:
        """Everything that is on its way was acknowledged."""
        for envelope in self.slack.envelopes():
            await self.acknowledged(envelope)

    async def acknowledged(self, envelope: Envelope) -> None:
        """This was acknowledged."""
        await self.screen.wait_until(lambda: envelope.acked)


@asynccontextmanager
async def connected(judge: Judge | None = None, *, slack_time: Clock | None = None) -> AsyncIterator[Connected]:
    """Waits of the adapter's are short; Slack's own time is the machine's, unless it is given."""
    clock = FastClock()
    async with PretendSlack(clock=slack_time, judge=judge) as slack:
        channel = channel_of(slack, clock)
        await channel.start()
        ear = LiveEar(channel)
        listening = asyncio.create_task(channel.listen(ear))
        async with asyncio.timeout(5):
            await ear.is_online.wait()
        ada = slack.person("Ada")
        yield Connected(channel, slack, ada, ada.private_chat(), ear, clock)
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await channel.stop()


def channel_of(slack: PretendSlack, clock: Clock, **keys: str) -> SlackChannel:
    """The shipped adapter, with the bot's own keys unless others are given."""
    kind = SlackKind(clock, base_url=slack.base_url, console="https://conch.example")
    credentials = {"bot_token": slack.bot.token, "app_token": slack.bot.app_token, **keys}
    channel = kind.connect("sl", credentials, Identity(slack.bot.user_id, "Pretend"))
    assert isinstance(channel, SlackChannel)
    return channel
