"""A Teams bot that listens, for tests of what goes over the wire."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from channels.base import OutboundMessage
from channels.conformance.rig import Ear
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from channels.teams.channel import TeamsChannel
from tests.channels.teams.teams_rig import TeamsRig, teams_rig


@dataclass
class Listening:
    """The bot, what it heard, and Ada."""

    rig: TeamsRig
    ear: Ear

    @property
    def channel(self) -> TeamsChannel:
        assert isinstance(self.rig.channel, TeamsChannel)
        return self.rig.channel

    @property
    def teams(self) -> PretendTeams:
        return self.rig.teams

    @property
    def screen(self) -> Screen:
        return self.rig.screen


@pytest.fixture
async def bot() -> AsyncIterator[Listening]:
    async with teams_rig() as rig:
        ear = Ear(rig.channel)
        task = asyncio.create_task(rig.channel.listen(ear))
        async with asyncio.timeout(5):
            await ear.is_online.wait()
        yield Listening(rig, ear)
        await rig.teams.delivered()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def words(text: str, **more: object) -> OutboundMessage:
    return OutboundMessage(text=text, fallback=text, key="k", **more)  # type: ignore[arg-type]
