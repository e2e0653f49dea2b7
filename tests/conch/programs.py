"""The program as a process of its own, as a person or a supervisor starts it."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conch.forked import command

PATIENCE = 60.0
"""Seconds of real time after which something hangs; nothing here waits for time to pass."""


WARNINGS = "error,ignore:'audioop' is deprecated:DeprecationWarning"
"""Every warning is an error, but for the one of discord.py about voice, which is not used."""


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(slots=True)
class Program:
    """A running `conch`. What it prints is gathered while it is waited for."""

    process: asyncio.subprocess.Process
    out: str = ""

    async def says(self, pattern: str) -> re.Match[str]:
        """Come back when standard output has the pattern, with what matched."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while (match := re.search(pattern, self.out)) is None:
                line = await self.process.stdout.readline()
                if not line:
                    rest = await self.process.stderr.read() if self.process.stderr else b""
                    raise AssertionError(f"it ended before it said {pattern!r}: {self.out}{rest.decode()}")
                self.out += line.decode()
        return match

    async def started(self) -> str:
        """Come back when it runs, with its link."""
        link = (await self.says(r"Open +(http://\S+)"))[1]
        await self.says("Ctrl-C ends it")
        return link

    async def ends(self, number: signal.Signals = signal.SIGTERM) -> Result:
        """Ask it to end, and see how it does."""
        self.process.send_signal(number)
        return await self.result()

    async def result(self) -> Result:
        """Wait for its end."""
        async with asyncio.timeout(PATIENCE):
            out, err = await self.process.communicate()
        return Result(self.process.returncode or 0, self.out + out.decode(), err.decode())


@asynccontextmanager
async def conch(home: Path, *arguments: str, given: str = "", **environment: str) -> AsyncIterator[Program]:
    """`conch` with these arguments; `given` is piped in. Killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "conch",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(home, environment),
    )
    assert process.stdin is not None
    process.stdin.write(given.encode())
    process.stdin.close()
    try:
        yield Program(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def run(home: Path, *arguments: str, given: str = "", **environment: str) -> Result:
    """A command from beginning to end, in a process of its own that has loaded the program already."""
    async with asyncio.timeout(PATIENCE):
        return Result(*await command(arguments, given, _environment(home, environment)))


def _environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "CONCH_HOME": str(home), "PYTHONWARNINGS": WARNINGS, **more}
