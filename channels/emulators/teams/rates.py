"""Teams's limits on how often a bot calls: per conversation and over all. Off until switched on.

Belongs here: counting. The numbers are `limits`.
"""

from collections import defaultdict, deque
from collections.abc import Sequence

from channels.emulators.clock import Clock
from channels.emulators.teams import limits

Windows = Sequence[tuple[float, int]]


class Rates:
    """Counts calls by the conversation and by the bot."""

    def __init__(self, clock: Clock, *, on: bool = False) -> None:
        self._clock = clock
        self.on = on
        self._calls: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)

    def switch(self, on: bool) -> None:
        """Count from now on, or let everything through."""
        self.on = on
        self._calls.clear()

    def wait_for(self, bot_id: str, conversation: str | None) -> float:
        """Seconds until the call would be taken; 0 counts it as made."""
        if not self.on:
            return 0.0
        now = self._clock.monotonic()
        counted: list[tuple[tuple[str, str], Windows]] = [((bot_id, ""), limits.PER_APP)]
        if conversation is not None:
            counted.append(((bot_id, conversation), limits.PER_CONVERSATION))
        wait = max(self._wait(self._calls[key], windows, now) for key, windows in counted)
        if not wait:
            for key, _ in counted:
                self._calls[key].append(now)
        return wait

    def _wait(self, calls: deque[float], windows: Windows, now: float) -> float:
        longest = max(seconds for seconds, _ in windows)
        while calls and calls[0] <= now - longest:
            calls.popleft()
        waits = [calls[-most] + seconds - now for seconds, most in windows if len(calls) >= most]
        return max([0.0, *waits])
