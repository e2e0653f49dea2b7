"""The commands about what is remembered: clear, undo, and retry, which asks again what was asked last."""

from channels.actions import LabelledAction, TryAgain, UndoClear
from channels.arrivals import Arrivals
from channels.commands.call import CommandCall, Reply
from core import decisions
from core.conversation_state import ConversationState
from core.conversations import Conversations
from core.errors import Busy
from core.store.inbox import Done
from core.store.seats import Seats

NOTHING_TO_CLEAR = "Nothing was said here since the last clear, so there is nothing to forget."
NOTHING_SAID = "Nothing was said here yet, so there is nothing to forget."
RESTORED = "Taken back: I remember again what was said before the clear."
NO_CLEAR = "There is no clear to take back here."
SAID_SINCE = "Something was said since the last clear, so it cannot be taken back any more."
NOT_THAT_CLEAR = "That clear is not the last one any more, so it cannot be taken back with this button."
NOTHING_TO_RETRY = "There is no message of yours here that I could answer again."
NOT_THAT_TURN = "Something was said since then, so I did not send it again."


class Clear:
    """Lets memory start anew."""

    def __init__(self, conversations: Conversations, seats: Seats, arrivals: Arrivals) -> None:
        self._conversations = conversations
        self._seats = seats
        self._arrivals = arrivals

    async def run(self, call: CommandCall) -> Reply:
        """Forget, and say what stays."""
        conversation_id = await self._seats.conversation(call.seat)
        expect_nothing_on_its_way(self._arrivals, call)
        if conversation_id is None:
            return Reply(NOTHING_SAID)
        decided = await self._conversations.decide(conversation_id, decisions.Clear(), call.client_id)
        if decided.before.turn is not None:
            raise Busy("A turn runs.")
        seq = decided.after.undoable_clear
        if seq is None or not (decided.events or decided.again):
            return Reply(NOTHING_TO_CLEAR)
        undo = LabelledAction("Undo", UndoClear(conversation_id=conversation_id, seq=seq))
        return Reply(_cleared(call, decided.after), actions=(undo,))


def _cleared(call: CommandCall, state: ConversationState) -> str:
    kept = "the goal and the mode stay as they are" if state.goal else "the mode stays as it is"
    return (
        "Cleared: I no longer remember what was said here. "
        f"The messages stay on your screen, and {kept}. {call.written(name='undo')} takes it back."
    )


class Undo:
    """Takes back the newest clear, as long as nothing was said since."""

    def __init__(self, conversations: Conversations, seats: Seats) -> None:
        self._conversations = conversations
        self._seats = seats

    async def run(self, call: CommandCall) -> Reply:
        """The newest one, whichever it is."""
        return await self._take_back(call, None)

    async def take_back(self, call: CommandCall, clear: UndoClear) -> Reply:
        """The one that a button was made for."""
        return await self._take_back(call, clear)

    async def _take_back(self, call: CommandCall, clear: UndoClear | None) -> Reply:
        conversation_id = await self._seats.conversation(call.seat)
        if clear is not None and clear.conversation_id != conversation_id:
            return Reply(NOT_THAT_CLEAR)
        if conversation_id is None:
            return Reply(NO_CLEAR)
        decision = decisions.RestoreContext(clear.seq if clear else None)
        decided = await self._conversations.decide(conversation_id, decision, call.client_id)
        if decided.events or decided.again:
            return Reply(RESTORED)
        return Reply(_why_not(decided.before, clear))


def _why_not(state: ConversationState, clear: UndoClear | None) -> str:
    if clear is not None and state.memory_start != clear.seq:
        return NOT_THAT_CLEAR
    return NO_CLEAR if state.memory_start < 0 else SAID_SINCE


class Retry:
    """Sends the newest message again; what comes back is the answer itself."""

    def __init__(self, conversations: Conversations, seats: Seats, arrivals: Arrivals) -> None:
        self._conversations = conversations
        self._seats = seats
        self._arrivals = arrivals

    async def run(self, call: CommandCall) -> Reply:
        """The newest message after the newest clear."""
        return await self._send_again(call, None)

    async def try_again(self, call: CommandCall, action: TryAgain) -> Reply:
        """The message of the turn that a button was made for."""
        return await self._send_again(call, action)

    async def _send_again(self, call: CommandCall, action: TryAgain | None) -> Reply:
        conversation_id = await self._seats.conversation(call.seat)
        expect_nothing_on_its_way(self._arrivals, call)
        if action is not None and action.conversation_id != conversation_id:
            return Reply(NOT_THAT_TURN)
        if conversation_id is None:
            return Reply(NOTHING_TO_RETRY)
        done = Done(call.seat.channel_id, call.message.update_id)
        of_turn = action.seq if action else None
        sent = await self._conversations.retry(conversation_id, call.origin, call.client_id, done, of_turn=of_turn)
        if sent is None:
            return Reply(NOT_THAT_TURN if action else NOTHING_TO_RETRY)
        return Reply("")


def expect_nothing_on_its_way(arrivals: Arrivals, call: CommandCall) -> None:
    """Raises Busy while something that was said before the command has not reached the core."""
    if arrivals.busy(call.seat):
        raise Busy("A message is on its way.")
