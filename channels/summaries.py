"""What a chat is told when the older part of it became a summary, and the button that shows this."""

from typing import Final

import structlog

from channels.actions import ChatActions, LabelledAction, Offered, ShowSummary, shows_actions
from channels.base import Channel, ChatRef
from commands.parsing import slash_in
from core.errors import StoreUnavailable
from core.events import ChatKind, ContextCompacted, Event, UserMessage
from core.store.log import EventLog

_log = structlog.get_logger(__name__)

LABEL: Final = "Show the summary"

SHOWN: Final = 12_000
"""Characters of a summary that are shown in a chat: a few messages."""


class Summaries:
    """Tells chats of folds."""

    def __init__(self, log: EventLog, actions: ChatActions) -> None:
        self._log = log
        self._actions = actions

    async def told(
        self, channel: Channel, chat: ChatRef, key: str, event: Event, fold: ContextCompacted
    ) -> tuple[str, Offered | None]:
        """The words for the message with this key, and a button under it where one can stand.

        Without buttons the owner is told what to type. In a group nobody is: others would see it.
        """
        words = told_of(fold)
        if not fold.summary or chat.kind is ChatKind.GROUP:
            return words, None
        asked = await self._newest_message(event.conversation_id)
        person_id = fold.by or (asked.origin.person_id if asked else None)
        if person_id is not None and shows_actions(channel, chat):
            action = ShowSummary(conversation_id=event.conversation_id, seq=event.seq)
            return words, self._actions.offer(chat, person_id, key, (LabelledAction(LABEL, action),))
        if asked and asked.origin.role == "owner":
            words += f" `{slash_in(channel.capabilities.kind, 'status', '')}` shows how the summary begins."
        return words, None

    async def _newest_message(self, conversation_id: str) -> UserMessage | None:
        try:
            seq = (await self._log.state(conversation_id)).last_user_seq
            if seq is None:
                return None
            [event] = await self._log.read(conversation_id, after=seq - 1, limit=1)
        except StoreUnavailable as reason:
            _log.warning("a fold is told without a button", reason=str(reason))
            return None
        return event.data if isinstance(event.data, UserMessage) else None


def told_of(fold: ContextCompacted) -> str:
    """A fold in one sentence."""
    what = folded(fold)
    if not fold.summary:
        return f"This chat had grown too long and could not be summed up just now, so I no longer know {what}."
    if fold.asked:
        return f"I summed up {what}. What came after that I still know word for word."
    return f"This chat had grown long, so I summed up {what} to make room."


def folded(fold: ContextCompacted) -> str:
    """How much of a conversation was folded."""
    return "1 earlier message and its answer" if fold.turns == 1 else f"{fold.turns} earlier messages and their answers"


def shown(fold: ContextCompacted) -> str:
    """The summary as a message, cut where it would be more than a few."""
    words = f"Here is how I remember {folded(fold)}:\n\n{fold.summary}"
    if len(words) <= SHOWN:
        return words
    return f"{words[:SHOWN].rstrip()}…\n\n(This is its beginning; the whole has {len(fold.summary):,} characters.)"
