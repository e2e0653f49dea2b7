"""Processes that have loaded the program already: each life is a fork of one that did, and is killed as any process is.

Belongs here: both sides of that. What lives is `tests.journeys.victim`, what kills it `test_kill`.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]
READY = "ready"
"""What a life says once it hears people."""

Say = Callable[[object], None]


# ---- the test's side -------------------------------------------------------------------------------------------------


class Life:
    """One process, as `asyncio.subprocess.Process` has it."""

    def __init__(self, pid: int, reader: asyncio.StreamReader) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._is_ready = asyncio.Event()
        self._hearing = asyncio.create_task(self._hear(reader))

    async def ready(self) -> None:
        """Come back when it hears people."""
        await self._is_ready.wait()

    async def wait(self) -> int:
        """Come back with how it ended."""
        await asyncio.shield(self._hearing)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """`kill -9`."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Nothing where it has ended, also where that was not heard yet."""
        with suppress(ProcessLookupError):
            if self.returncode is None:
                os.kill(self.pid, number)

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        while line := (await reader.readline()).decode().strip():
            if line == READY:
                self._is_ready.set()
            else:
                self.returncode = int(line)
                return


@contextmanager
def nursery(module: str, folder: Path) -> Iterator[Path]:
    """A process of this module that has loaded everything; the path is where lives are asked for."""
    where = folder / "nursery"
    process = subprocess.Popen([sys.executable, "-m", module, str(where)], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield where
    finally:
        process.kill()
        process.communicate()


@asynccontextmanager
async def born(where: Path, given: Mapping[str, object], log: Path) -> AsyncIterator[Life]:
    """A life with these words, until the end of the block at the latest."""
    reader, writer = await asyncio.open_unix_connection(where)
    try:
        writer.write(json.dumps({"given": given, "log": str(log)}).encode() + b"\n")
        life = Life(int(await reader.readline()), reader)
        try:
            yield life
        finally:
            life.kill()
            await life.wait()
    finally:
        writer.close()
        await writer.wait_closed()


# ---- the other side --------------------------------------------------------------------------------------------------


def bear(where: str, live: Callable[[dict[str, Any], Say], None]) -> NoReturn:
    """Fork for whoever asks, one after the other, and tell how each ended."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(where)
        listening.listen()
        print(READY, flush=True)
        while True:
            asking, _ = listening.accept()
            with asking, asking.makefile("rw") as line:
                wanted = json.loads(line.readline())
                if (pid := os.fork()) == 0:
                    listening.close()
                    _live(wanted, live, asking)
                _, status = os.waitpid(pid, 0)
                line.write(f"{os.waitstatus_to_exitcode(status)}\n")


def _live(wanted: Mapping[str, Any], live: Callable[[dict[str, Any], Say], None], asking: socket.socket) -> NoReturn:
    """From here on it is a process of its own: what it writes goes into its log, and it never comes back."""

    def say(words: object) -> None:
        asking.sendall(f"{words}\n".encode())

    log = os.open(wanted["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for output in (1, 2):
        os.dup2(log, output)
    code = 1
    try:
        say(os.getpid())
        live(wanted["given"], say)
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, it stands in the log, and the process ends
        traceback.print_exc()
    os._exit(code)
