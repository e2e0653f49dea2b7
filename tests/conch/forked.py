"""Commands without the second that loading the program takes: each is a fork of a process that has loaded it.

Belongs here: both sides of that. A test that looks at a process from its first breath starts one of its own
(`tests.conch.programs.conch`).
"""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[2]
LOADED = ("conch.cli", "conch.alone", "conch.server", "conch.chat")


# ---- the test's side -------------------------------------------------------------------------------------------------


async def command(arguments: Sequence[str], given: str, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Run `conch` to its end: how it ended, and what it wrote to standard output and error."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asking = _asked(arguments, given, environment, (out.fileno(), err.fileno()))
        reader, writer = await asyncio.open_unix_connection(sock=asking)
        pid = int(await reader.readline())
        try:
            code = int(await reader.readline())
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            raise
        finally:
            writer.close()
            await writer.wait_closed()
        out.seek(0)
        err.seek(0)
        return code, out.read().decode(), err.read().decode()


def _asked(
    arguments: Sequence[str], given: str, environment: Mapping[str, str], outputs: tuple[int, int]
) -> socket.socket:
    """A connection over which it is told how the command ends. `given` fits into a pipe."""
    asking = socket.socket(socket.AF_UNIX)
    asking.connect(str(_server()))
    reading, writing = os.pipe()
    try:
        os.write(writing, given.encode())
        wanted = {"arguments": [*arguments], "environment": dict(environment), "cwd": str(Path.cwd())}
        words = json.dumps(wanted).encode()
        socket.send_fds(asking, [len(words).to_bytes(4, "big")], [reading, *outputs])
        asking.sendall(words)
    finally:
        os.close(reading)
        os.close(writing)
    return asking


@cache
def _server() -> Path:
    """The process that has loaded everything; it ends with this one."""
    where = Path(tempfile.mkdtemp(prefix="conch-tests-")) / "commands"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.conch.forked", str(where)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    atexit.register(_end, process)
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline()
    return where


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


# ---- the other side --------------------------------------------------------------------------------------------------


def serve(where: str) -> NoReturn:
    """Fork for whoever asks."""
    for module in LOADED:
        import_module(module)
    parent = os.getppid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(where)
        listening.listen()
        listening.settimeout(1.0)
        print("ready", flush=True)
        while os.getppid() == parent:
            try:
                asking, _ = listening.accept()
            except TimeoutError:
                continue
            with asking:
                if os.fork() == 0:
                    listening.close()
                    _see_through(asking)
    os._exit(0)


def _see_through(asking: socket.socket) -> NoReturn:
    """Run one command in a process of its own, and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asking.settimeout(None)
    length, given, _, _ = socket.recv_fds(asking, 4, 3)
    with asking.makefile("rwb") as line:
        wanted = json.loads(line.read(int.from_bytes(length, "big")))
        if (pid := os.fork()) == 0:
            asking.detach()
            _run(wanted["arguments"], wanted["environment"], wanted["cwd"], given)
        line.write(f"{pid}\n".encode())
        line.flush()
        _, status = os.waitpid(pid, 0)
        line.write(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _run(arguments: Sequence[str], environment: Mapping[str, str], cwd: str, given: Sequence[int]) -> NoReturn:
    for standard, descriptor in enumerate(given):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["conch", *arguments]
    code = 1
    try:
        import_module("conch.__main__").main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter ends
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
