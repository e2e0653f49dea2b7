"""The program as people run it, `conch serve` with default settings: how soon it answers, what it takes when idle.

A bot is connected and its owner let in; while the program is down the owner writes, then it is started: `/help`, a
message that the built-in demo answers, and one that the model of a connected server answers, whose first words take
50 ms by themselves. Warm disk: the program ran before.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import uvloop

from benchmarks import machine
from benchmarks.model_server import FEW, model_server
from benchmarks.people import FIRST_PERSON, People
from benchmarks.processes import Process, ended_well, running
from benchmarks.wire import TOKEN, Wire

CONCH = ("-m", "conch")
IDLE_SECONDS = 10.0


class Program:
    """One data folder, and the Bot API that its bot is connected to."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.variables = {
            "CONCH_HOME": str(folder / "home"),
            "CONCH_TELEGRAM_BASE_URL": url,
            "CONCH_TELEGRAM_BASE_FILE_URL": url,
            "CONCH_PORT": "0",
        }

    async def command(self, *words: str) -> None:
        """One of the owner's commands, with no server running."""
        await ended_well([*CONCH, *words], self.url, **self.variables)

    async def set_up(self, wire: Wire, people: People) -> None:
        """Connect the bot and let its owner in, who has written to it."""
        await self.command("channels", "add", "telegram", TOKEN)
        async with running([*CONCH, "serve"], self.url, **self.variables):
            await wire.waiting.wait()
            await people.in_turn(1, 1, words="Hello?")
        await self.command("people", "let-in", str(FIRST_PERSON))


async def first_answer(program: Program, wire: Wire, people: People, words: str) -> tuple[float, float]:
    """Seconds from the start to the call that shows the first words of the answer, and of the processor until then.

    The message waits when it starts.
    """
    wire.forget()
    async with running([*CONCH, "serve"], program.url, **program.variables) as process:
        saying = asyncio.create_task(people.in_turn(1, 1, words=words))
        await people.shown(1)
        used = process.used().cpu
        outcome = await saying
        assert not outcome.lost, process.complained()
        return outcome.first_words[0], used


async def idle(program: Program, wire: Wire, people: People) -> tuple[float, float]:
    """Memory in MiB, and the share of a processor, of a program that answered something and has nothing to do."""
    wire.forget()
    async with running([*CONCH, "serve"], program.url, **program.variables) as process:
        await wire.waiting.wait()
        await people.in_turn(1, 1, words="/help")
        await asyncio.sleep(3)
        return await _idle(process)


async def _idle(process: Process) -> tuple[float, float]:
    before, begun = process.used(), time.perf_counter()
    await asyncio.sleep(IDLE_SECONDS)
    used = process.used()
    return used.memory / machine.MIB, (used.cpu - before.cpu) / (time.perf_counter() - begun)


async def run(asked: argparse.Namespace) -> None:
    wire = Wire()
    people = People(wire, 1)
    with tempfile.TemporaryDirectory(prefix="conch-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        print(f"{machine.described()}; {machine.load():.1f} processes wanted it", end="; ")
        print(f"one flush {machine.flush_ms(folder):.2f} ms; default settings")
        program = Program(folder, await wire.start())
        await program.set_up(wire, people)
        measured = partial(measure, program, wire, people, asked.rounds)
        await measured("/help", "What can you do?")
        async with model_server() as url:
            await program.command("engines", "add", "compatible", "--url", url, "--model", FEW)
            await measured("/help", "What is in the drawer?", above="with a model server connected, ")
        await wire.stop()


async def measure(program: Program, wire: Wire, people: People, rounds: int, *all_words: str, above: str = "") -> None:
    """Print how soon it answers each of these, and what it takes afterwards."""
    for words in all_words:
        starts = [await first_answer(program, wire, people, words) for _ in range(rounds)]
        times, cpu = zip(*starts, strict=True)
        shown = f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"
        shown += f", {statistics.median(cpu):.2f} s of it CPU"
        print(f"{above}start to the first words of the answer to {words!r}: {shown}  (goal ≤ 1.5)")
    memory, share = await idle(program, wire, people)
    print(f"{above}idle, Telegram and web on: {memory:.0f} MiB (goal ≤ 110), {share:.1%} of a processor (goal 0 %)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
