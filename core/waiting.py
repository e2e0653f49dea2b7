"""What waits in the queues of conversations: looked at, given up, remembered as held.

Who may touch a queue, and when, is decided in `core.conversations`.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from core import problems
from core.clock import Clock
from core.events import Notice, TurnHeld
from core.store.database import Database
from core.store.log import Append, EventLog
from core.store.queue import Dequeue, Queue, QueuedItem

HELD_EXPIRES: Final = timedelta(hours=12)
"""A held message older than this is given up, with a word to its sender."""


class Waiting:
    """Looks into the queues, and takes out what will not be answered."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._log = EventLog(database)
        self._queue = Queue(database)
        self._clock = clock

    async def of(self, conversation_id: str) -> Sequence[QueuedItem]:
        """What waits, the oldest first."""
        return await self._queue.waiting(conversation_id)

    async def conversations(self) -> Sequence[str]:
        """Conversations in which anything waits, the one that waits longest first."""
        return await self._queue.conversations_waiting()

    async def edit(self, conversation_id: str, client_id: str, text: str) -> bool:
        """See `core.store.queue.EditQueued`."""
        return await self._queue.edit(conversation_id, client_id, text)

    async def give_up(self, conversation_id: str, items: Sequence[QueuedItem], notice: Notice) -> None:
        """Take messages out that will not be answered, and say so."""
        ids = tuple(item.id for item in items)
        await self._database.commit(Dequeue(conversation_id, ids), Append(conversation_id, (notice,)))

    async def without_expired(self, conversation_id: str, waiting: Sequence[QueuedItem]) -> Sequence[QueuedItem]:
        """What is not too old to be held any longer; the rest is given up."""
        oldest = self._clock.now() - HELD_EXPIRES
        late = [item for item in waiting if item.at <= oldest]
        if late:
            notice = problems.held_too_long(late[-1].message.origin.address)
            await self.give_up(conversation_id, late, notice)
        return waiting[len(late) :]

    async def was_held(self, conversation_id: str) -> bool:
        """Whether the chat was told that what waits in it is held."""
        state = await self._log.state(conversation_id)
        events = await self._log.read(conversation_id, after=state.last_said_seq)
        return any(isinstance(event.data, TurnHeld) for event in events)
