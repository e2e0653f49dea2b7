"""The command about plan mode: look and think, and change nothing."""

from dataclasses import replace
from typing import Final

from channels.commands.call import CommandCall, Reply
from channels.commands.options import WAITS, ChatOptions
from channels.seating import Seating
from commands.parsing import Switch, parse_switch
from commands.values import MODES
from core.conversations import Conversations
from core.decisions import SwitchPlan
from core.events import Mode
from core.options import OptionsChange
from core.store.seats import SeatRecord

PLANNING = "Planning first: I look and think, and change nothing."
AS_USUAL = "Acting as usual"
FROM_THE_NEXT = "It counts from the next answer on."

_WANTED: Final = {Switch.ON: True, Switch.OFF: False, Switch.TOGGLE: None, None: True}
"""What the words ask for; None is the other way round. Words that are no switch are to be planned."""


class Plan:
    """Switches plan mode, and sends what is to be planned. Before there is a conversation it waits on the seat."""

    def __init__(self, conversations: Conversations, seating: Seating, options: ChatOptions) -> None:
        self._conversations = conversations
        self._seating = seating
        self._options = options

    async def run(self, call: CommandCall) -> Reply:
        """Switch, and answer with the way back."""
        switch = parse_switch(call.command.arguments)
        to_plan = call.command.arguments if switch is None else None
        wanted, now = _WANTED[switch], await self._options.look(call.seat)
        on = now.mode is not Mode.PLAN if wanted is None else wanted
        if on and now.why_no_plan:
            return Reply(f"{now.why_no_plan} So nothing was switched or sent.")
        default = now.settings.default_mode
        async with self._seating.alone(call.seat) as record:
            if record is None or record.conversation_id is None:
                before = record or SeatRecord(call.seat, call.message.chat.kind.value)
                return _with(await self._on_the_seat(call, before, default, on=on), to_plan)
        decided = await self._conversations.decide(record.conversation_id, SwitchPlan(wanted, default), call.client_id)
        when = FROM_THE_NEXT if decided.before.turn and decided.events else ""
        return _with(_switched(call, decided.after.options.mode or default, when), to_plan)

    async def _on_the_seat(self, call: CommandCall, record: SeatRecord, default: Mode, *, on: bool) -> Reply:
        options = record.pending_options
        mode = (options.mode if options else None) or default
        if not on and mode is Mode.PLAN:  # as everywhere: the way out of it is to ask first
            mode = Mode.ASK
            options = (options or OptionsChange()).then(OptionsChange(mode=mode))
        after = replace(record, pending_plan=on, pending_options=options)
        if after != record:
            await self._seating.hold(after)
        return _switched(call, Mode.PLAN if on else mode, WAITS if on else "")


def _switched(call: CommandCall, mode: Mode, when: str) -> Reply:
    if mode is Mode.PLAN:
        words = f"{PLANNING} {call.written('off')} goes back to acting as usual. {when}"
        return Reply(words.rstrip(), actions=(call.again("Act as usual", "off"),))
    words = f"{AS_USUAL}: {MODES.title(mode.value)}. {call.written('on')} plans first. {when}"
    return Reply(words.rstrip(), actions=(call.again("Plan first", "on"),))


def _with(reply: Reply, to_plan: str | None) -> Reply:
    """The reply, and then the words that are to be planned; a refusal sends nothing."""
    return replace(reply, say=to_plan) if reply.actions else reply
