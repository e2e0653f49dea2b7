"""Slows down who guesses: each wrong attempt makes the next one wait longer, for its address and, later, for all.

Counted in memory and bounded. Somebody who guesses from many addresses slows everybody down; a one-time link, for which
one needs the machine, is never slowed.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from core.clock import Clock

FREE: Final = 3
"""Wrong attempts of one address that cost nothing: people mistype."""
FREE_FOR_ALL: Final = 30
"""Wrong attempts of all addresses together that cost nothing."""

LONGEST: Final = 300.0
"""Seconds that anybody waits at most."""

FORGOTTEN: Final = 3600.0
"""Seconds without a wrong attempt after which it is as if there had been none."""

MOST: Final = 1_000
"""Addresses that are counted; one more pushes out the one that was wrong longest ago."""

EVERYBODY: Final = "*"


@dataclass(frozen=True, slots=True)
class _Wrong:
    count: int
    last: float


class Throttle:
    """Counts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, _Wrong] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until the next attempt from there is looked at; 0 where it may come now."""
        return max(self._wait(address, FREE), self._wait(EVERYBODY, FREE_FOR_ALL))

    def begin(self, address: str) -> float:
        """Seconds to wait, as `wait`; where it is 0 the attempt is counted as wrong until `right` takes that back.

        Counted before it is looked at: checking takes a while, and many at once would all find nothing counted yet.
        """
        if not (wait := self.wait(address)):
            self.wrong(address)
        return wait

    def wrong(self, address: str) -> None:
        """An attempt from there was wrong."""
        for name in (EVERYBODY, address):
            known = self._known(name)
            self._wrong[name] = _Wrong(known.count + 1 if known else 1, self._clock.monotonic())
            self._wrong.move_to_end(name)
        while len(self._wrong) > MOST:
            self._wrong.popitem(last=False)

    def right(self, address: str) -> None:
        """Somebody came in from there: what they mistyped is forgotten. What others did is not."""
        self._wrong.pop(address, None)
        if (known := self._wrong.get(EVERYBODY)) is not None:
            self._wrong[EVERYBODY] = _Wrong(max(0, known.count - 1), known.last)

    def _wait(self, name: str, free: int) -> float:
        known = self._known(name)
        if known is None or known.count <= free:
            return 0.0
        due = known.last + min(2.0 ** min(known.count - free, 20), LONGEST)
        return max(0.0, due - self._clock.monotonic())

    def _known(self, name: str) -> _Wrong | None:
        known = self._wrong.get(name)
        if known is not None and self._clock.monotonic() - known.last > FORGOTTEN:
            del self._wrong[name]
            return None
        return known
