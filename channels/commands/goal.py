"""The command about what a chat works towards."""

from dataclasses import replace

from channels.actions import LabelledAction
from channels.commands.call import CommandCall, Reply
from channels.formatting.parts import literal
from channels.seating import Seating
from commands.parsing import ClearGoal, GoalChange, SetGoal, ShowGoal, parse_goal_arg
from core import decisions
from core.conversations import Conversations
from core.projections import MAX_GOAL
from core.store.seats import SeatRecord

NO_GOAL = "There is no goal here."
GONE = "The goal is gone."


class Goal:
    """Shows, sets or clears the goal. Before there is a conversation it waits on the seat."""

    def __init__(self, conversations: Conversations, seating: Seating) -> None:
        self._conversations = conversations
        self._seating = seating

    async def run(self, call: CommandCall) -> Reply:
        """Do to the goal what the words say."""
        change = parse_goal_arg(call.command.arguments)
        if isinstance(change, SetGoal) and len(change.text) > MAX_GOAL:
            return Reply(
                f"A goal has at most {MAX_GOAL} characters; this one has {len(change.text)}, so it is not set."
            )
        async with self._seating.alone(call.seat) as record:
            if record is None or record.conversation_id is None:
                before = record or SeatRecord(call.seat, call.message.chat.kind.value)
                return await self._on_the_seat(call, before, change)
        return await self._in_a_conversation(call, record.conversation_id, change)

    async def _on_the_seat(self, call: CommandCall, record: SeatRecord, change: GoalChange) -> Reply:
        goal = record.pending_goal
        match change:
            case ShowGoal():
                return _shown(call, goal, "It waits and goes with your first message.")
            case ClearGoal():
                await self._seating.hold(replace(record, pending_goal=None))
                return Reply(GONE if goal else NO_GOAL)
            case SetGoal(text):
                await self._seating.hold(replace(record, pending_goal=text))
                return _set(call, text, "It waits and goes with your first message.")

    async def _in_a_conversation(self, call: CommandCall, conversation_id: str, change: GoalChange) -> Reply:
        if isinstance(change, ShowGoal):
            return _shown(call, (await self._conversations.overview(conversation_id)).state.goal)
        goal = change.text if isinstance(change, SetGoal) else None
        decided = await self._conversations.decide(conversation_id, decisions.SetGoal(goal), call.client_id)
        when = "It counts from the next answer on." if decided.before.turn else ""
        if goal is not None:
            return _set(call, goal, when)
        changed = decided.events or decided.again
        return Reply(f"{GONE} {when}".rstrip() if changed else NO_GOAL)


def _shown(call: CommandCall, goal: str | None, when: str = "") -> Reply:
    if goal is None:
        return Reply(f"{NO_GOAL} Write it after {call.written()}, in up to {MAX_GOAL} characters, to set one.")
    return Reply(f"The goal is {quoted(goal)}. {_how_to_clear(call, when)}", actions=(_clear_button(call),))


def _set(call: CommandCall, goal: str, when: str) -> Reply:
    return Reply(f"The goal is now {quoted(goal)}. {_how_to_clear(call, when)}", actions=(_clear_button(call),))


def _how_to_clear(call: CommandCall, when: str) -> str:
    return f"{when} {call.written('clear')} takes it away.".lstrip()


def _clear_button(call: CommandCall) -> LabelledAction:
    return call.again("Clear goal", "clear")


def quoted(goal: str) -> str:
    """The person's own words inside a sentence of ours, as Markdown that says just them."""
    return f"“{literal(' '.join(goal.split()))}”"
