"""How the process deals with memory once everything is built. What is kept and for how long belongs to each part."""

import ctypes
import gc
import sys
from contextlib import suppress

YOUNG = 10_000
"""New objects between two looks for garbage. A message makes about 1,000 that die by themselves; at Python's usual 700
the looks take a tenth of what a message costs."""


def settle() -> None:
    """Leave what the start built alone from now on, and give back what it has let go of.

    The collector would look through 170,000 objects of libraries again and again: an eighth of what a message costs,
    and pauses of 50 ms and more. What importing has freed, 8 MiB, the C library keeps unless it is asked.
    """
    gc.freeze()
    gc.set_threshold(YOUNG)
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # not every C library has this
            ctypes.CDLL(None).malloc_trim(0)
