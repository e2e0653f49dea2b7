"""Actions where an app has no buttons: a number or a label, typed, picks one of those that were offered last."""

from collections.abc import Sequence

from channels.actions import ChatActions, WaitingActions
from channels.base import Channel, InboundMessage
from channels.choices import Choice, has_buttons, picked
from channels.commands.call import Reply
from channels.gate import Standing
from channels.pressing import NOTES, ActionPresses
from channels.provenance import seat_of
from core.store.actions import Denied
from core.store.database import Database
from core.store.outbox import OutboxRows


class NumberedActions:
    """The hearer of actions' numbers. A yes or a no picks none, unless it is how the action is called."""

    def __init__(self, database: Database, actions: ChatActions, presses: ActionPresses) -> None:
        self._letters = OutboxRows(database)
        self._actions = actions
        self._presses = presses

    async def hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """Do what was picked: of the set that is quoted, else of the newest."""
        if has_buttons(channel.capabilities):
            return None
        seat = seat_of(message)
        meant = await self._meant(message, await self._actions.waiting(seat, message.update_id))
        place = picked(message.text, [Choice(one.label, one.style) for one in meant.actions]) if meant else None
        if meant is None or place is None:
            return None
        claimed = await self._actions.claim_in_words(seat, meant.token_hash, place, message.update_id)
        if isinstance(claimed, Denied):
            return Reply(NOTES[claimed])
        pressed = self._presses.pressed(channel, message, standing, claimed)
        return await pressed.run() if pressed.run else Reply("", say=pressed.message.text)

    async def _meant(self, message: InboundMessage, waiting: Sequence[WaitingActions]) -> WaitingActions | None:
        if message.reply_to is None:
            return waiting[0] if waiting else None
        quoted = message.reply_to.message_id
        for one in waiting:
            if any(letter.message_id == quoted for letter in await self._letters.of_key(one.key)):
                return one
        return waiting[0] if waiting else None
