"""What every promise is made of: its shape, how it says that it does not concern an adapter, and how one is tried."""

import asyncio
import re
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from channels.base import Button, MessageRef, OutboundMessage, Sink
from channels.conformance.abilities import without
from channels.conformance.rig import Ear, Rig
from channels.outbox import message_of
from core.errors import TryLater
from core.store.outbox import Post

Promise = Callable[[Rig], Awaitable[None]]
"""Raises `AssertionError` where it is broken, `NotAsked` where it says nothing about this adapter."""

PATIENCE: Final = 10.0
"""Real seconds that something may take; only a broken adapter ever takes them."""

_MOMENT: Final = 0.05
"""Real seconds until something is tried again."""


class NotAsked(Exception):
    """A promise does not concern this adapter. The message says why, and what Conch does instead."""


def lacking(ability: object) -> NotAsked:
    """The adapter does not have this ability, so nothing about it is promised."""
    return NotAsked(f"no {getattr(ability, '__name__', ability)}; instead: {without(ability)}")


def unfit(rig: Rig, part: object, ability: object) -> AssertionError:
    """The adapter has an ability that cannot be tried: that is a fault of the rig, never a reason to look away."""
    name = getattr(part, "__name__", part)
    return AssertionError(f"{type(rig).__name__} must also be a {name}: the adapter has {ability}")


# ---- saying ----------------------------------------------------------------------------------------------------------


def words(text: str, *buttons: Button) -> OutboundMessage:
    """A message that says this."""
    return OutboundMessage(text=text, fallback=text, key=f"key of {text}", buttons=buttons)


async def deliver(rig: Rig, posts: Sequence[Post]) -> tuple[MessageRef, ...]:
    """Send what was composed, as the outbox does: in order, and again where the app is busy."""
    return tuple([await patiently_sent(rig, message_of(post)) for post in posts])


async def patiently_sent(rig: Rig, message: OutboundMessage) -> MessageRef:
    """Send it as soon as the app takes it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await rig.channel.send(rig.chat, message)
            except TryLater:
                await asyncio.sleep(_MOMENT)


def letters(text: str) -> list[str]:
    """The words of a text, without signs and spaces: what must arrive, however an app draws it."""
    return re.findall(r"\w+", text.lower().replace("_", " "))


# ---- hearing ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def listening(rig: Rig) -> AsyncIterator[Ear]:
    """For the length of a block, somebody who keeps what comes in; a connection that breaks is the end of it."""
    ear = Ear(rig.channel)
    async with _doing(rig.channel.listen(ear)):
        async with asyncio.timeout(PATIENCE):
            await ear.is_online.wait()
            yield ear


@asynccontextmanager
async def always_listening(rig: Rig) -> AsyncIterator[Ear]:
    """The same, where a broken connection is taken up anew, as the supervisor does."""
    ear = Ear(rig.channel)
    async with _doing(_again_and_again(rig, ear)):
        async with asyncio.timeout(PATIENCE):
            await ear.is_online.wait()
            yield ear


async def _again_and_again(rig: Rig, sink: Sink) -> None:
    while True:
        with suppress(TryLater):
            await rig.channel.listen(sink)
        await asyncio.sleep(_MOMENT)


@asynccontextmanager
async def _doing(work: Awaitable[None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


# ---- errors ----------------------------------------------------------------------------------------------------------


def all_that_is_told(error: BaseException) -> str:
    """Everything that a log could show of an error, and of those behind it."""
    return f"{error!r}\n" + "".join(traceback.format_exception(error))
