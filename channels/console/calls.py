"""A command as the owner gives it in the console."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from channels.base import ChatRef, InboundMessage, Sender
from channels.commands.call import CommandCall
from channels.console.seats import CONSOLE, seat_in
from channels.gate import Standing
from commands.command import Place
from commands.parsing import ParsedCommand
from core.events import ChatKind, Origin

NO_LIMIT = 100
"""Buttons that can stand under an answer: there is room for all."""


@dataclass(frozen=True, slots=True)
class ConsoleCall(CommandCall):
    """The same as in a chat app; the place is the console, where the owner has every command."""

    @property
    def place(self) -> Place:
        """Where it was typed, as the registry sees it."""
        return Place.CONSOLE


def call_of(command: ParsedCommand, conversation_id: str, at: datetime, client_id: str | None = None) -> ConsoleCall:
    """The call that words in the composer are. `client_id` makes it one call, also when it is sent twice."""
    chat = ChatRef(CONSOLE, conversation_id, ChatKind.PRIVATE)
    update_id = client_id or uuid.uuid4().hex
    owner = Sender(CONSOLE, "The console")
    message = InboundMessage(chat, owner, update_id, "", update_id, at)
    origin = Origin(kind="console", role="owner")
    return ConsoleCall(command, CONSOLE, seat_in(conversation_id), Standing.OWNER, message, origin, NO_LIMIT)
