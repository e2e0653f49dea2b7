"""What a press comes to: what its button stands for, as if the same person had typed it, with the same checks.

Whoever may not press hears so in the quiet note that answers the press, and so does who comes too late.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from channels.actions import ChatActions, RunCommand, SendText, TryAgain, UndoClear
from channels.base import Channel, InboundMessage, Press, Presses
from channels.commands.call import CommandCall, Reply
from channels.commands.chat import ChatCommands
from channels.gate import Gate, Standing
from commands.parsing import ParsedCommand
from core.errors import ConchError
from core.store.actions import Denied

_log = structlog.get_logger(__name__)

NOTES: Final = {
    Denied.FOREIGN: "This button is not yours.",
    Denied.USED: "This was used already.",
    Denied.EXPIRED: "This button's time is over.",
    Denied.REPLACED: "Something newer took this button's place.",
    Denied.UNKNOWN: "This button does nothing any more.",
}
"""What a press hears that gets nothing."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press that counted: as a message of its person, and what to say back; without a reply it goes to the core."""

    message: InboundMessage
    reply: Reply | None = None


class Pressing:
    """Sees presses through, up to what they are in words."""

    def __init__(self, *, actions: ChatActions, gate: Gate, commands: ChatCommands) -> None:
        self._actions = actions
        self._gate = gate
        self._commands = commands
        self._notes: set[asyncio.Task[None]] = set()

    async def take(self, channel: Channel, press: Press) -> Pressed | None:
        """Use up what was pressed and do it; None when it does nothing. The press itself is answered meanwhile."""
        standing = await self._gate.standing(channel.id, press.sender.id)
        if standing is Standing.BLOCKED:
            return None
        claimed = await self._actions.claim(press) if standing.let_in else Denied.UNKNOWN
        if isinstance(claimed, Denied):
            self._answer(channel, press, NOTES[claimed])
            return None
        self._answer(channel, press, claimed.label)
        match claimed.action:
            case SendText(text=text):
                return Pressed(_message(press, text))
            case RunCommand(name=name, arguments=arguments):
                call = _call(channel, press, standing, ParsedCommand(name, arguments))
                return Pressed(call.message, await self._commands.run(call))
            case UndoClear() as clear:
                call = _call(channel, press, standing, ParsedCommand("undo"))
                return Pressed(call.message, await self._commands.undo_clear(call, clear))
            case TryAgain() as again:
                call = _call(channel, press, standing, ParsedCommand("retry"))
                return Pressed(call.message, await self._commands.try_again(call, again))

    async def close(self) -> None:
        """Answer no more presses."""
        for note in self._notes:
            note.cancel()
        await asyncio.gather(*self._notes, return_exceptions=True)

    def _answer(self, channel: Channel, press: Press, note: str) -> None:
        """Tell the app at once, and let nobody wait for it: an app that does not hear it just shows a press longer."""
        if isinstance(channel, Presses):
            task = asyncio.create_task(_answer_press(channel, channel.id, press, note), name="answer a press")
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)


async def _answer_press(channel: Presses, channel_id: str, press: Press, note: str) -> None:
    try:
        await channel.answer_press(press, note)
    except ConchError as reason:
        _log.info("a press was not answered", channel=channel_id, reason=str(reason))


def _call(channel: Channel, press: Press, standing: Standing, command: ParsedCommand) -> CommandCall:
    message = _message(press, f"/{command.name} {command.arguments}".rstrip())
    return CommandCall.of(channel, message, command, standing)


def _message(press: Press, text: str) -> InboundMessage:
    """The press as a message of its person. Its id is that of the message with the button, which one press uses up."""
    return InboundMessage(
        chat=press.message.chat,
        sender=press.sender,
        message_id=press.message.message_id,
        text=text,
        update_id=press.update_id,
        at=press.at,
    )
