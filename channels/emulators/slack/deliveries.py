"""Bringing an app what it is told: by Socket Mode or to its request URL, in three seconds or once more.

Belongs here: attempts, redelivery, and the record of what was sent and acknowledged when. The two ways themselves are
`sockets` and `requests`.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from channels.emulators.clock import Clock, wait_or
from channels.emulators.faults import Faults
from channels.emulators.journal import Journal
from channels.emulators.slack import limits
from channels.emulators.slack.envelopes import EVENTS, SLASH, Envelope, NotTaken, Order
from channels.emulators.slack.events import Event, callback
from channels.emulators.slack.people import Bot
from channels.emulators.slack.requests import Requests
from channels.emulators.slack.sockets import Sockets

LOST_ACK = "lost_ack"
"""The fault that an acknowledgement does not arrive; its `method` is the envelope's kind."""


class Deliveries:
    """Everything that is on its way to an app. `changed` is called with every acknowledgement."""

    def __init__(self, clock: Clock, order: Order, faults: Faults, changed: Callable[[], None]) -> None:
        self._clock = clock
        self._order = order
        self._faults = faults
        self._changed = changed
        self.sockets = Sockets()
        self.requests = Requests(clock)
        self.envelopes: Journal[Envelope] = Journal()
        self._under_way: set[asyncio.Task[None]] = set()

    def tell(self, bot: Bot, event: Event) -> None:
        """Bring an event, again and again until it is acknowledged or given up."""
        payload = callback(bot, event, int(self._clock.now().timestamp()))
        self.begin(self._until_taken(bot, payload))

    def begin(self, delivery: Coroutine[Any, Any, None]) -> None:
        """Let a delivery go on by itself, until it is over or the app stops."""
        task = asyncio.get_running_loop().create_task(delivery)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def ask(self, bot: Bot, kind: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring an interaction or a command, once; what the acknowledgement carried.

        Raises:
            NotTaken: there was none in three seconds.
        """
        return await self._attempt(self._envelope(bot, kind, payload, 0, ""))

    async def close(self) -> None:
        """Give up everything."""
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self.requests.close()

    async def _until_taken(self, bot: Bot, payload: Mapping[str, Any]) -> None:
        reason = ""
        for attempt, pause in enumerate((0.0, *limits.RETRY_PAUSES)):
            if pause:
                await self._clock.sleep(pause)
            try:
                await self._attempt(self._envelope(bot, EVENTS, payload, attempt, reason))
            except NotTaken as refusal:
                if refusal.final:
                    return
                reason = refusal.reason
            else:
                return

    def _envelope(self, bot: Bot, kind: str, payload: Mapping[str, Any], attempt: int, reason: str) -> Envelope:
        envelope_id = secrets.token_hex(8)
        envelope = Envelope(envelope_id, bot, kind, payload, attempt, reason, accepts=kind == SLASH)
        envelope.sent_at, envelope.sent_order = self._clock.monotonic(), self._order.next()
        self.envelopes.append(envelope)
        return envelope

    async def _attempt(self, envelope: Envelope) -> Mapping[str, Any]:
        by_socket = envelope.bot.request_url is None
        way = self.sockets if by_socket else self.requests
        sending = asyncio.ensure_future(way.send(envelope))
        try:
            if not await wait_or(self._clock, sending, limits.ACK_SECONDS):
                raise NotTaken("timeout" if by_socket else "http_timeout")
            answer = sending.result()
        finally:
            sending.cancel()
        envelope.acked_at, envelope.acked_order = self._clock.monotonic(), self._order.next()
        self._changed()
        if self._faults.strike(envelope.kind, None, {LOST_ACK}):
            raise NotTaken("timeout")
        envelope.answer = answer
        return answer
