"""What Conch itself says back in a chat: replies to commands and short notices, with buttons where they can stand."""

from collections.abc import Sequence

from channels.actions import ChatActions, shows_actions
from channels.base import Button, Channel, ChatRef, InboundMessage
from channels.cards.redrawing import Redrawing
from channels.choices import room_for
from channels.commands.call import Reply
from channels.composing import compose
from channels.fading import Fading
from channels.outbox import Outbox
from core.store.changes import Change
from core.store.inbox import Done
from core.store.outbox import Kind, Post


class Notices:
    """Says things together with what caused them, in one transaction."""

    def __init__(self, outbox: Outbox, actions: ChatActions, fading: Fading, redrawing: Redrawing) -> None:
        self._outbox = outbox
        self._actions = actions
        self._fading = fading
        self._redrawing = redrawing

    async def answer(self, channel: Channel, message: InboundMessage, reply: Reply) -> None:
        """Say what a command came to, and mark its update done, unless something that it started does so."""
        key = reply_key(message)
        actions = reply.actions[: room_for(channel.capabilities)] if shows_actions(channel, message.chat) else ()
        later = reply.say is not None or reply.done_later
        also = reply.also if later else (Done(channel.id, message.update_id), *reply.also)
        buttons: Sequence[Button] = reply.buttons
        if actions and reply.words:
            offered = self._actions.offer(message.chat, message.sender.id, key, actions)
            buttons, also = offered.buttons, (*also, offered.change)
        await self.say(channel, message.chat, key, reply.words, *also, to=message, buttons=buttons, below=reply.below)
        self._fading.wake()
        if reply.below:
            self._redrawing.wake()

    async def reply(self, channel: Channel, message: InboundMessage, words: str | None, *also: Change) -> None:
        """Answer an update (or not) and mark it done."""
        done = Done(channel.id, message.update_id)
        await self.say(channel, message.chat, reply_key(message), words or "", done, *also, to=message)

    async def remark(self, channel: Channel, message: InboundMessage, kind: str, words: str) -> None:
        """Say something about a message that is still to be answered; one remark of each kind."""
        await self.say(channel, message.chat, f"{channel.id}:{message.update_id}:{kind}", words, to=message)

    async def say(
        self,
        channel: Channel,
        chat: ChatRef,
        key: str,
        words: str,
        *also: Change,
        to: InboundMessage | None = None,
        buttons: Sequence[Button] = (),
        below: Sequence[Post] = (),
    ) -> None:
        """Say something (Markdown) under a key of its own; with no words, only `also` is stored.

        In a group it is a reply `to` a message, so that people see whom it is for. `below` goes out after it.
        """
        reply_to = to.message_id if to is not None else None
        posts = compose(channel.capabilities, chat, key, words, reply_to=reply_to, kind=Kind.NOTICE, buttons=buttons)
        await self._outbox.post((*posts, *below), *also)


def reply_key(message: InboundMessage) -> str:
    """The key, in the outbox, of what is said back to an update."""
    return f"{message.chat.channel_id}:{message.update_id}:reply"
