"""What the in-memory app has to tell its bot: kept until the bot says that it has it, and told again if it does not."""

import asyncio
from collections import deque
from collections.abc import Sequence

from channels.base import Conflict, Update

_AGAIN = 100
"""How many of the newest taken updates can be told a second time."""


class Feed:
    """The app's end of the connection. One listener at a time: a new one takes over from the one before."""

    def __init__(self) -> None:
        self._waiting: deque[Update] = deque()
        self._taken: deque[Update] = deque(maxlen=_AGAIN)
        self._bell = asyncio.Event()
        self._listener = 0
        self._broken: tuple[int, Exception] | None = None

    @property
    def waiting(self) -> tuple[Update, ...]:
        """What the bot has not said that it has, oldest first."""
        return tuple(self._waiting)

    def put(self, update: Update) -> None:
        """One more thing to tell."""
        self._waiting.append(update)
        self._ring()

    def break_off(self, error: Exception) -> None:
        """End the connection of whoever listens with this error; who connects afterwards hears nothing of it."""
        self._broken = (self._listener, error)
        self._ring()

    def repeat(self, count: int = 1) -> None:
        """Tell the newest `count` taken updates again, as an app does that did not hear "got it"."""
        self._waiting.extendleft(reversed(list(self._taken)[-count:]))
        self._ring()

    def lose(self) -> None:
        """Forget what was not taken, as an app does that keeps nothing for a bot that is away."""
        self._waiting.clear()
        self._ring()

    def connect(self) -> int:
        """A new listener's number; the one before hears a `Conflict`."""
        self._listener += 1
        self._ring()
        return self._listener

    async def next(self, listener: int) -> Sequence[Update]:
        """Everything that waits, once there is something; the same again until `took` says that it was taken.

        Raises:
            Conflict: another listener connected.
        """
        while True:
            if listener != self._listener:
                raise Conflict("another listener connected")
            if self._broken is not None and self._broken[0] == listener:
                raise self._broken[1]
            if self._waiting:
                return tuple(self._waiting)
            await self._bell.wait()

    def took(self, updates: Sequence[Update]) -> None:
        """The bot has these."""
        for update in updates:
            self._waiting.remove(update)
            self._taken.append(update)
        self._ring()

    async def drained(self) -> None:
        """Come back when the bot has everything."""
        while self._waiting:
            await self._bell.wait()

    def _ring(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()
