"""A program that chats on its standard input and output, as a shell and a real terminal run it."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

PROGRAM = Path(__file__).with_name("talking_program.py")
ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).parents[3]), "TERM": "xterm", "PATH": os.environ["PATH"]}
PATIENCE = 20.0
"""Seconds that only a failing test waits."""

IN_ITS_OWN_TERMINAL = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches this process and nobody else
runpy.run_path(sys.argv[1], run_name="__main__")
"""

CTRL_C, CTRL_D = b"\x03", b"\x04"


class Screen:
    """A real terminal with the program in it."""

    def __init__(self) -> None:
        self._master, program_end = pty.openpty()
        self.program = subprocess.Popen(
            [sys.executable, "-c", IN_ITS_OWN_TERMINAL, str(PROGRAM)],
            stdin=program_end,
            stdout=program_end,
            stderr=program_end,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        os.close(program_end)
        self.written = b""

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def read_until(self, words: str) -> None:
        """Come back when the program has written this since the last time."""
        until = monotonic() + PATIENCE
        while words.encode() not in self.written:
            ready, _, _ = select.select([self._master], [], [], max(0.0, until - monotonic()))
            assert ready, f"{words!r} was not written; this was: {self.written!r}"
            self.written += os.read(self._master, 65_536)
        self.written = self.written.partition(words.encode())[2]

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self._master)


@pytest.fixture
def screen() -> Iterator[Screen]:
    screen = Screen()
    yield screen
    screen.close()


def test_in_a_terminal_ctrl_c_stops_an_answer_and_ctrl_d_ends_the_chat(screen: Screen) -> None:
    screen.read_until("/help shows commands")
    screen.read_until("›")
    screen.type(b"hello\n")
    screen.read_until("You said hello.")
    screen.type(b"count\n")
    screen.read_until("one, two")

    screen.type(CTRL_C)
    screen.read_until("I got to three.")
    screen.read_until("›")
    screen.type(CTRL_C)
    screen.read_until("Ctrl-D ends the chat.")
    screen.type(CTRL_D)

    assert screen.program.wait(PATIENCE) == 0


def test_in_a_pipe_only_the_answers_are_written() -> None:
    command = [sys.executable, str(PROGRAM)]

    done = subprocess.run(
        command, input="hello\nagain", capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT, check=True
    )

    assert (done.stdout, done.stderr) == ("You said hello.\n\nYou said again.\n", "")
