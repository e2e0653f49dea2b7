"""Messages on their way from a seat into the core: gathered, then sent one batch after another.

What is here is not stored here: its inbox rows are not done until the core has taken the batch, so a crash loses
nothing. A stop empties it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import islice

from channels.base import InboundMessage
from channels.gathering import Intake
from core.clock import Clock
from core.lanes import Lanes
from core.preferences import Preferences
from core.store.seats import Seat

TOGETHER = 20
"""Batches of one seat that the core takes as one when they have to wait for it."""


@dataclass(slots=True)
class Batch:
    """Messages of one seat that go to the core as one. `dropped`: a stop came before the core took them."""

    seat: Seat
    messages: list[InboundMessage]
    dropped: bool = False


@dataclass(slots=True)
class _Arriving:
    intake: Intake
    timer: asyncio.Task[None] | None = None
    sending: list[Batch] = field(default_factory=list)


class Arrivals:
    """Gathers what people write and hands it over in batches, in order per seat."""

    def __init__(
        self,
        send: Callable[[Batch], Awaitable[None]],
        on_fault: Callable[[Seat, BaseException], None],
        preferences: Preferences,
        clock: Clock,
    ) -> None:
        self._send = send
        self._preferences = preferences
        self._clock = clock
        self._seats: dict[Seat, _Arriving] = {}
        self._lanes: Lanes[Seat, Batch] = Lanes(self._hand_over, on_fault, at_once=TOGETHER)

    def take(self, seat: Seat, message: InboundMessage) -> bool:
        """A message came in; True when its sender should hear, once, that messages have to wait."""
        now = self._clock.monotonic()
        arriving = self._seats.pop(seat, None) or self._new()
        self._keep_to_settings(arriving.intake)
        self._forget_quiet(now)
        self._seats[seat] = arriving  # whoever wrote last stands last
        taken = arriving.intake.take(message, now)
        if taken.release_at <= now:
            self._release(seat, arriving)
        elif arriving.timer is None:
            arriving.timer = asyncio.create_task(self._release_in_time(seat, arriving), name="gathering")
        return taken.tell_to_slow_down

    def replace(self, seat: Seat, message: InboundMessage) -> bool:
        """A message that is still here was edited; False when it is gone already."""
        arriving = self._seats.get(seat)
        if arriving is None:
            return False
        if arriving.intake.replace(message):
            return True
        for batch in arriving.sending:
            for place, waiting in enumerate(batch.messages):
                if waiting.message_id == message.message_id:
                    batch.messages[place] = message
                    return True
        return False

    def busy(self, seat: Seat) -> bool:
        """Whether anything of a seat is here: gathered, or being handed over."""
        arriving = self._seats.get(seat)
        return arriving is not None and bool(arriving.intake.held or arriving.sending)

    def drop(self, seat: Seat) -> list[InboundMessage]:
        """Give up what is on its way; returns it, so that its inbox rows can be marked done."""
        arriving = self._seats.get(seat)
        if arriving is None:
            return []
        on_their_way = [batch for batch in arriving.sending if not batch.dropped]
        for batch in on_their_way:
            batch.dropped = True
        dropped = [message for batch in on_their_way for message in batch.messages] + arriving.intake.release()
        if arriving.timer is not None:
            arriving.timer.cancel()
            arriving.timer = None
        return dropped

    def drop_person(self, channel_id: str, person_id: str) -> list[InboundMessage]:
        """Give up whatever of this person is on its way, in any chat of the channel."""
        return self._drop_all(lambda seat: (seat.channel_id, seat.person_id) == (channel_id, person_id))

    def drop_chat(self, channel_id: str, chat_id: str) -> list[InboundMessage]:
        """Give up whatever is on its way in a chat, threads of it too."""
        return self._drop_all(lambda seat: (seat.channel_id, seat.chat_id) == (channel_id, chat_id))

    def _drop_all(self, which: Callable[[Seat], bool]) -> list[InboundMessage]:
        seats = [seat for seat in self._seats if which(seat)]
        return [message for seat in seats for message in self.drop(seat)]

    async def close(self) -> None:
        """Stop gathering; the inbox rows of what is still here stay not done and are taken up at the next start."""
        timers = [arriving.timer for arriving in self._seats.values() if arriving.timer]
        for timer in timers:
            timer.cancel()
        await asyncio.gather(*timers, return_exceptions=True)
        await self._lanes.close()

    def __len__(self) -> int:
        """Of how many seats anything is remembered."""
        return len(self._seats)

    def _new(self) -> _Arriving:
        settings = self._preferences.current
        return _Arriving(Intake(settings.gather_ms / 1000, settings.messages_per_minute))

    def _keep_to_settings(self, intake: Intake) -> None:
        """They may have changed since its last message."""
        settings = self._preferences.current
        intake.gather, intake.per_minute = settings.gather_ms / 1000, settings.messages_per_minute

    def _forget_quiet(self, now: float) -> None:
        """Of those who were quiet the longest, the first two: each message adds one seat at most, so none pile up."""
        for seat in tuple(islice(self._seats, 2)):
            known = self._seats[seat]
            if known.sending or not known.intake.idle(now):
                return
            del self._seats[seat]

    async def _release_in_time(self, seat: Seat, arriving: _Arriving) -> None:
        """Wait until what is held may go; more that comes meanwhile may put it off."""
        while (left := arriving.intake.release_at - self._clock.monotonic()) > 0:
            await self._clock.sleep(left)
        arriving.timer = None
        self._release(seat, arriving)

    def _release(self, seat: Seat, arriving: _Arriving) -> None:
        messages = arriving.intake.release()
        if messages:
            batch = Batch(seat, messages)
            arriving.sending.append(batch)
            self._lanes.put(seat, batch)

    async def _hand_over(self, seat: Seat, batches: list[Batch]) -> None:
        """What came while the core took the batch before goes as one, as it would go out of the core's queue."""
        arriving = self._seats[seat]
        wanted = [batch for batch in batches if not batch.dropped]
        for batch in batches:
            arriving.sending.remove(batch)
        if not wanted:
            return
        together = Batch(seat, [message for batch in wanted for message in batch.messages])
        arriving.sending.insert(0, together)
        try:
            await self._send(together)
        finally:
            arriving.sending.remove(together)
