"""What the in-memory app tells reaches the inbox, before the app hears that it did."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from channels.base import Channel, ChatRef, Conflict, Form, Press, Sender, Sink, Update
from channels.memory.app import MemoryApp
from channels.memory.channel import STORE_RETRY, MemoryChannel
from channels.memory.chat import MemoryChat
from commands.values import ValueItem
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, StoreUnavailable, TryLater


class Inbox(Sink):
    """Stores in memory; raises `error` instead, as long as there is one."""

    def __init__(self) -> None:
        self.stored: list[str] = []
        self.is_online = False
        self.error: Exception | None = None
        self.tries = 0

    async def store(self, updates: Sequence[Update]) -> None:
        self.tries += 1
        if self.error is not None:
            raise self.error
        self.stored += [update.update_id for update in updates]

    def online(self) -> None:
        self.is_online = True

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()


class Listening:
    """A channel that listens in a task of its own."""

    def __init__(self, channel: Channel, inbox: Inbox) -> None:
        self.task = asyncio.create_task(channel.listen(inbox))

    async def __aenter__(self) -> "Listening":
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.mark.report("R031")
async def test_the_app_is_told_only_when_an_update_is_stored(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel, clock: ManualClock
) -> None:
    inbox = Inbox()
    inbox.error = StoreUnavailable("locked")
    chat.say("hello")

    async with Listening(channel, inbox):
        await clock.advance(STORE_RETRY * 2)
        waiting_while_locked = app.feed.waiting
        inbox.error = None
        await clock.advance(STORE_RETRY)

    assert inbox.is_online
    assert inbox.tries >= 3
    assert inbox.stored == [update.update_id for update in waiting_while_locked]
    assert app.feed.waiting == ()


@pytest.mark.report("R025")
async def test_what_was_not_seen_through_is_told_to_the_next_connection(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel, clock: ManualClock
) -> None:
    broken, working = Inbox(), Inbox()
    broken.error = RuntimeError("the process ends here")
    chat.say("hello")
    with pytest.raises(RuntimeError):
        await channel.listen(broken)

    async with Listening(channel, working):
        await app.feed.drained()

    assert len(working.stored) == 1


async def test_an_app_that_did_not_hear_got_it_tells_again(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel
) -> None:
    inbox = Inbox()

    async with Listening(channel, inbox):
        chat.say("one")
        chat.say("two")
        await app.feed.drained()
        app.feed.repeat(2)
        await app.feed.drained()

    first, second = inbox.stored[:2]
    assert inbox.stored == [first, second, first, second]


@pytest.mark.report("R123")
async def test_a_second_listener_takes_over(app: MemoryApp, chat: MemoryChat, channel: MemoryChannel) -> None:
    first, second = Inbox(), Inbox()

    async with Listening(channel, first) as old, Listening(channel, second):
        chat.say("hello")
        await app.feed.drained()

        with pytest.raises(Conflict):
            await old.task

    assert (len(first.stored), len(second.stored)) == (0, 1)


async def test_a_broken_connection_is_told_to_who_listens_and_to_nobody_after(
    app: MemoryApp, chat: MemoryChat, channel: MemoryChannel
) -> None:
    inbox = Inbox()
    async with Listening(channel, inbox) as listening:
        app.feed.break_off(TryLater("the line is dead"))
        with pytest.raises(TryLater):
            await listening.task

    async with Listening(channel, inbox):
        chat.say("hello")
        await app.feed.drained()

    assert len(inbox.stored) == 1


async def test_a_new_key_ends_what_the_old_one_began(
    app: MemoryApp, channel: MemoryChannel, clock: ManualClock
) -> None:
    async with Listening(channel, Inbox()) as listening:
        new = MemoryChannel("c1", app, clock, key=app.renew_key())
        with pytest.raises(Refused) as refused:
            await listening.task

    await new.start()
    with pytest.raises(Refused):
        await channel.start()
    assert refused.value.reason is RefusedReason.AUTH
