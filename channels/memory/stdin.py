"""Typed or piped lines, read beside the event loop."""

import asyncio
import io
import os
import threading
from collections.abc import AsyncIterator, Iterator

LONGEST = 1_000_000
"""Bytes of a line; a longer one comes in pieces."""

_AHEAD = 100
"""Lines that are read before somebody wants them."""


class Lines(AsyncIterator[str]):
    """The lines of a file descriptor, without their ends.

    A thread of its own reads, because a terminal, a pipe and a file can all be read that way and none of them in the
    loop; it reads past `sys.stdin`, whose lock a thread that still waits at the program's end would hold. It is begun
    with the first line that is wanted, inside the running loop.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        self._thread: threading.Thread | None = None
        self._over = False

    async def __anext__(self) -> str:
        if self._thread is None:
            # A descriptor of the thread's own: the number of one that somebody else closes may soon name another file.
            source = io.FileIO(os.dup(self._fd))
            work = (source, asyncio.get_running_loop())
            self._thread = threading.Thread(target=self._read, args=work, name="stdin", daemon=True)
            self._thread.start()
        line = None if self._over else await self._lines.get()
        self._room.release()
        if line is None:
            self._over = True
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """Give no further line, not even one that was read already."""
        self._over = True
        self._lines.put_nowait(None)

    def _read(self, source: io.FileIO, loop: asyncio.AbstractEventLoop) -> None:
        with source:
            for line in _split(source):
                if not self._hand_over(loop, line.decode(errors="replace")):
                    return
        self._hand_over(loop, None)

    def _hand_over(self, loop: asyncio.AbstractEventLoop, line: str | None) -> bool:
        self._room.acquire()
        try:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody wants lines any more
            return False
        return True


def _split(source: io.FileIO) -> Iterator[bytes]:
    rest = b""
    while chunk := _chunk(source):
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) >= LONGEST:
            whole, rest = [*whole, rest], b""
        yield from (line.removesuffix(b"\r") for line in whole)
    if rest:
        yield rest


def _chunk(source: io.FileIO) -> bytes:
    try:
        return source.read(65_536) or b""
    except OSError:  # the terminal is gone
        return b""
