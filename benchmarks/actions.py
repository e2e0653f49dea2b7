"""How long a press takes to have its effect while 20,000 buttons could be pressed.

1,000 people have 20 messages with a button each. One after the other presses one, in an app without a network. A
command has its effect when its reply is on the screen: three transactions, for the press, for its button, which is used
up, and for the reply. Also measured: until words to say are in the log, as any other message. Run by hand:

    .venv/bin/python -m benchmarks.actions
"""

import argparse
import asyncio
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import structlog
import uvloop

from benchmarks.machine import described, flush_ms, load
from channels.actions import LabelledAction, RunCommand, SendText
from channels.base import ChatRef
from channels.composing import compose
from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.kind import MemoryKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.events import Event, UserMessage
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
    """As many messages with a button as can be pressed at once: words to say and a command in turn."""
    ref = ChatRef(channel_id, chat.id)
    for number in range(MOST_OF_SEAT):
        key = f"{chat.id}:{number}"
        action = SendText(text=f"Tell me about {number}.") if number % 2 else RunCommand(name="cancel")
        offered = app.actions.offer(ref, chat.people[0].id, key, [LabelledAction(action.kind, action)])
        posts = compose(CAPABILITIES, ref, key, "What now?", buttons=offered.buttons)
        await app.outbox.post(posts, offered.change)


class Times:
    """Seconds from presses to what came of them."""

    def __init__(self, app: App) -> None:
        self.to_log: list[float] = []
        self.to_screen: list[float] = []
        self._begun = 0.0
        app.database.on_commit(self._hear)

    def _hear(self, events: Sequence[Event]) -> None:
        if any(isinstance(event.data, UserMessage) for event in events):
            self.to_log.append(time.perf_counter() - self._begun)

    async def press(self, chat: MemoryChat, label: str) -> None:
        """Press the newest button of that kind, and wait for the bot's words."""
        button = next(message for message in reversed(chat.answers) if _label(message) == label)
        before = len(chat.answers)
        self._begun = time.perf_counter()
        chat.press(button, label)
        await chat.wait_until(lambda chat: len(chat.answers) > before)
        if label == "command":
            self.to_screen.append(time.perf_counter() - self._begun)
        await asyncio.sleep(0.01)  # the receipt is stored: not the next one's wait


def _label(message: SeenMessage) -> str | None:
    return message.buttons[0].label if message.buttons else None


def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Answer without thinking."""
    yield Text("So it is.")


async def run(folder: Path, presses: int) -> Times:
    """The times of presses by people chosen at random."""
    clock = SystemClock()
    world = MemoryApp(clock)
    home = Home(folder)
    home.prepare()
    kinds = {"memory": MemoryKind(clock, world, button_limit=8)}
    engines = [ScriptedEngine(clock, echo)]
    settings = ProgramSettings.model_validate({"messages_per_minute": 0})
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        chats = await settle_in(app, world)
        times = Times(app)
        random.Random(7).shuffle(chats)
        for number in range(presses):
            for label in ("text", "command"):
                await times.press(chats[number % PEOPLE], label)
        return times


def described_times(seconds: Sequence[float]) -> str:
    """Percentiles, in words."""
    cuts = [cut * 1e3 for cut in statistics.quantiles(seconds, n=100)]
    return f"p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms, longest {max(seconds) * 1e3:.1f} ms"


def main() -> None:
    """Measure, and say whether the goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=500, help="of each kind")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as name:
        flush = flush_ms(Path(name))
        times = uvloop.run(run(Path(name), asked.presses))
    print(f"{described()}; load {load():.1f}, one flush {flush:.2f} ms")
    print(
        f"{MOST_OF_CHANNEL:,} live buttons of {PEOPLE:,} people; {asked.presses:,} presses of each kind, one at a time"
    )
    print(f"press to effect: {described_times(times.to_screen)} (goal: p99 at most {GOAL_MS:.0f} ms)")
    print(f"press to words in the log: {described_times(times.to_log)}")


if __name__ == "__main__":
    main()
