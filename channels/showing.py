"""Puts buttons under a message that is on its way already, or was seen: an edit that nobody waits for.

What was replaced, used or is over meanwhile is not shown any more. Whoever takes buttons away (`channels.fading`) does
both in turn, so that the newer of the two is what stays. An end of the program forgets what was not shown yet.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from channels.abilities import Edits
from channels.base import Button, ChatRef, MessageRef, OutboundMessage
from channels.outbox import Outbox, message_of
from channels.rates import Rates
from core.clock import Clock
from core.errors import MaybeDone, Refused, TryLater
from core.store.actions import ActionRows, OfferActions
from core.store.database import Database
from core.store.outbox import OutboxRows, State

_log = structlog.get_logger(__name__)

AGAIN: Final = timedelta(seconds=1)
"""Until the app may have room for an edit, or the message may have gone out."""

MOST: Final = 200
"""Messages that wait for their buttons; the oldest goes without."""


@dataclass(frozen=True, slots=True)
class Late:
    """Buttons for the last part of the message with this key, and the set that they belong to."""

    key: str
    chat: ChatRef
    buttons: Sequence[Button]
    offer: OfferActions


class Showing:
    """The buttons that come after their message."""

    def __init__(self, database: Database, outbox: Outbox, clock: Clock) -> None:
        self._rows = ActionRows(database)
        self._letters = OutboxRows(database)
        self._outbox = outbox
        self._clock = clock
        self._waiting: deque[Late] = deque(maxlen=MOST)

    def add(self, late: Late) -> None:
        """Show these soon."""
        self._waiting.append(late)

    async def go(self) -> timedelta | None:
        """Show what can be shown now; how long until the next try, None when nothing is left."""
        for _ in range(len(self._waiting)):
            late = self._waiting.popleft()
            if not await self._shown(late):
                self._waiting.append(late)
        return AGAIN if self._waiting else None

    async def _shown(self, late: Late) -> bool:
        """Whether it is seen to: shown, or never will be."""
        if not await self._rows.is_open(late.offer.token_hash, self._clock.now()):
            return True
        channel, rates = self._outbox.channel(late.chat.channel_id), self._outbox.rates(late.chat.channel_id)
        letters = await self._letters.of_key(late.key)
        if not letters or letters[-1].state in (State.FAILED, State.EXPIRED, State.DROPPED):
            return True
        if channel is None or rates is None or letters[-1].message_id is None:
            return False
        if not isinstance(channel, Edits):
            return True
        new = replace(message_of(letters[-1]), buttons=tuple(late.buttons))
        message = MessageRef(late.chat, letters[-1].message_id)
        return await self._edited(channel, rates, late, message, new) if rates.edit(late.chat) else False

    async def _edited(
        self, channel: Edits, rates: Rates, late: Late, message: MessageRef, new: OutboundMessage
    ) -> bool:
        try:
            await channel.edit(message, new)
        except TryLater as reason:
            if reason.retry_after is not None:
                rates.hold(late.chat, reason.retry_after)
            return False
        except MaybeDone:
            return False
        except Refused as reason:
            _log.info("a message stays without buttons", channel=late.chat.channel_id, key=late.key, reason=str(reason))
        return True
