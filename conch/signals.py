"""The first Ctrl-C or SIGTERM asks for an end, the second one makes it."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def asked_to_end() -> Iterator[asyncio.Event]:
    """Set when the system or the person asks. A second time the system ends the process at once, as it would any."""
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end() -> None:
        ending.set()
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)

    for number in SIGNALS:
        loop.add_signal_handler(number, end)
    try:
        yield ending
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
