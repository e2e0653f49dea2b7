"""How long a press takes to have its effect while 20,000 buttons could be pressed.

1,000 people have 20 messages with a button each. One after the other presses one: from the press in the app, through
the inbox, the claim and the command, to its reply in the app. No network is in between. Run by hand:

    .venv/bin/python -m benchmarks.actions
"""

import argparse
import asyncio
import logging
import random
import statistics
import tempfile
import time
from pathlib import Path

import structlog
import uvloop

from benchmarks.machine import described, flush_ms, load
from channels.actions import LabelledAction, RunCommand
from channels.base import ChatRef
from channels.composing import compose
from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES
from channels.memory.chat import MemoryChat
from channels.memory.kind import MemoryKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.engines.demo.engine import DemoEngine
from core.store.actions import MOST_OF_CHANNEL, MOST_OF_SEAT

GOAL_MS = 3.0
"""What 99 of 100 presses may take at most."""

PEOPLE = MOST_OF_CHANNEL // MOST_OF_SEAT


async def settle_in(app: App, world: MemoryApp) -> list[MemoryChat]:
    """Connect the bot, let everybody in, and offer each as many actions as a seat can have."""
    channel_id = (await app.registry.add("memory", world.key)).channel_id
    chats = [world.private_chat(f"Person {number}") for number in range(PEOPLE)]
    for chat in chats:
        person = chat.people[0]
        await app.people.let_in(channel_id, person.id, by="bench", name=person.name)
    await asyncio.gather(*(offer(app, channel_id, chat) for chat in chats))
    for chat in chats:
        await chat.wait_until(lambda chat: len(chat.answers) == MOST_OF_SEAT, within=120)
    return chats


async def offer(app: App, channel_id: str, chat: MemoryChat) -> None:
    """As many messages with a button as can be pressed at once."""
    ref = ChatRef(channel_id, chat.id)
    for number in range(MOST_OF_SEAT):
        key = f"{chat.id}:{number}"
        action = LabelledAction("Help", RunCommand(name="help"))
        offered = app.actions.offer(ref, chat.people[0].id, key, [action])
        posts = compose(CAPABILITIES, ref, key, "Help?", buttons=offered.buttons)
        await app.outbox.post(posts, offered.change)


async def press(chat: MemoryChat) -> float:
    """Press the newest button; seconds until the reply is there."""
    message = next(message for message in reversed(chat.answers) if message.buttons)
    before = len(chat.answers)
    begun = time.perf_counter()
    chat.press(message, "Help")
    await chat.wait_until(lambda chat: len(chat.answers) > before)
    return time.perf_counter() - begun


async def run(folder: Path, presses: int) -> list[float]:
    """The times of presses by people chosen at random."""
    clock = SystemClock()
    world = MemoryApp(clock)
    home = Home(folder)
    home.prepare()
    kinds = {"memory": MemoryKind(clock, world, button_limit=8)}
    engines = [DemoEngine(clock, "wait", pace=0)]
    async with composed(home, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        chats = await settle_in(app, world)
        chance = random.Random(7)
        await press(chats[0])
        times = []
        for _ in range(presses):
            times.append(await press(chance.choice(chats[1:])))
            await asyncio.sleep(0.005)  # what follows (a receipt, the button taken away) is not the next one's wait
        return times


def main() -> None:
    """Measure, and say whether the goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=1_000)
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as name:
        flush = flush_ms(Path(name))
        times = uvloop.run(run(Path(name), asked.presses))
    cuts = [cut * 1e3 for cut in statistics.quantiles(times, n=100)]
    print(f"{described()}; load {load():.1f}, one flush {flush:.2f} ms")
    print(f"{MOST_OF_CHANNEL:,} live buttons of {PEOPLE:,} people; {len(times):,} presses, one after the other")
    print(f"press to reply: p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms, longest {max(times) * 1e3:.1f} ms")
    print(f"goal: p99 at most {GOAL_MS:.0f} ms: {'reached' if cuts[98] <= GOAL_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
