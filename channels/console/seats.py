"""The console's seats: each conversation is a seat of its own, whichever app it began in.

What is chosen before anything was said waits in memory, for a while: nothing else is there yet that could be kept.
"""

from collections import OrderedDict
from dataclasses import replace
from typing import Final

from channels.seating import Seating
from core.events import ChatKind
from core.options import OptionsChange
from core.store.database import Database
from core.store.log import EventLog
from core.store.seats import Seat, SeatRecord, Seats

CONSOLE: Final = "console"

MOST_WAITING: Final = 64
"""Chats without a message for which something waits; one more pushes out the oldest."""


def seat_in(conversation_id: str) -> Seat:
    """The owner's seat in a conversation."""
    return Seat(CONSOLE, conversation_id, "", CONSOLE)


class Pending:
    """What waits for the first message of chats that have none yet."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, SeatRecord] = OrderedDict()

    def of(self, seat: Seat) -> SeatRecord | None:
        """What waits on a seat."""
        return self._waiting.get(seat.chat_id)

    def hold(self, record: SeatRecord) -> None:
        """Let this wait, instead of what waited there."""
        self._waiting.pop(record.seat.chat_id, None)
        self._waiting[record.seat.chat_id] = record
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)

    def take(self, seat: Seat) -> tuple[str | None, bool, OptionsChange | None]:
        """The goal, plan mode and options that go with the first message; they do not wait any more."""
        record = self._waiting.pop(seat.chat_id, None)
        return (record.pending_goal, record.pending_plan, record.pending_options) if record else (None, False, None)


class ConsoleSeats(Seats):
    """Reads them: a seat is taken from the first message of its conversation on."""

    def __init__(self, database: Database, pending: Pending) -> None:
        super().__init__(database)
        self._log = EventLog(database)
        self._pending = pending

    async def get(self, seat: Seat) -> SeatRecord | None:
        """What is known of a seat."""
        record = self._pending.of(seat) or SeatRecord(seat, ChatKind.PRIVATE.value)
        if await self._log.exists(seat.chat_id):
            return replace(record, conversation_id=seat.chat_id)
        return record


class ConsoleSeating(Seating):
    """Looks at them and changes what waits there, one at a time."""

    def __init__(self, database: Database, seats: ConsoleSeats, pending: Pending) -> None:
        super().__init__(database, seats)
        self._pending = pending

    async def hold(self, waiting: SeatRecord) -> None:
        """Let this goal, plan mode and options wait on a free seat, in memory; only in `alone`."""
        self._pending.hold(waiting)
