"""Menus changed where they stand: shown anew after a press, and without buttons once their time is over.

One task takes away the buttons that the store says are due; a restart changes nothing about that. It is best effort: an
app that will never take an edit keeps its buttons, and a press says what became of them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from channels.abilities import Edits
from channels.base import Button, Channel, ChatRef, MessageRef, OutboundMessage
from channels.formatting.parts import format_message
from channels.outbox import Outbox
from channels.rounds import Rounds
from core.clock import Clock
from core.errors import MaybeDone, Refused, TryLater
from core.events import ChatKind
from core.store.database import Database
from core.store.menus import FadeMenu, MenuRecord, MenuRows
from core.store.outbox import OutboxRows

_log = structlog.get_logger(__name__)

LONGEST_WAIT: Final = 5.0
"""Seconds that a press waits for room to edit; then the menu comes as a message of its own."""

A_LITTLE: Final = 0.25

LATER: Final = timedelta(seconds=30)
"""Until buttons that could not be taken away are tried again."""

GIVEN_UP: Final = timedelta(hours=12)
"""After its time a menu keeps its buttons for good."""

AT_MOST: Final = timedelta(minutes=1)
"""Until the next look when nothing is due."""

SOON: Final = timedelta(seconds=0.25)
"""After somebody woke this: what made them do so goes first."""


class MenuEdits:
    """Edits the messages of menus."""

    def __init__(self, database: Database, outbox: Outbox, clock: Clock) -> None:
        self._database = database
        self._outbox = outbox
        self._clock = clock
        self._rows = MenuRows(database)
        self._letters = OutboxRows(database)
        self._rounds = Rounds(self._sweep, clock, SOON, "menus fade")
        outbox.on_usable(self.wake)

    async def show(self, channel: Channel, message: MessageRef, words: str, buttons: Sequence[Button]) -> bool:
        """Make the message say this (Markdown); False when the app does not take it, or has no room for it soon."""
        rates = self._outbox.rates(channel.id)
        if not isinstance(channel, Edits) or rates is None:
            return False
        until = self._clock.monotonic() + LONGEST_WAIT
        while not rates.edit(message.chat):
            if self._clock.monotonic() >= until:
                return False
            await self._clock.sleep(A_LITTLE)
        try:
            await channel.edit(message, _said(channel, message, words, buttons))
        except TryLater as reason:
            if reason.retry_after is not None:
                rates.hold(message.chat, reason.retry_after)
            return False
        except MaybeDone:
            return True
        except Refused as reason:
            _log.info("a menu cannot be changed in place", channel=channel.id, reason=str(reason))
            return False
        return True

    # ---- buttons whose time is over --------------------------------------------------------------------------------

    def start(self) -> None:
        """Look now, and from now on."""
        self._rounds.start()

    def wake(self) -> None:
        """Something may be due that was not before."""
        self._rounds.wake()

    async def close(self) -> None:
        """Look no more; what is due stays due."""
        await self._rounds.close()

    async def _sweep(self) -> timedelta:
        """Do what is due; how long until the next."""
        channels = self._outbox.usable
        for record in await self._rows.fading(channels, self._clock.now()):
            await self._database.commit(FadeMenu(record.token_hash, await self._fade(record)))
        next_at = await self._rows.next_fading(channels)
        return min(AT_MOST, max(timedelta(0), next_at - self._clock.now())) if next_at else AT_MOST

    async def _fade(self, record: MenuRecord) -> datetime | None:
        """Take one menu's buttons away; when to try again, None where that is over."""
        now = self._clock.now()
        again = None if now - record.expires_at > GIVEN_UP else now + LATER
        channel = self._outbox.channel(record.seat.channel_id)
        if channel is None:
            return again
        if not isinstance(channel, Edits):
            return None
        letters = await self._letters.of_key(record.key)
        message_id = record.message_id or (letters[-1].message_id if letters else None)
        if message_id is None:
            return again if letters else None
        return None if await self.show(channel, _message(record, message_id), record.words, ()) else again


def _message(record: MenuRecord, message_id: str) -> MessageRef:
    seat = record.seat
    return MessageRef(ChatRef(seat.channel_id, seat.chat_id, ChatKind.PRIVATE, seat.thread or None), message_id)


def _said(channel: Channel, message: MessageRef, words: str, buttons: Sequence[Button]) -> OutboundMessage:
    able = channel.capabilities
    part = format_message(words, able.dialect, able.max_text)[-1]
    return OutboundMessage(part.text, part.plain, key=f"menu:{message.message_id}", buttons=tuple(buttons))
