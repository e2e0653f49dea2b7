"""How a command gets at Conch: through the running server, or alone over the data folder when none runs."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from conch import lock
from conch.control import reach
from conch.home import Home
from conch.lock import DataInUse
from core.clock import Clock
from web.administration import Administration

PATIENCE = 3.0
"""Seconds that a command waits for another short one, or for a server that is just starting."""


@asynccontextmanager
async def administration(place: Home, program: str, clock: Clock) -> AsyncIterator[Administration]:
    """The owner's commands, whoever does them.

    Raises:
        DataInUse: a program that takes no commands (`conch chat`) is using the data.
        UsageError: the settings are off.
    """
    place.prepare()
    with ExitStack() as stack:
        control = _lock_or_server(stack, place, program, clock)
        if control is not None:
            async with reach(control) as remote:
                yield remote
            return
        # Everything that a server is made of takes a second to import, and with one running none of it is needed.
        from conch.alone import alone  # noqa: PLC0415 - see above

        async with alone(place, clock) as admin:
            yield admin


def _lock_or_server(stack: ExitStack, place: Home, program: str, clock: Clock) -> Path | None:
    """Hold the data folder; or, where a server holds it, say where its local socket is."""
    for patience in (0.0, PATIENCE):
        try:
            stack.enter_context(lock.hold(place, program, clock, patience=patience))
        except DataInUse as fault:
            if fault.holder is not None and fault.holder.control is not None:
                return fault.holder.control
            if patience:
                raise
        else:
            break
    return None
