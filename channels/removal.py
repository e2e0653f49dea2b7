"""Ends what goes on for a person who was removed, or in a group that was turned off.

What is on its way is dropped, turns are interrupted and queues emptied. A removed person's seats are forgotten as well:
should they be let in again, or stay in a group as a guest, they begin anew.
"""

from collections.abc import Iterable

from channels.arrivals import Arrivals
from channels.base import InboundMessage
from channels.fading import Fading
from channels.seating import Seating
from core.conversations import Conversations
from core.store.actions import CloseActions
from core.store.changes import Change
from core.store.database import Database
from core.store.inbox import Done
from core.store.menus import CloseMenus
from core.store.seats import Seats


class Removal:
    """Ends things; that nothing new begins is the gate's business, and decided before."""

    def __init__(
        self, *, database: Database, conversations: Conversations, arrivals: Arrivals, seating: Seating, fading: Fading
    ) -> None:
        self._database = database
        self._conversations = conversations
        self._arrivals = arrivals
        self._seating = seating
        self._seats = Seats(database)
        self._fading = fading

    async def of_person(self, channel_id: str, person_id: str) -> None:
        """Someone was removed or blocked: end their turns, empty their queues, forget their seats.

        Raises:
            StoreUnavailable: not everything was ended; it can be asked for again.
        """
        dropped = self._arrivals.drop_person(channel_id, person_id)
        closing = CloseActions(channel_id, person_id), CloseMenus(channel_id, person_id)
        await self._database.commit(*_done(dropped), *closing)
        self._fading.wake()
        seats = await self._seats.of_person(channel_id, person_id)
        for seat, _ in seats:
            await self._seating.leave(seat)
        for _, conversation_id in seats:
            await self._conversations.stop(conversation_id)

    async def of_group(self, channel_id: str, chat_id: str) -> None:
        """A group was turned off: end its turns and empty its queues. People have their conversations back with it.

        Raises:
            StoreUnavailable: not everything was ended; it can be asked for again.
        """
        dropped = self._arrivals.drop_chat(channel_id, chat_id)
        if dropped:
            await self._database.commit(*_done(dropped))
        for _, conversation_id in await self._seats.of_chat(channel_id, chat_id):
            await self._conversations.stop(conversation_id)


def _done(messages: Iterable[InboundMessage]) -> list[Change]:
    return [Done(message.chat.channel_id, message.update_id) for message in messages]
