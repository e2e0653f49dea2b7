"""Commands as they are handed over once the gate has let them through."""

from datetime import UTC, datetime

from channels.base import ChatRef, InboundMessage, Sender
from channels.commands.call import CommandCall
from channels.gate import Standing
from channels.provenance import seat_of
from commands.parsing import parse_chat_command
from core.events import ChatKind, Origin
from core.store.seats import Seat

SEAT = Seat("bot", "7", "", "7")
"""Where they are typed."""


def call(
    text: str,
    *,
    standing: Standing = Standing.OWNER,
    chat: ChatKind = ChatKind.PRIVATE,
    kind: str = "telegram",
    update_id: str = "u1",
    forwarded_from: str | None = None,
) -> CommandCall:
    """A command as it was typed there."""
    message = InboundMessage(
        chat=ChatRef(SEAT.channel_id, SEAT.chat_id, chat),
        sender=Sender(SEAT.person_id, "Ada"),
        message_id="m1",
        text=text,
        update_id=update_id,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        forwarded_from=forwarded_from,
    )
    command = parse_chat_command(text)
    assert command is not None
    return CommandCall(command, kind, seat_of(message), standing, message, Origin(kind="channel"))
