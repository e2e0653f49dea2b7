"""One update on its way, parsed: which chat's lane it goes through, and who waits for words about it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from channels.abilities import Completes
from channels.base import Channel, ChatRef, Edited, Inbound, InboundMessage, Moved, Press
from channels.groups import asks_the_bot
from commands.parsing import parse_chat_command
from core.events import ChatKind

ChatKey = tuple[str, str, str | None]
"""What comes from one chat is taken in order."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One update on its way, parsed."""

    channel: Channel
    update_id: str
    inbound: Inbound | None
    payload: Mapping[str, Any]


async def completed(arrival: Arrival) -> Arrival:
    """With the names that were not known when it was stored, for which the app did not have to wait."""
    channel = arrival.channel
    if arrival.inbound is None or not isinstance(channel, Completes):
        return arrival
    found = channel.parse(await channel.complete(arrival.payload))
    # An app that names by ids brings one thing at a time.
    return replace(arrival, inbound=found[0]) if len(found) == 1 else arrival


def waiting_for_words(inbound: Inbound | None) -> ChatRef | None:
    """The chat in which somebody waits for something to be said, whatever happens."""
    match inbound:
        case InboundMessage(chat=chat) as message:
            asks = chat.kind is ChatKind.PRIVATE or asks_the_bot(message, parse_chat_command(message.text))
            return chat if asks else None
        case Press(message=ref) if ref.chat.kind is ChatKind.PRIVATE:
            return ref.chat
    return None


def key_of(channel: Channel, inbound: Inbound | None) -> ChatKey:
    """The lane: a thread is a chat of its own."""
    match inbound:
        case None:
            return (channel.id, "", None)
        case Edited(message=message) | (InboundMessage() as message):
            chat = message.chat
        case Press(message=ref):
            chat = ref.chat
        case Moved(new=chat):  # whatever is said there comes after it
            pass
        case _:
            chat = inbound.chat
    return (channel.id, chat.id, chat.thread)
