"""Keeps cards in chats as they are: filled in, decided, a plan further on. The edits that nobody waits for.

An edit goes out only while nothing more important wants to, and is given up when the app will never take it. A restart
changes nothing about what is still to be shown. Where an app cannot edit, a card says what it said.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from channels.abilities import Edits
from channels.base import Channel, MessageRef, OutboundMessage
from channels.cards.faces import asked_of, face_of, key_in
from channels.cards.places import chat_of_place
from channels.composing import compose
from channels.outbox import EXPIRES, Outbox, message_of
from channels.rates import Rates
from channels.rounds import TROUBLE, Rounds
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.store.cards import CardKind, CardRecord, CardRows, Redrawn
from core.store.database import Database
from core.store.log import EventLog
from core.store.outbox import Kind, Letter, OutboxRows, State

_log = structlog.get_logger(__name__)

SOON = timedelta(seconds=0.05)
"""After a change: what is said goes first, and several changes are shown as one."""

ROOM_LATER = timedelta(seconds=1)
"""Until the app may have room for an edit."""

UNSENT = timedelta(seconds=1)
"""Until a card that had not gone out is looked at again."""

A_WHILE = timedelta(minutes=10)
"""Between looks where nothing is due; whoever changes something wakes the task."""


class Redrawing:
    """Shows cards anew."""

    def __init__(self, database: Database, outbox: Outbox, clock: Clock) -> None:
        self._database = database
        self._outbox = outbox
        self._clock = clock
        self._rows = CardRows(database)
        self._letters = OutboxRows(database)
        self._log = EventLog(database)
        self._left: deque[CardRecord] = deque(maxlen=100)
        self._next_step: dict[int, datetime] = {}
        """When a checklist that goes on may be shown again: many steps at once are one edit."""
        self._rounds = Rounds(self._round, clock, SOON, "redrawing")
        outbox.on_usable(self.wake)

    def start(self) -> None:
        """Look now, and from now on."""
        self._rounds.start()

    def wake(self) -> None:
        """Something may look different by now, or a channel can be used."""
        self._rounds.wake()

    def take_buttons(self, card: CardRecord) -> None:
        """The card goes on in another message: take the buttons of this one away, now or never."""
        self._left.append(card)
        self.wake()

    async def close(self) -> None:
        """Look no more; what is still to be shown stays so."""
        await self._rounds.close()

    async def _round(self) -> timedelta:
        """Show what is due; how long until the next."""
        while self._left:
            await self._safely(self._left[0], self._strip)
            self._left.popleft()
        channels = self._outbox.usable
        if not channels:
            return A_WHILE
        for card in await self._rows.to_redraw(channels, self._clock.now()):
            await self._database.commit(Redrawn(card.id, card.version, await self._safely(card, self._show)))
        next_at = await self._rows.next_redraw(channels)
        return max(next_at - self._clock.now(), timedelta()) if next_at else A_WHILE

    # ---- one card --------------------------------------------------------------------------------------------------

    async def _safely(
        self, card: CardRecord, show: Callable[[CardRecord], Awaitable[datetime | None]]
    ) -> datetime | None:
        """When to try again; None when it is shown, or never will be."""
        try:
            return await show(card)
        except TryLater as reason:
            return self._later(card, timedelta(seconds=reason.retry_after or TROUBLE.total_seconds()))
        except MaybeDone:
            return self._later(card, TROUBLE)
        except Refused as reason:
            if reason.reason is RefusedReason.AUTH:
                return self._later(card, TROUBLE)
            _log.info("a card stays as it is", channel=card.place.channel_id, key=card.key, reason=str(reason))
        except Exception as fault:  # noqa: BLE001 - one card's trouble is not the others'
            _log.error("a card stays as it is", channel=card.place.channel_id, key=card.key, exc_info=fault)
        return None

    async def _strip(self, card: CardRecord) -> datetime | None:
        """The field that was asked here stays as it stood, and what could be pressed goes."""
        channel = self._outbox.channel(card.place.channel_id)
        letters = await self._letters.of_key(card.key)
        message_id = card.message_id or (letters[-1].message_id if letters else None)
        if channel is None or message_id is None or not letters or not isinstance(channel, Edits):
            return None
        if (new := await self._message(card, channel, None)) is not None:
            await channel.edit(MessageRef(chat_of_place(card.place), message_id), new)
        return None

    async def _show(self, card: CardRecord) -> datetime | None:
        channel_id = card.place.channel_id
        channel, rates = self._outbox.channel(channel_id), self._outbox.rates(channel_id)
        if channel is None or rates is None:
            return self._later(card, TROUBLE)
        letters = await self._letters.of_key(card.key)
        if not letters:
            return None
        letter = letters[-1]
        message_id = card.message_id or letter.message_id
        if message_id is None:
            gone = letter.state in (State.FAILED, State.EXPIRED, State.DROPPED)
            return None if gone else self._later(card, UNSENT)
        return await self._edit(card, channel, rates, letter, message_id)

    async def _edit(
        self, card: CardRecord, channel: Channel, rates: Rates, letter: Letter, message_id: str
    ) -> datetime | None:
        new, chat = await self._message(card, channel, key_in(letter)), chat_of_place(card.place)
        if new is None or not isinstance(channel, Edits):
            return None
        if (early := self._next_step.get(card.id)) and card.open and early > self._clock.now():
            return early
        if not rates.edit(chat):
            return self._clock.now() + ROOM_LATER
        self._note_step(card, channel)
        try:
            await channel.edit(MessageRef(chat, message_id), new)
        except TryLater as reason:
            if reason.retry_after is not None:
                rates.hold(chat, reason.retry_after)
            raise
        return None

    def _note_step(self, card: CardRecord, channel: Channel) -> None:
        if card.kind is CardKind.PLAN and card.open:
            self._next_step[card.id] = self._clock.now() + timedelta(seconds=channel.capabilities.preview_every)
        else:
            self._next_step.pop(card.id, None)

    async def _message(self, card: CardRecord, channel: Channel, key: str | None) -> OutboundMessage | None:
        """What the card says, with the buttons of a key; one message, as every card is."""
        asked = await asked_of(self._log, card)
        if asked is None:
            return None
        capabilities = channel.capabilities
        face = face_of(card, asked, channel, key)
        posts = compose(
            capabilities,
            chat_of_place(card.place),
            card.key,
            face.markdown,
            kind=Kind.NOTICE,
            buttons=face.buttons,
            form=face.form,
        )
        return message_of(posts[-1]) if posts else None

    def _later(self, card: CardRecord, wait: timedelta) -> datetime | None:
        """Try again; not for ever, as the outbox does not either."""
        now = self._clock.now()
        return None if now - card.created_at > EXPIRES * 4 else now + wait
