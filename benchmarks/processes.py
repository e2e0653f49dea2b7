"""A bot in a process of its own: started, looked at, ended."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from benchmarks.machine import Used, used_by
from benchmarks.wire import TOKEN, Wire

ROOT = Path(__file__).resolve().parent.parent
END_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Process:
    """A bot that runs."""

    process: asyncio.subprocess.Process
    complaints: IO[bytes]
    """What it wrote to standard error."""

    def used(self) -> Used:
        """Processor time and memory so far."""
        return used_by(self.process.pid)

    async def said(self, word: str) -> str:
        """Wait for a line of its output that has this word in it.

        Raises:
            RuntimeError: it ended instead.
        """
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            if word in (text := line.decode().strip()):
                return text
        raise self.ended()

    def complained(self) -> str:
        """The end of what it wrote to standard error."""
        self.complaints.seek(0)
        return self.complaints.read().decode()[-3_000:]

    def ended(self) -> RuntimeError:
        """What to raise where it ended too early."""
        return RuntimeError(f"a bot ended instead of going on:\n{self.complained()}")


@asynccontextmanager
async def running(command: Sequence[str], url: str, **environment: str) -> AsyncIterator[Process]:
    """Python with these arguments, for the length of a block, which is broken off where the process ends before it.

    Raises:
        RuntimeError: it ended.
    """
    async with _begun(command, url, **environment) as process:
        try:
            async with asyncio.timeout(None) as block:
                watch = asyncio.create_task(_break_off(block, process), name="watch a process")
                try:
                    yield process
                finally:
                    watch.cancel()
        except TimeoutError:
            if block.expired():
                raise process.ended() from None
            raise


async def _break_off(block: asyncio.Timeout, process: Process) -> None:
    await process.process.wait()
    block.reschedule(0.0)


@asynccontextmanager
async def _begun(command: Sequence[str], url: str, **environment: str) -> AsyncIterator[Process]:
    """The same, of a process that may end when it likes."""
    variables: Mapping[str, str] = {"BENCH_URL": url, "BENCH_TOKEN": TOKEN, **environment}
    with TemporaryFile() as complaints:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            cwd=ROOT,
            env={**usual_environment(), **variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,
        )
        try:
            yield Process(process, complaints)
        finally:
            await _end(process)


def usual_environment() -> Mapping[str, str]:
    """This process's, without what keeps Python from keeping what it compiled: no program of anybody's starts so."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


async def ended_well(command: Sequence[str], url: str, **environment: str) -> None:
    """Run Python with these arguments to its end.

    Raises:
        RuntimeError: it failed.
    """
    async with _begun(command, url, **environment) as process:
        output, _ = await process.process.communicate()
        if process.process.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{output.decode()}\n{process.complained()}")


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


@asynccontextmanager
async def bot(name: str, wire: Wire, people: Sequence[int], **environment: str) -> AsyncIterator[Process]:
    """One of `benchmarks.bots` that polls this Bot API; Conch has a folder of its own and has let these people in."""
    wire.forget()
    url = await wire.start()
    with TemporaryDirectory(prefix="conch-bench-", ignore_cleanup_errors=True) as folder:
        given = {"BENCH_FOLDER": folder, "BENCH_PEOPLE": ",".join(map(str, people)), **environment}
        async with running(["-m", f"benchmarks.bots.{name}"], url, **given) as process:
            if name.startswith("conch"):
                await let_in(process)
            await wire.waiting.wait()
            yield process
    await wire.stop()


async def let_in(process: Process) -> None:
    """Wait until Conch has let everyone in, and see that what it stores survives a power cut."""
    assert await process.said("synchronous") == "synchronous=2", "not FULL"
    await process.said("ready")
