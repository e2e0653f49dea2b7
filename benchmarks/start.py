"""The program as people run it, `conch serve` with default settings: how soon it answers, what it takes when idle.

A bot is connected and its owner let in; while the program is down the owner writes, then it is started: `/help`, and a
message that the built-in demo answers. Warm disk: the program ran before.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import uvloop

from benchmarks import machine
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


async def first_answer(program: Program, wire: Wire, people: People, words: str) -> float:
    """Seconds from the start to the call that shows the first words of the answer; the message waits by then."""
    wire.forget()
    async with running([*CONCH, "serve"], program.url, **program.variables) as process:
        outcome = await people.in_turn(1, 1, words=words)
        assert not outcome.lost, process.complained()
        return outcome.first_words[0]


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
        for words in ("/help", "What can you do?"):
            times = [await first_answer(program, wire, people, words) for _ in range(asked.rounds)]
            shown = f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"
            print(f"start to the first words of the answer to {words!r}: {shown}  (goal ≤ 1.5)")
        memory, share = await idle(program, wire, people)
        print(f"idle, Telegram and web on: {memory:.0f} MiB (goal ≤ 110), {share:.1%} of a processor (goal 0 %)")
        await wire.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
