"""What many conversations and a long log cost: memory of an idle conversation, and time per message as both grow.

In one process, over a channel that shows nothing; one message at a time, so that nothing rides along with anything.
"""

import argparse
import asyncio
import gc
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import uvloop
from sqlalchemy import text

from benchmarks import machine
from benchmarks.bots.conch_echo import BUDGETS_OFF, Echo
from benchmarks.silent import KEY, Silent, SilentKind, update
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.events import AssistantMessage
from core.store.log import Append

FEW = 4_000
"""Conversations after which caches are full: what comes on top is what a conversation costs."""

WORDS = "It is in the second drawer from the top, under the maps."
SAMPLE = 300
AT_ONCE = 50
EVENTS_AT_ONCE = 500
QUIET = 121.0
"""Seconds after which nothing is remembered any more of how fast somebody wrote."""


class Leaping(SystemClock):
    """The machine's clock, which leaps over the time in which everybody is quiet."""

    leapt = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.leapt


class Talk:
    """People who talk with one Conch."""

    def __init__(self, app: App, channel: Silent) -> None:
        self._app = app
        self._channel = channel
        self._numbers = itertools.count(1)

    async def say(self, *people: int) -> None:
        """Each of them says something; comes back when everything is answered and stored."""
        wanted = self._channel.count + len(people)
        updates = [
            update(next(self._numbers), person, "This is a message, and it wants an answer.") for person in people
        ]
        await self._app.service.receive(self._channel, updates)
        while self._channel.count < wanted:
            self._channel.said.clear()
            await self._channel.said.wait()

    async def settled(self) -> None:
        """Come back when nothing goes on any more."""
        while self._app.conversations.active:  # noqa: ASYNC110 - a bench may look now and then
            await asyncio.sleep(0.01)
        await self._app.relay.settled()

    async def timed(self, person: Callable[[int], int]) -> tuple[float, float]:
        """Milliseconds that a message takes, and microseconds of the processor: medians, and of all."""
        waits = []
        gc.collect()
        cpu = time.process_time()
        for number in range(SAMPLE):
            begun = time.perf_counter()
            await self.say(person(number))
            waits.append(time.perf_counter() - begun)
        return statistics.median(waits) * 1e3, (time.process_time() - cpu) / SAMPLE * 1e6


async def meet(app: App, talk: Talk, channel_id: str, people: range) -> None:
    """All of them are let in and say something, 50 at once."""
    for first in people[::AT_ONCE]:
        some = range(first, min(first + AT_ONCE, people.stop))
        await asyncio.gather(*(app.people.let_in(channel_id, str(one), by="bench", name="Ada") for one in some))
        await talk.say(*some)


async def lengthen(app: App, events: int) -> None:
    """One conversation gets so many events; it is the first person's."""
    [(conversation_id, _)] = await app.database.read(
        lambda connection: connection.execute(
            text("SELECT conversation_id, person_id FROM seat WHERE person_id = '1'")
        ).all()
    )
    said = AssistantMessage(
        message_id="5f0c7a3e9b1d4c8f", text="It is in the second drawer from the top, under the maps."
    )
    for _ in range(events // EVENTS_AT_ONCE):
        await app.database.commit(Append(conversation_id, (said,) * EVENTS_AT_ONCE))


def resident() -> int:
    gc.collect()
    return machine.used_by(os.getpid()).memory


async def measure(folder: Path, asked: argparse.Namespace) -> None:
    clock, kind, home = Leaping(), SilentKind(), Home(folder)
    home.prepare()
    settings = ProgramSettings.model_validate({**BUDGETS_OFF, "gather_ms": 0})
    async with composed(home, settings, clock=clock, kinds={kind.kind: kind}, engines=[Echo()]) as app:
        await app.start()
        channel_id = (await app.registry.add(kind.kind, KEY["token"])).channel_id
        assert kind.channel is not None
        talk = Talk(app, kind.channel)
        await meet(app, talk, channel_id, range(1, 2))
        await talk.timed(lambda _: 1)  # warm
        show("1 conversation", one := await talk.timed(lambda _: 1), one)

        await meet(app, talk, channel_id, range(2, FEW))
        await talk.settled()
        clock.leapt += QUIET
        few = resident()
        await meet(app, talk, channel_id, range(FEW, asked.conversations))
        await talk.settled()
        clock.leapt += QUIET
        each = (resident() - few) / (asked.conversations - FEW)
        many = await talk.timed(lambda number: 2 + number * 31 % (asked.conversations - 2))
        show(f"{asked.conversations:,} conversations", many, one)
        again = await talk.timed(lambda _: 1)
        show("… again in the first", again, one)

        await lengthen(app, asked.events)
        begun = time.perf_counter()
        await talk.say(1)
        took = time.perf_counter() - begun
        print(f"the first message after {asked.events:,} events that its engine missed: {took:.1f} s")
        show(f"{asked.events:,} events in the log of the first", await talk.timed(lambda _: 1), again)
        print(f"memory of an idle conversation: {each:,.0f} bytes (goal ≤ 1,024)")
        await app.drain()


def show(what: str, now: tuple[float, float], before: tuple[float, float]) -> None:
    growth = f"{now[0] / before[0]:.2f} × and {now[1] / before[1]:.2f} ×"
    print(f"{what:45} {now[0]:6.2f} ms, {now[1]:6,.0f} µs CPU a message  ({growth}; goal ≤ 1.2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=200_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as name:
        folder = Path(name)
        print(f"{machine.described()}; {machine.load():.1f} processes wanted it", end="; ")
        print(f"one flush {machine.flush_ms(folder):.2f} ms; synchronous FULL; budgets and gathering off")
        uvloop.run(measure(folder, asked))


if __name__ == "__main__":
    main()
