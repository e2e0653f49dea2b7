"""Buttons that come after their message: shown by an edit, and never once they are over."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.actions import LASTS, ChatActions, LabelledAction, SendText
from channels.base import ChatRef
from channels.composing import compose
from channels.fading import SOON, Fading
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.faults import Call
from channels.outbox import Outbox
from channels.rates import Rates
from channels.showing import AGAIN, Late
from core.checkpoints import NO_CHECKPOINTS
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater
from core.store.actions import UNDER_CHIPS, ActionRows, CloseSet
from core.store.database import Database
from tests.core.lives import until

KEY = "chat:1:0"


class Desk:
    """Ada's chat with a bot that says something and only then offers buttons under it."""

    def __init__(self, database: Database, clock: ManualClock) -> None:
        self.database, self.clock = database, clock
        self.app = MemoryApp(clock)
        self.ada = self.app.private_chat("Ada")
        self.channel = MemoryChannel("c1", self.app, clock, key=self.app.key, button_limit=8)
        self.outbox = Outbox(database=database, clock=clock, checkpoints=NO_CHECKPOINTS, owner="this life")
        self.fading = Fading(database, self.outbox, clock)

    async def connect(self) -> None:
        await self.outbox.connect(self.channel, Rates(self.channel.capabilities.pace, self.clock))
        self.outbox.open("c1")

    async def offer(self) -> Late:
        """Say something, and put buttons under it that are still to be shown."""
        chat = ChatRef("c1", self.ada.id)
        key = f"{KEY}{UNDER_CHIPS}"
        offered = ChatActions(self.database, self.clock).offer(
            chat, self.ada.id, key, [LabelledAction("Go", SendText(text="go"))]
        )
        await self.outbox.post(compose(self.channel.capabilities, chat, KEY, "hello"), offered.change)
        await until(lambda: self.ada.texts)
        return Late(KEY, chat, offered.buttons, offered.change)

    async def passes(self, seconds: float) -> None:
        """Let time go by until the task that shows and fades sleeps again."""
        await self.clock.advance(seconds)
        await until(lambda: self.clock.sleeping)

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.ada.answers[0].buttons]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = ManualClock()
    database = await Database.open(f"sqlite:///{tmp_path / 'conch.sqlite'}", clock)
    desk = Desk(database, clock)
    await desk.connect()
    desk.fading.start()
    yield desk
    await desk.fading.close()
    await desk.outbox.settle(0)
    await database.close()


async def shown(desk: Desk) -> None:
    """Let the clock go on until the buttons are there."""
    for _ in range(5):
        await desk.passes(AGAIN.total_seconds())
    await until(lambda: desk.labels == ["Go"])


async def test_they_are_put_under_what_was_said(desk: Desk) -> None:
    late = await desk.offer()

    desk.fading.show(late)
    await shown(desk)

    assert desk.ada.texts == ("hello",)


async def test_an_app_that_wants_to_wait_is_asked_again(desk: Desk) -> None:
    late = await desk.offer()
    desk.app.faults.add(Call.EDIT, TryLater("slow down", retry_after=2), times=1)

    desk.fading.show(late)
    await shown(desk)

    assert desk.ada.answers[0].edits == 1


async def test_an_app_that_never_will_is_left_alone(desk: Desk) -> None:
    late = await desk.offer()
    desk.app.faults.add(Call.EDIT, Refused("no", RefusedReason.GONE), times=1)

    desk.fading.show(late)
    await desk.passes(10 * SOON.total_seconds())
    await desk.passes(2 * AGAIN.total_seconds())

    assert desk.labels == []


async def test_what_something_newer_took_away_meanwhile_is_not_shown(desk: Desk) -> None:
    late = await desk.offer()
    await desk.database.commit(CloseSet(f"{KEY}{UNDER_CHIPS}"))

    desk.fading.show(late)
    await desk.passes(2 * AGAIN.total_seconds())

    assert desk.labels == []
    assert await ActionRows(desk.database).open_under(UNDER_CHIPS) == ()


async def test_the_buttons_go_from_the_message_when_their_time_is_over(desk: Desk) -> None:
    desk.fading.show(await desk.offer())
    await shown(desk)

    await desk.passes(LASTS.total_seconds())
    await until(lambda: desk.labels == [])

    assert desk.ada.texts == ("hello",)
