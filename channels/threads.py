"""Threads of groups, where an app has them: when the bot reads on there, and how people are told where it does not."""

from dataclasses import replace

from channels.abilities import Threads
from channels.base import Channel, ChatRef, InboundMessage, OutboundMessage
from channels.outbox import post_of
from core.events import ChatKind
from core.store.outbox import Kind, Post

MENTION_ME = "To talk to me here, mention me or reply to one of my messages. I don't read anything else here."
"""Also true in the channel itself, where it stands if the thread could not be opened."""


def reads_on(channel: Channel, chat: ChatRef) -> bool:
    """Whether what is said in this chat without a mention of the bot may be for it."""
    return _is_thread(chat) and isinstance(channel, Threads) and channel.reads_on


def how_to_go_on(channel: Channel, chat: ChatRef) -> tuple[Post, ...]:
    """What is said once in a thread where the bot does not read on: under a key of the thread, which goes out once."""
    if not (_is_thread(chat) and isinstance(channel, Threads)) or channel.reads_on:
        return ()
    key = f"{chat.channel_id}:{chat.id}:{chat.thread}:mention me"
    words = OutboundMessage(text=MENTION_ME, fallback=MENTION_ME, key=key, silent=True)
    return (post_of(key, 0, 1, chat, words, Kind.NOTICE),)


def opening_none(channel: Channel, message: InboundMessage) -> InboundMessage:
    """The message as one whose reply opens no thread of its own: for a remark that is no answer.

    A thread that the message itself would open has the message's id.
    """
    chat = message.chat
    if not channel.capabilities.threads_are_rooms or chat.thread != message.message_id:
        return message
    return replace(message, chat=replace(chat, thread=None))


def _is_thread(chat: ChatRef) -> bool:
    return chat.kind is ChatKind.GROUP and chat.thread is not None
