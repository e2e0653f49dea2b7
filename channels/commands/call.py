"""A command on its way: what was typed, by whom and where, and what is said back. What it does is its own module's."""

import re
from dataclasses import dataclass
from typing import Protocol, Self

from channels.actions import LabelledAction, RunCommand, shows_actions
from channels.base import Button, ButtonStyle, Channel, InboundMessage
from channels.gate import Standing
from channels.provenance import origin_of, seat_of
from commands.command import Place
from commands.parsing import ParsedCommand, slash_in
from core.events import ChatKind, Origin
from core.store.changes import Change
from core.store.outbox import Post
from core.store.seats import Seat

LONGEST_WRITTEN = 80
"""Characters of a command with its words, where it is written in a sentence of ours."""

_BACKTICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A command that somebody who was let in typed, or tapped, in a chat app of this `kind`.

    `origin` is where an answer goes. `message` is the update as a message of theirs, also when they tapped. `room` is
    how many buttons can stand under an answer here; 0 where none can.
    """

    command: ParsedCommand
    kind: str
    seat: Seat
    standing: Standing
    message: InboundMessage
    origin: Origin
    room: int = 0

    @classmethod
    def of(cls, channel: Channel, message: InboundMessage, command: ParsedCommand, standing: Standing) -> Self:
        """The call that a message, or a press as a message, is."""
        origin = origin_of(channel, message, standing)
        able = channel.capabilities
        room = able.button_limit if shows_actions(channel, message.chat) else 0
        return cls(command, able.kind, seat_of(message), standing, message, origin, room)

    @property
    def place(self) -> Place:
        """Where it was typed, as the registry sees it."""
        if self.message.chat.kind is ChatKind.GROUP:
            return Place.GROUP
        return Place.OWNER_CHAT if self.standing is Standing.OWNER else Place.PERSON_CHAT

    @property
    def client_id(self) -> str:
        """What makes this call one call, also when the update is seen through a second time after a crash."""
        return f"{self.seat.channel_id}:update:{self.message.update_id}"

    def written(self, arguments: str = "", name: str | None = None) -> str:
        """As Markdown, how this command (by the name that was typed) or another is written here."""
        return _code(slash_in(self.kind, name or self.command.name, arguments))

    def again(self, label: str, arguments: str, style: ButtonStyle = ButtonStyle.PLAIN) -> LabelledAction:
        """A button that runs this command with other words; by the name that was typed, which means the same again."""
        return LabelledAction(label, RunCommand(name=self.command.name, arguments=arguments), style)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said back (Markdown), and what is stored together with it.

    `below` are cards that follow it. `actions` become buttons under it, for ten minutes. Groups and apps without
    buttons do not show them, so the words must say what to type. `buttons` are ready ones, in their place. `say` goes
    to the core as the person's own message, once `words` are said.
    """

    words: str
    also: tuple[Change, ...] = ()
    actions: tuple[LabelledAction, ...] = ()
    say: str | None = None
    buttons: tuple[Button, ...] = ()
    below: tuple[Post, ...] = ()
    done_later: bool = False
    """The update stays in the inbox until what it started marks it done."""


class ChatCommand(Protocol):
    """One command. Who may run it was decided before."""

    async def run(self, call: CommandCall) -> Reply:
        """Do it, or say why not.

        Raises:
            Busy: something goes on in the conversation that has to end first.
            NotFound: the conversation is not there any more.
            StoreUnavailable: nothing was done.
        """
        ...


def _code(text: str) -> str:
    """Markdown that shows the text as it is, in code, on one line."""
    words = " ".join(text.split())
    if len(words) > LONGEST_WRITTEN:
        words = words[: LONGEST_WRITTEN - 1].rstrip() + "…"
    longest = max((len(run) for run in _BACKTICKS.findall(words)), default=0)
    if not longest:
        return f"`{words}`"
    fence = "`" * (longest + 1)
    return f"{fence} {words} {fence}"
