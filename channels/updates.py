"""One update on its way, parsed: which chat's lane it goes through, and who waits for words about it. Pure."""

from dataclasses import dataclass

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
