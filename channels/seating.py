"""Who sits in which conversation, looked at and changed by one at a time.

What waits on a seat (a goal, plan mode, options) is taken by the message that begins the conversation. Whoever looks at
a seat in order to change what is there does so in `alone`, so that nothing is chosen for a seat that was just taken.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from core.store.database import Database
from core.store.seats import HoldOnSeat, LeaveSeat, Seat, SeatRecord, Seats


@dataclass(slots=True)
class _Turnstile:
    one: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Seating:
    """The seats of this process's channels; nothing is kept of a seat that nobody looks at."""

    def __init__(self, database: Database, seats: Seats | None = None) -> None:
        self._database = database
        self._seats = seats or Seats(database)
        self._turnstiles: dict[Seat, _Turnstile] = {}

    @asynccontextmanager
    async def alone(self, seat: Seat) -> AsyncIterator[SeatRecord | None]:
        """What is known of a seat; nobody else changes it meanwhile.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        turnstile = self._turnstiles.setdefault(seat, _Turnstile())
        turnstile.users += 1
        try:
            async with turnstile.one:
                yield await self._seats.get(seat)
        finally:
            turnstile.users -= 1
            if not turnstile.users:
                del self._turnstiles[seat]

    async def leave(self, seat: Seat) -> None:
        """Forget what is known of a seat, once whoever looks at it now is through.

        Raises:
            StoreUnavailable: nothing was forgotten.
        """
        async with self.alone(seat):
            await self._database.commit(LeaveSeat(seat))

    async def hold(self, waiting: SeatRecord) -> None:
        """Let this goal, plan mode and options wait on a free seat, instead of what waits there; only in `alone`.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        waits = (waiting.pending_goal, waiting.pending_plan, waiting.pending_options)
        hold = HoldOnSeat(waiting.seat, waiting.chat_kind, *waits)
        await self._database.commit(hold)
