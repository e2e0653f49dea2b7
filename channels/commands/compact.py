"""The command that sums up what was said so far, and the look at a summary."""

from channels.actions import ShowSummary
from channels.arrivals import Arrivals
from channels.commands.call import CommandCall, Reply
from channels.commands.memory import expect_nothing_on_its_way
from channels.summaries import shown
from core.conversations import Conversations, FoldOutcome
from core.store.inbox import Done
from core.store.seats import Seats

NOTHING_SAID = "Nothing was said here yet, so there is nothing to sum up."
NOTHING_KNOWN = "I remember nothing that was said here, so there is nothing to sum up."
OWN_MEMORY = "{engine} keeps its own memory and makes room in it by itself, so there is nothing for me to sum up."
SUMMARY_GONE = "That summary is not there any more."


class Compact:
    """Has the memory of the seat's conversation folded; what comes of it is told by the relay."""

    def __init__(self, conversations: Conversations, seats: Seats, arrivals: Arrivals) -> None:
        self._conversations = conversations
        self._seats = seats
        self._arrivals = arrivals

    async def run(self, call: CommandCall) -> Reply:
        """Begin, or say why not. A chat shows typing until the result is there."""
        conversation_id = await self._seats.conversation(call.seat)
        expect_nothing_on_its_way(self._arrivals, call)
        if conversation_id is None:
            return Reply(NOTHING_SAID)
        focus = call.command.arguments.strip() or None
        done = Done(call.seat.channel_id, call.message.update_id)
        match await self._conversations.compact(conversation_id, focus, call.origin, done):
            case FoldOutcome.STARTED:
                return Reply("", done_later=True)
            case FoldOutcome.OWN_MEMORY:
                overview = await self._conversations.overview(conversation_id)
                return Reply(OWN_MEMORY.format(engine=overview.engine.title))
            case FoldOutcome.NOTHING:
                return Reply(NOTHING_KNOWN)

    async def show(self, call: CommandCall, action: ShowSummary) -> Reply:
        """The summary that a button was made for, as long as the seat is still in that conversation."""
        if await self._seats.conversation(call.seat) != action.conversation_id:
            return Reply(SUMMARY_GONE)
        fold = await self._conversations.summary(action.conversation_id, action.seq)
        return Reply(shown(fold) if fold else SUMMARY_GONE)
