"""Ids as Discord makes them: sorted by time, unique everywhere, written as text.

Belongs here: making them. What one names belongs elsewhere.
"""

from datetime import UTC, datetime

from channels.emulators.clock import Clock

EPOCH = datetime(2015, 1, 1, tzinfo=UTC)


class Snowflakes:
    """Milliseconds since 2015 in the upper bits, so that a later one is always higher."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> str:
        """One that nobody had."""
        milliseconds = int((self._clock.now() - EPOCH).total_seconds() * 1000)
        self._last = max(self._last + 1, milliseconds << 22)
        return str(self._last)
