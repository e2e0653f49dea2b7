"""The button under the word that an answer was cut off: a turn that the program's end cut off never runs by itself."""

from typing import Final

import structlog

from channels.actions import ChatActions, LabelledAction, Offered, TryAgain, shows_actions
from channels.base import Channel, ChatRef
from core.errors import StoreUnavailable
from core.events import TurnCompleted, UserMessage
from core.store.log import EventLog

_log = structlog.get_logger(__name__)

LABEL: Final = "Try again"


class SecondTry:
    """Offers to answer again what a cut-off turn was about, to the person whose message that was."""

    def __init__(self, log: EventLog, actions: ChatActions) -> None:
        self._log = log
        self._actions = actions

    async def offer(
        self, channel: Channel, chat: ChatRef, key: str, conversation_id: str, turn_seq: int, end: TurnCompleted
    ) -> Offered | None:
        """A button for the message with this key; None where none can stand, or something was said since."""
        if end.cut_off_by != "restart" or not shows_actions(channel, chat):
            return None
        person_id = await self._asked_by(conversation_id, turn_seq)
        if person_id is None:
            return None
        action = LabelledAction(LABEL, TryAgain(conversation_id=conversation_id, seq=turn_seq))
        return self._actions.offer(chat, person_id, key, (action,))

    async def _asked_by(self, conversation_id: str, turn_seq: int) -> str | None:
        """Whose message the turn answered, while it is the newest."""
        try:
            state = await self._log.state(conversation_id)
            if state.last_user_seq is None or state.last_said_seq != turn_seq:
                return None
            [asked] = await self._log.read(conversation_id, after=state.last_user_seq - 1, limit=1)
        except StoreUnavailable as reason:
            _log.warning("a cut-off answer is told without a button", reason=str(reason))
            return None
        return asked.data.origin.person_id if isinstance(asked.data, UserMessage) else None
