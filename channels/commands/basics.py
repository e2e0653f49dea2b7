"""The commands that everyone has: new and stop; and cancel."""

from typing import Final

from channels.arrivals import Arrivals
from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from commands.command import Place
from core.conversations import Conversations, Stopped
from core.store.actions import CloseActions
from core.store.inbox import Done
from core.store.menus import CloseMenus
from core.store.seats import LeaveSeat, Seat, Seats

NOTHING_WAITED: Final = "No setting was waiting for your words. To skip a question, press Skip or send \u2060/stop."


class New:
    """Forgets the seat's conversation, what waits on the seat and what could still be tapped.

    A running turn goes on, and its answer still arrives.
    """

    def __init__(self, conversations: Conversations, seats: Seats) -> None:
        self._conversations = conversations
        self._seats = seats

    async def run(self, call: CommandCall) -> Reply:
        """Leave the seat."""
        conversation_id = await self._seats.conversation(call.seat)
        running = conversation_id is not None and self._conversations.running(conversation_id) is not None
        words = "Your next message starts a fresh conversation."
        if running:
            words += " The answer that I am still writing will arrive here."
        seat = call.seat
        return Reply(words, (LeaveSeat(seat), CloseActions.of_seat(seat), CloseMenus.of_seat(seat)))


class Stop:
    """Ends what is going on for this seat, whatever stage it is in.

    At the root of a group where nothing is going on, it ends what goes on for the same person in its threads: they are
    where a group is answered, and Slack takes no commands in threads.
    """

    def __init__(self, conversations: Conversations, seats: Seats, arrivals: Arrivals) -> None:
        self._conversations = conversations
        self._seats = seats
        self._arrivals = arrivals

    async def run(self, call: CommandCall) -> Reply:
        """Drop what is gathered, then stop the turn and empty its queue."""
        dropped = self._arrivals.drop(call.seat)
        conversation_id = await self._seats.conversation(call.seat)
        stopped = Stopped(turn=False, waiting=0)
        if conversation_id is not None:
            stopped = await self._conversations.stop(conversation_id)
        if call.place is Place.GROUP and not (dropped or stopped.turn or stopped.waiting):
            stopped = await self._stop_threads(call.seat)
        done = tuple(Done(message.chat.channel_id, message.update_id) for message in dropped)
        return Reply(_stopped_words(stopped, len(dropped)), done)

    async def _stop_threads(self, root: Seat) -> Stopped:
        stopped = Stopped(turn=False, waiting=0)
        if root.thread:
            return stopped
        for seat, conversation_id in await self._seats.of_chat(root.channel_id, root.chat_id):
            if seat.person_id == root.person_id and self._conversations.is_active(conversation_id):
                one = await self._conversations.stop(conversation_id)
                stopped = Stopped(stopped.turn or one.turn, stopped.waiting + one.waiting)
        return stopped


def _stopped_words(stopped: Stopped, gathered: int) -> str:
    """What a stop ended, in words."""
    waiting = stopped.waiting + gathered
    waited = "the message that was waiting" if waiting == 1 else f"{waiting} waiting messages"
    if stopped.turn:
        return f"Stopped, and dropped {waited}." if waiting else "Stopped."
    return f"Dropped {waited}; nothing was running." if waiting else "Nothing was going on."


class Cancel:
    """Leaves the setting that waits for the owner's words."""

    def __init__(self, menus: Menus) -> None:
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """Say whether anything waited."""
        left = await self._menus.leave(call)
        return Reply("Left as it was." if left else NOTHING_WAITED)
