"""Asking for a key in the terminal, without showing it and without leaving it in the shell's history."""

import contextlib
import os
import select
import sys
from collections.abc import Iterator

PAUSE = 0.2
"""Seconds of silence after which a paste is complete: BotFather's message has several lines."""

MOST = 64 * 1024
"""Bytes that are read."""


def pasted_secret(prompt: str) -> str:
    """What is pasted or piped in.

    At a terminal it is not shown, and all lines of a paste are taken: the shell would run what is left over.
    """
    if not sys.stdin.isatty():
        return sys.stdin.read(MOST)
    fd = sys.stdin.fileno()
    with _unseen(fd):
        sys.stderr.write(prompt)
        sys.stderr.flush()
        pasted = os.read(fd, MOST)
        while len(pasted) < MOST and select.select([fd], [], [], PAUSE)[0] and (more := os.read(fd, MOST)):
            pasted += more
    sys.stderr.write("\n")
    return pasted.decode(errors="replace")


@contextlib.contextmanager
def _unseen(fd: int) -> Iterator[None]:
    """Without echo, where the system knows terminals of this kind."""
    try:
        import termios  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    before = termios.tcgetattr(fd)
    quiet = [*before]
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSAFLUSH, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSAFLUSH, before)
