"""Typed or piped lines, read beside the event loop."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator

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
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True)
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

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while chunk := self._chunk():
            *whole, rest = (rest + chunk).split(b"\n")
            if len(rest) >= LONGEST:
                whole, rest = [*whole, rest], b""
            for line in whole:
                if not self._hand_over(loop, line.decode(errors="replace").removesuffix("\r")):
                    return
        if rest:
            self._hand_over(loop, rest.decode(errors="replace"))
        self._hand_over(loop, None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._fd, 65_536)
        except OSError:  # the terminal is gone
            return b""

    def _hand_over(self, loop: asyncio.AbstractEventLoop, line: str | None) -> bool:
        self._room.acquire()
        try:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody wants lines any more
            return False
        return True
