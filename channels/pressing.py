"""What a press comes to: what its button stands for, as if the same person had typed it, with the same checks.

Whose a button is, is asked of the claimants in turn: each knows its own tokens by how they begin. Whoever may not press
hears so in the quiet note that answers the press, and so does who comes too late.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol

import structlog

from channels.abilities import Presses
from channels.actions import (
    ChatActions,
    LabelledAction,
    RunCommand,
    SendText,
    ShowSummary,
    TryAgain,
    UndoClear,
)
from channels.base import Channel, InboundMessage, Press
from channels.commands.call import CommandCall, Reply
from channels.commands.chat import ChatCommands
from channels.gate import Gate, Standing
from commands.parsing import ParsedCommand, written_in
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
class Note:
    """A press that comes to nothing more than this word at the top of the screen (None: to nothing at all).

    `confirms`: it only repeats what was pressed, and the chat shows what came of that.
    """

    words: str | None
    confirms: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press that counts: as a message of its person, with the `note` that answers the press.

    `run` does what it stands for, and is called once the press is answered; without it, the message goes to the core.
    """

    message: InboundMessage
    note: Note
    run: Callable[[], Awaitable[Reply]] | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a press that counted came to: what to say back, or without a reply the message for the core."""

    message: InboundMessage
    reply: Reply | None = None


class Claimant(Protocol):
    """Somebody whose buttons can be pressed."""

    async def claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        """Use up what was pressed by somebody who was let in; None: the button is somebody else's.

        The same press may come again when the program ended before it was seen through.

        Raises:
            StoreUnavailable: nothing was used up.
        """
        ...


class Pressing:
    """Sees presses through, up to what they are in words."""

    def __init__(self, gate: Gate, claimants: Sequence[Claimant]) -> None:
        self._gate = gate
        self._claimants = tuple(claimants)
        self._notes: set[asyncio.Task[None]] = set()

    async def take(self, channel: Channel, press: Press) -> Taken | None:
        """Use up what was pressed and do it; None when it does nothing more. The press is answered meanwhile."""
        standing = await self._gate.standing(channel.id, press.sender.id)
        if standing is Standing.BLOCKED:
            return None
        claimed = await self._claim(channel, press, standing) if standing.let_in else None
        if isinstance(claimed, Pressed):
            self._answer(channel, press, claimed.note)
            return Taken(claimed.message, await claimed.run() if claimed.run else None)
        self._answer(channel, press, claimed or Note(NOTES[Denied.UNKNOWN]))
        return None

    async def _claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        for claimant in self._claimants:
            if (claimed := await claimant.claim(channel, press, standing)) is not None:
                return claimed
        return None

    async def close(self) -> None:
        """Answer no more presses."""
        for note in self._notes:
            note.cancel()
        await asyncio.gather(*self._notes, return_exceptions=True)

    def _answer(self, channel: Channel, press: Press, note: Note) -> None:
        """Tell the app at once, and let nobody wait for it: an app that does not hear it just shows a press longer."""
        if isinstance(channel, Presses):
            is_left_out = note.confirms and not channel.capabilities.notes_pass
            words = written_in(channel.capabilities.kind, note.words) if note.words and not is_left_out else None
            task = asyncio.create_task(_answer_press(channel, channel.id, press, words), name="answer a press")
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)


class ActionPresses:
    """The claimant of one-tap actions."""

    def __init__(self, actions: ChatActions, commands: ChatCommands) -> None:
        self._actions = actions
        self._commands = commands

    async def claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        """Use up the set; what it stands for is done with the same checks as what is typed."""
        if not self._actions.is_ours(press.token):
            return None
        claimed = await self._actions.claim(press)
        if isinstance(claimed, Denied):
            return Note(NOTES[claimed])
        return self.pressed(channel, message_of_press(press, ""), standing, claimed)

    def pressed(self, channel: Channel, by: InboundMessage, standing: Standing, claimed: LabelledAction) -> Pressed:
        """What an action that was claimed comes to, by a message of its person or a press as one."""
        label = Note(claimed.label, confirms=True)
        match claimed.action:
            case SendText(text=text):
                return Pressed(replace(by, text=text), label)
            case RunCommand(name=name, arguments=arguments):
                call = _call(channel, by, standing, ParsedCommand(name, arguments))
                return Pressed(call.message, label, partial(self._commands.run, call))
            case UndoClear() as clear:
                call = _call(channel, by, standing, ParsedCommand("undo"))
                return Pressed(call.message, label, partial(self._commands.undo_clear, call, clear))
            case TryAgain() as again:
                call = _call(channel, by, standing, ParsedCommand("retry"))
                return Pressed(call.message, label, partial(self._commands.try_again, call, again))
            case ShowSummary() as summary:
                call = _call(channel, by, standing, ParsedCommand("compact"))
                return Pressed(call.message, label, partial(self._commands.show_summary, call, summary))


async def _answer_press(channel: Presses, channel_id: str, press: Press, note: str | None) -> None:
    try:
        await channel.answer_press(press, note)
    except ConchError as reason:
        _log.info("a press was not answered", channel=channel_id, reason=str(reason))


def _call(channel: Channel, by: InboundMessage, standing: Standing, command: ParsedCommand) -> CommandCall:
    message = replace(by, text=f"/{command.name} {command.arguments}".rstrip())
    return CommandCall.of(channel, message, command, standing)


def message_of_press(press: Press, text: str) -> InboundMessage:
    """The press as a message of its person. Its id is that of the message with the button, which one press uses up."""
    return InboundMessage(
        chat=press.message.chat,
        sender=press.sender,
        message_id=press.message.message_id,
        text=text,
        update_id=press.update_id,
        at=press.at,
    )
