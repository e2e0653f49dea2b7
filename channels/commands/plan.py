"""The command about plan mode: look and think, and change nothing."""

from dataclasses import replace
from typing import Final

from channels.commands.call import CommandCall, Reply
from channels.seating import Seating
from commands.parsing import Switch, parse_switch
from commands.values import MODES
from core.conversation_state import ConversationState
from core.conversations import Conversations
from core.decisions import SwitchPlan, why_no_plan
from core.engines.base import Engine
from core.events import Mode
from core.store.seats import SeatRecord

PLANNING = "Planning first: I look and think, and change nothing."
AS_USUAL = "Acting as usual"
WAITS = "It waits and goes with your first message."
FROM_THE_NEXT = "It counts from the next answer on."

_WANTED: Final = {Switch.ON: True, Switch.OFF: False, Switch.TOGGLE: None, None: True}
"""What the words ask for; None is the other way round. Words that are no switch are to be planned."""


class Plan:
    """Switches plan mode, and sends what is to be planned. Before there is a conversation it waits on the seat."""

    def __init__(self, conversations: Conversations, seating: Seating) -> None:
        self._conversations = conversations
        self._seating = seating

    async def run(self, call: CommandCall) -> Reply:
        """Switch, and answer with the way back."""
        switch = parse_switch(call.command.arguments)
        to_plan = call.command.arguments if switch is None else None
        async with self._seating.alone(call.seat) as record:
            if record is None or record.conversation_id is None:
                before = record or SeatRecord(call.seat, call.message.chat.kind.value)
                reply = await self._on_the_seat(call, before, _WANTED[switch])
                return _with(reply, to_plan)
        return _with(await self._in_a_conversation(call, record.conversation_id, _WANTED[switch]), to_plan)

    async def _on_the_seat(self, call: CommandCall, record: SeatRecord, wanted: bool | None) -> Reply:
        on = not record.pending_plan if wanted is None else wanted
        engine = self._conversations.engine_for(ConversationState())
        if on and (refused := _refused(engine)):
            return refused
        if on != record.pending_plan:
            await self._seating.hold(replace(record, pending_plan=on))
        return _switched(call, Mode.PLAN if on else Mode.ASK, WAITS if on else "")

    async def _in_a_conversation(self, call: CommandCall, conversation_id: str, wanted: bool | None) -> Reply:
        now = await self._conversations.overview(conversation_id)
        on = now.state.options.mode is not Mode.PLAN if wanted is None else wanted
        if on and (refused := _refused(now.engine)):
            return refused
        decided = await self._conversations.decide(conversation_id, SwitchPlan(wanted), call.client_id)
        when = FROM_THE_NEXT if decided.before.turn and decided.events else ""
        return _switched(call, decided.after.options.mode or Mode.ASK, when)


def _refused(engine: Engine) -> Reply | None:
    why_not = why_no_plan(engine.title, engine.capabilities)
    return Reply(f"{why_not} So nothing was switched or sent.") if why_not else None


def _switched(call: CommandCall, mode: Mode, when: str) -> Reply:
    if mode is Mode.PLAN:
        words = f"{PLANNING} {call.written('off')} goes back to acting as usual. {when}"
        return Reply(words.rstrip(), actions=(call.again("Act as usual", "off"),))
    words = f"{AS_USUAL}: {MODES.title(mode.value)}. {call.written('on')} plans first. {when}"
    return Reply(words.rstrip(), actions=(call.again("Plan first", "on"),))


def _with(reply: Reply, to_plan: str | None) -> Reply:
    """The reply, and then the words that are to be planned; a refusal sends nothing."""
    return replace(reply, say=to_plan) if reply.actions else reply
