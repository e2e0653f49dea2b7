"""What Conch adds to a model: a scripted one whose first words come after 50 ms and whose whole answer takes 450 ms.

`first words` is from the update to the first call that shows any of the answer, less the 50 ms; `whole turn` from the
update to the call that says the answer, less the 450 ms. One chat, one turn after another; then 50 chats at once.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvloop

from benchmarks import machine
from benchmarks.bots.conch_echo import FIRST_WORDS, WHOLE_ANSWER
from benchmarks.people import People, person_ids
from benchmarks.processes import bot
from benchmarks.wire import Wire

CHATS = 50


def milliseconds(waits: Sequence[float], own: float) -> str:
    """The median and the 95th percentile of what was added to the model's own time."""
    cuts = statistics.quantiles(waits, n=100)
    return f"p50 {(cuts[49] - own) * 1e3:6.1f} ms, p95 {(cuts[94] - own) * 1e3:6.1f} ms"


async def run(asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as folder:
        print(f"{machine.described()}; {machine.load():.1f} processes wanted it", end="; ")
        print(f"one flush {machine.flush_ms(Path(folder)):.2f} ms; synchronous FULL; budgets and gathering off")
    wire = Wire()
    people = People(wire, CHATS)
    async with bot("conch_echo", wire, person_ids(CHATS), BENCH_MODEL="1") as process:
        await people.in_turn(CHATS, 1)  # warm
        await asyncio.sleep(1)
        alone = await people.in_turn(1, asked.turns)
        before = process.used().cpu
        together = await people.in_turn(CHATS, asked.turns // 4)
        cpu = (process.used().cpu - before) / together.messages
    print(f"one chat     first words {milliseconds(alone.first_words, FIRST_WORDS)}  (goal p50 ≤ 15 ms)")
    print(f"             whole turn  {milliseconds(alone.waits, WHOLE_ANSWER)}  (goal p50 ≤ 15 ms)  {alone.faults}")
    print(f"{CHATS} chats     first words {milliseconds(together.first_words, FIRST_WORDS)}")
    print(f"             whole turn  {milliseconds(together.waits, WHOLE_ANSWER)}  {together.faults}")
    print(f"             {together.rate:.0f} answered/s of {CHATS / WHOLE_ANSWER:.0f} possible (goal ≥ 45)", end=", ")
    print(f"{cpu * 1e3:.1f} ms CPU a turn, {together.calls / together.messages:.2f} calls a turn")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=40, help="in the one chat; a quarter as many in each of the 50")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
