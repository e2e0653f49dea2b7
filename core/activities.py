"""In which conversations something goes on, and who decides there what goes on next: one at a time.

What is known here is about this process and its tasks; what happened is in the log, what waits in the queue.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from core.compacting import Compaction
from core.turn import Turn, TurnStop


@dataclass(slots=True)
class Activity:
    """A conversation in which something goes on.

    While a `worker` is there or messages are held, what is sent waits. Else nothing waits, and what is sent starts a
    turn.
    """

    deciding: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    """How many decide, or want to."""
    worker: asyncio.Task[None] | None = None
    """Answers, or folds what was said, then looks what waits."""
    turn: Turn | None = None
    compaction: Compaction | None = None
    told_to_wait: bool = False
    """Whether somebody heard in this turn that their message comes next."""
    waiting: bool = False
    """Whether there may be anything in the queue."""
    held_until: datetime | None = None
    """When the oldest held message expires; None while nothing is held."""

    def first_to_wait(self) -> bool:
        """Whether a message is the first to wait in this turn; it is so once.

        In the moment between everything said and the end, nobody needs to hear that it takes a while.
        """
        first = self.turn is not None and not (self.turn.is_ending or self.told_to_wait)
        self.told_to_wait = self.told_to_wait or first
        return first


class Activities:
    """The conversations in which something goes on; of the others nothing is kept."""

    def __init__(self) -> None:
        self._active: dict[str, Activity] = {}

    @asynccontextmanager
    async def alone(self, conversation_id: str) -> AsyncIterator[Activity]:
        """Nobody else opens a turn in this conversation or touches its queue meanwhile.

        Nothing slips in between a look and what follows from it. Never wait for a turn's end in here.
        """
        activity = self._active.setdefault(conversation_id, Activity())
        activity.users += 1
        try:
            async with activity.deciding:
                yield activity
        finally:
            activity.users -= 1
            if not (activity.users or activity.worker or activity.held_until):
                del self._active[conversation_id]

    def get(self, conversation_id: str) -> Activity | None:
        """What goes on in a conversation."""
        return self._active.get(conversation_id)

    def turns(self) -> list[Turn]:
        """Every turn that runs."""
        return [activity.turn for activity in self._active.values() if activity.turn is not None]

    def stop_folding(self, why: TurnStop) -> None:
        """Stop every fold."""
        for activity in self._active.values():
            if activity.compaction is not None:
                activity.compaction.stop(why)

    def held(self) -> list[tuple[str, Activity]]:
        """Where messages are held, with the conversation's id."""
        return [(key, activity) for key, activity in self._active.items() if activity.held_until is not None]

    def __len__(self) -> int:
        return len(self._active)
