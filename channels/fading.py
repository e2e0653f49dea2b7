"""Takes the buttons of actions away once they do nothing any more: pressed, replaced, or their time is over. Those that
come after their message it shows (`channels.showing`).

One task looks at what the store says is due and sleeps until the next; a restart changes nothing about that. An edit
is best effort: it goes out only while nothing more important wants to, and is given up when the app will never take it.
Where an app cannot edit, buttons stay, and a press says what became of them.
"""

from dataclasses import replace
from datetime import timedelta

import structlog

from channels.abilities import Edits
from channels.actions import LASTS
from channels.base import ChatRef, MessageRef
from channels.outbox import EXPIRES, Outbox, message_of
from channels.rates import Rates
from channels.rounds import TROUBLE, Rounds
from channels.showing import Late, Showing
from core.clock import Clock
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from core.events import ChatKind
from core.store.actions import ActionRows, Fade, FadingSet
from core.store.database import Database
from core.store.outbox import Letter, OutboxRows, State

_log = structlog.get_logger(__name__)

SOON = timedelta(seconds=0.25)
"""After a press: what it does goes first, and several messages are seen to together."""

ROOM_LATER = timedelta(seconds=2)
"""Until the app may have room for an edit."""

UNSENT = timedelta(minutes=1)
"""Until a message that had not gone out is looked at again."""


class Fading:
    """The life of buttons that are over."""

    def __init__(self, database: Database, outbox: Outbox, clock: Clock) -> None:
        self._database = database
        self._outbox = outbox
        self._clock = clock
        self._rows = ActionRows(database)
        self._letters = OutboxRows(database)
        self._showing = Showing(database, outbox, clock)
        self._rounds = Rounds(self._sweep, clock, SOON, "fading")
        outbox.on_usable(self.wake)

    def start(self) -> None:
        """Look now, and from now on."""
        self._rounds.start()

    def wake(self) -> None:
        """Something may be due that was not before: a set was pressed or replaced, or a channel can be used."""
        self._rounds.wake()

    def show(self, late: Late) -> None:
        """Put buttons under a message that was sent, or is on its way."""
        self._showing.add(late)
        self.wake()

    async def close(self) -> None:
        """Look no more; what is due stays due."""
        await self._rounds.close()

    async def _sweep(self) -> timedelta:
        """Do what is due; how long until the next. Nothing that is offered later is due before an offer's time."""
        channels = self._outbox.usable
        unreachable: set[str] = set()
        fades = []
        for one in await self._rows.fading(channels, self._clock.now()):
            if one.channel_id in unreachable:
                fades.append(self._later(one, TROUBLE))
            else:
                fades.append(await self._fade_safely(one, unreachable))
        if fades:
            await self._database.commit(*fades)
        again = await self._showing.go()
        next_at = await self._rows.next_fading(channels)
        wait = next_at - self._clock.now() if next_at else LASTS
        return wait if again is None else min(wait, again)

    # ---- one message -----------------------------------------------------------------------------------------------

    async def _fade_safely(self, one: FadingSet, unreachable: set[str]) -> Fade:
        try:
            return await self._fade(one)
        except (TryLater, MaybeDone):
            unreachable.add(one.channel_id)
            return self._later(one, TROUBLE)
        except Exception as fault:  # noqa: BLE001 - one message's trouble is not the others'
            _log.error("buttons stay under a message", channel=one.channel_id, key=one.key, exc_info=fault)
            return Fade(one.id)

    async def _fade(self, one: FadingSet) -> Fade:
        channel, rates = self._outbox.channel(one.channel_id), self._outbox.rates(one.channel_id)
        if channel is None or rates is None:
            return self._later(one, TROUBLE)
        letters = await self._letters.of_key(one.under)
        if not letters or not isinstance(channel, Edits):
            return Fade(one.id)
        letter = letters[-1]
        message_id = one.message_id or letter.message_id
        if message_id is not None:
            return await self._edit(one, channel, rates, _message(letter, message_id), letter)
        gone = letter.state in (State.FAILED, State.EXPIRED, State.DROPPED)
        return Fade(one.id) if gone else self._later(one, UNSENT)

    async def _edit(self, one: FadingSet, channel: Edits, rates: Rates, message: MessageRef, letter: Letter) -> Fade:
        if not rates.edit(message.chat):
            return Fade(one.id, self._clock.now() + ROOM_LATER)
        try:
            await channel.edit(message, replace(message_of(letter), buttons=()))
        except TryLater as reason:
            if reason.retry_after is None:
                raise
            rates.hold(message.chat, reason.retry_after)
            return self._later(one, timedelta(seconds=reason.retry_after))
        except Refused as reason:
            if reason.reason is RefusedReason.AUTH:
                return self._later(one, TROUBLE)
            _log.info("buttons stay under a message", channel=one.channel_id, key=one.key, reason=str(reason))
        return Fade(one.id)

    def _later(self, one: FadingSet, wait: timedelta) -> Fade:
        """Try again; not for ever, as the outbox does not either."""
        now = self._clock.now()
        return Fade(one.id, None if now - one.expires_at > EXPIRES else now + wait)


def _message(letter: Letter, message_id: str) -> MessageRef:
    chat = ChatRef(letter.channel_id, letter.chat_id, ChatKind(letter.chat_kind), letter.thread)
    return MessageRef(chat, message_id)
