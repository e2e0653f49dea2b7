"""Chips under an answer: what may be sent next with one tap, gone as soon as anything newer is in the conversation.

They stand only in the private chat of the person who was answered, and only where there are buttons. A chip is an
action that sends its own words; what a press does is in `channels.pressing`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import structlog

from channels.actions import ChatActions, LabelledAction, Offered, SendText, shows_actions
from channels.base import Button, Channel, ChatRef
from channels.choices import has_buttons
from channels.outbox import message_of, post_of
from core.conversation_changes import adds_to_the_chat
from core.errors import StoreUnavailable
from core.events import ChatKind, Event, Replies, UserMessage
from core.store.actions import UNDER_CHIPS, ActionRows, CloseSet
from core.store.log import EventLog
from core.store.outbox import Kind, Post

_log = structlog.get_logger(__name__)

MOST_STANDING: Final = 10_000
"""Conversations whose chips are remembered as standing; of an older one they go when their time is over."""


class Chips:
    """Offers chips, and says which buttons go when something newer comes."""

    def __init__(self, log: EventLog, rows: ActionRows, actions: ChatActions) -> None:
        self._log = log
        self._rows = rows
        self._actions = actions
        self._standing: dict[str, str] = {}
        """The keys of the chips that stand, by conversation."""

    async def recover(self) -> None:
        """Know again what an earlier life of the program left standing.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        for key in await self._rows.open_under(UNDER_CHIPS):
            self._standing[key.rsplit(":", 3)[0]] = key

    async def offer(self, channel: Channel, chat: ChatRef, key: str, event: Event, said: Replies) -> Offered | None:
        """Buttons for the message with this key; None where none can stand, or something newer came already."""
        if not (has_buttons(channel.capabilities) and shows_actions(channel, chat)):
            return None
        person_id = await self._whose(event.conversation_id, said)
        if person_id is None:
            return None
        labelled = [LabelledAction(reply.text, SendText(text=reply.text)) for reply in said.replies]
        own_key = f"{key}{UNDER_CHIPS}"
        self._standing[event.conversation_id] = own_key
        if len(self._standing) > MOST_STANDING:
            del self._standing[next(iter(self._standing))]
        return self._actions.offer(chat, person_id, own_key, labelled)

    def taken_by(self, event: Event) -> bool:
        """Whether chips stand that this event takes away."""
        return event.conversation_id in self._standing and adds_to_the_chat(event.data)

    def take_away(self, conversation_id: str) -> CloseSet | None:
        """What closes the chips of a conversation; None where none stand."""
        key = self._standing.pop(conversation_id, None)
        return CloseSet(key) if key is not None else None

    async def _whose(self, conversation_id: str, said: Replies) -> str | None:
        """Who was answered, while these are the newest chips."""
        try:
            state = await self._log.state(conversation_id)
            if state.replies != said.replies or state.last_user_seq is None:
                return None
            [asked] = await self._log.read(conversation_id, after=state.last_user_seq - 1, limit=1)
        except StoreUnavailable as reason:
            _log.warning("an answer stands without chips", reason=str(reason))
            return None
        return asked.data.origin.person_id if isinstance(asked.data, UserMessage) else None


def with_buttons(posts: Sequence[Post], key: str, buttons: Sequence[Button]) -> list[Post] | None:
    """The posts with buttons under the last part of the message with this key; None where it is not among them."""
    places = [place for place, post in enumerate(posts) if post.key == key]
    if not places:
        return None
    last = posts[places[-1]]
    chat = ChatRef(last.channel_id, last.chat_id, ChatKind(last.chat_kind), last.thread)
    message = replace(message_of(last), buttons=tuple(buttons))
    under = list(posts)
    under[places[-1]] = post_of(key, last.part, last.of, chat, message, Kind(last.kind))
    return under
