"""The budgets on: 60 people write 5 messages each, one after the other, and Telegram refuses what comes too fast.

The pretend Telegram's flood control takes 30 messages a second in all, and three at once and then one a second in each
chat. Shown are the pace that Conch keeps, whether the order was kept, and how many calls were refused: none should be.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import uvloop

from benchmarks import machine
from benchmarks.processes import let_in, running
from channels.emulators.telegram.api import CallRecord
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player

PATIENCE = 60.0
BURST = 30
"""What Telegram takes at once: the pace is that of what comes after."""


async def talk(player: Player, each: int) -> list[str]:
    """One person says something when what they said before is answered; what they read, in order."""
    chat = player.private_chat()
    for number in range(each):
        await chat.say(f"number {number}")
        await chat.wait_for_answer(timeout=PATIENCE)
    return [message.text for message in chat.answers]


def pace(calls: Sequence[CallRecord]) -> tuple[float, int]:
    """Messages a second after the burst, and the most that went out within one second after it."""
    times = sorted(call.at for call in calls)[BURST:]
    seconds = Counter(int(at - times[0]) for at in times)
    return (len(times) - 1) / (times[-1] - times[0]), max(seconds.values())


async def run(asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="conch-bench-", ignore_cleanup_errors=True) as folder:
        print(f"{machine.described()}; {machine.load():.1f} processes wanted it", end="; ")
        print(f"one flush {machine.flush_ms(Path(folder)):.2f} ms; synchronous FULL; budgets on, gathering off")
        async with PretendTelegram() as telegram:
            players = [telegram.person(f"Ada {number}") for number in range(asked.people)]
            given = {"BENCH_FOLDER": folder, "BENCH_BUDGETS": "1", "BENCH_TOKEN": DEFAULT_BOT}
            given["BENCH_PEOPLE"] = ",".join(str(player.id) for player in players)
            async with running(["-m", "benchmarks.bots.conch_echo"], telegram.base_url, **given) as process:
                await let_in(process)
                await telegram.bot.queue.polling.wait()
                telegram.flood.switch(True)
                begun = time.perf_counter()
                read = await asyncio.gather(*(talk(player, asked.each) for player in players))
                took = time.perf_counter() - begun
            calls = telegram.calls("sendMessage")
    wanted = [f"echo: number {number}" for number in range(asked.each)]
    rate, most = pace(calls)
    print(f"{len(calls)} answers in {took:.1f} s: after the burst {rate:.1f} a second (30 are allowed), at most {most}")
    print(f"order {'kept' if all(words == wanted for words in read) else 'NOT kept'}", end="; ")
    print(f"{telegram.flood.refused} refused (429), {sum(call.status != 200 for call in calls)} failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--each", type=int, default=5)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
