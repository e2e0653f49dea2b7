"""How Python itself is set for a program that runs for long: its garbage collector, its memory, its threads."""

import ctypes
import gc
import sys
from contextlib import suppress

YOUNG = 10_000
"""New objects between two looks for garbage. A message makes about 1,000 that die by themselves; at Python's usual 700
the looks take a tenth of what a message costs."""

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter from another. Whoever has flushed a commit to disk waits for it to say so:
at Python's usual 5 ms, a busy event loop put each commit off by more than the disk did."""


def load() -> None:
    """Before the modules load: what they make stays, and looking for garbage in it took a tenth of every start."""
    gc.set_threshold(YOUNG)


def settle() -> None:
    """Once everything is built: leave it alone from now on, and give back what building it has let go of.

    The collector would look through 170,000 objects of libraries again and again: an eighth of what a message costs,
    and pauses of 50 ms and more. What importing has freed, 8 MiB, the C library keeps unless it is asked.
    """
    gc.freeze()
    gc.set_threshold(YOUNG)
    sys.setswitchinterval(SWITCH_SECONDS)
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # not every C library has this
            ctypes.CDLL(None).malloc_trim(0)
