"""Whose a message is, what makes it one message, and where its answer goes. Pure."""

from collections.abc import Mapping
from typing import Final, Literal

from channels.base import Channel, InboundMessage
from channels.gate import Standing
from core.events import Address, Origin
from core.store.seats import Seat

_ROLES: Final[Mapping[Standing, Literal["owner", "let-in", "guest"]]] = {
    Standing.OWNER: "owner",
    Standing.PERSON: "let-in",
}


def seat_of(message: InboundMessage) -> Seat:
    """The seat of a message's sender in its chat."""
    chat = message.chat
    return Seat(chat.channel_id, chat.id, chat.thread or "", message.sender.id)


def client_id_of(message: InboundMessage) -> str:
    """What makes a message from a chat app one message, whichever road it comes: the app's id of it."""
    return f"{message.chat.channel_id}:{message.chat.id}:{message.message_id}"


def origin_of(channel: Channel, message: InboundMessage, standing: Standing) -> Origin:
    """Who wrote it and where an answer to it goes."""
    chat = message.chat
    address = Address(
        channel_id=channel.id, chat_id=chat.id, chat_kind=chat.kind, thread=chat.thread, reply_to=message.message_id
    )
    return Origin(
        kind="channel",
        person_id=message.sender.id,
        person_name=message.sender.name,
        app=channel.capabilities.title,
        role=_ROLES.get(standing, "guest"),
        address=address,
    )
