"""Receiving by webhook: Telegram brings what came in to an address of ours, again and again until it is stored.

The address is public, so what comes there counts only with the secret that Telegram was given for it. Whether Telegram
reaches the address only Telegram knows: it is asked now and then, for nothing comes in either way when it does not.
Asking for updates instead is `polling`'s.
"""

import asyncio
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, Self
from urllib.parse import urlsplit

import structlog

from channels.base import Conflict, Sink
from channels.reach import Pushed
from channels.telegram import render
from channels.telegram.parse import to_update
from core.clock import Clock
from core.errors import NotAllowed, Refused, RefusedReason, TryLater

if TYPE_CHECKING:  # it brings the SDK, and what is here is needed before any bot is connected
    from channels.telegram.client import TelegramClient

HEADER = "x-telegram-bot-api-secret-token"
"""Where Telegram puts the secret [core.telegram.org/bots/api#setwebhook]; names of headers are lower-case here."""

LOOK_SECONDS = 60.0
"""Between two looks whether Telegram reaches us."""
FIRST_LOOK_SECONDS = 5.0
"""The same, while what waits at Telegram has not come yet."""
REMOVALS_IN_A_ROW = 3
"""How often somebody else may take the webhook away before the bot is left to them."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WebhookAddress:
    """Where Telegram brings one bot's updates, and what it says to be believed."""

    url: str
    secret: str = field(repr=False)

    @classmethod
    def of(cls, base: str, channel_id: str, token: str) -> Self:
        """The bot's address below `base`.

        The secret follows from the bot's key, so it need not be stored, is the same after a restart and another one
        after the key was renewed; from the secret nobody gets back to the key.
        """
        secret = hmac.new(token.encode(), f"conch webhook {channel_id}".encode(), hashlib.sha256).hexdigest()
        return cls(f"{base}/{channel_id}", secret)


@dataclass(frozen=True, slots=True)
class WebhookState:
    """What Telegram says about a bot's webhook: no `url` means that there is none.

    `failed_at` is when it last could not deliver (Unix time) and `error` why; both stay after it could again.
    """

    url: str = ""
    waiting: int = 0
    failed_at: int | None = None
    error: str = ""

    @classmethod
    def read(cls, info: object) -> Self:
        """The result of getWebhookInfo.

        Raises:
            TryLater: it is none.
        """
        if not isinstance(info, dict) or not isinstance(info.get("url"), str):
            raise TryLater("Telegram does not say where it brings this bot's messages.")
        failed_at, waiting = info.get("last_error_date"), info.get("pending_update_count")
        return cls(
            url=info["url"],
            waiting=waiting if isinstance(waiting, int) else 0,
            failed_at=failed_at if isinstance(failed_at, int) else None,
            error=str(info.get("last_error_message") or ""),
        )


def webhook_troubles(state: WebhookState, ours: str) -> tuple[str, ...]:
    """What is wrong with a bot's webhook, where `ours` is the address that it should have, empty for none."""
    if state.url == ours:
        return (_undelivered(state),) if state.url and state.waiting and state.error else ()
    if not state.url:
        return ("Telegram does not bring messages to Conch yet. It does from the next start of Conch on.",)
    # Of somebody else's address only the name: many programs put the bot's key into the rest.
    return (
        f"Telegram brings messages to {urlsplit(state.url).hostname}, not here. A start of Conch changes that; "
        "if it comes back, another program uses this bot.",
    )


def _undelivered(state: WebhookState) -> str:
    return (
        f"Telegram cannot deliver to {state.url} ({state.error}); {state.waiting} waiting there. "
        "Look at the proxy in front of Conch, and at public_url."
    )


class Webhook:
    """The one receiver of a bot's updates, as `Poller` is without a webhook.

    What is brought is taken from the first `run` on until one is cancelled, also in the pauses after a fault: Telegram
    may reach us while we do not reach Telegram.
    """

    def __init__(self, address: WebhookAddress, client: "TelegramClient", clock: Clock) -> None:
        self._address = address
        self._client = client
        self._clock = clock
        self._sink: Sink | None = None

    async def run(self, sink: Sink) -> NoReturn:
        """Have updates brought to us until cancelled.

        Raises:
            TryLater: Telegram cannot be reached, does not take our address, or does not reach it.
            Refused: the key stopped working.
            Conflict: somebody else takes the webhook away again and again.
        """
        self._sink = sink
        try:
            await self._hold(sink)
        except asyncio.CancelledError:
            self._sink = None
            raise
        raise Conflict("somebody else takes the webhook away")

    async def take(self, request: Pushed) -> None:
        """Store what Telegram brought; see `channels.reach.Pushes`."""
        given = request.headers.get(HEADER, "")
        if not hmac.compare_digest(given.encode(), self._address.secret.encode()):
            raise NotAllowed("Nothing proves that Telegram sent this.")
        if self._sink is None:
            raise TryLater("This bot does not receive yet.")
        update = to_update(_read(await request.body()))
        if update is None:
            raise ValueError("an update has a number")
        await self._sink.store([update])
        self._sink.online()

    async def _hold(self, sink: Sink) -> None:
        """Set the webhook, again where somebody took it away, but not for ever."""
        removals = 0
        while removals < REMOVALS_IN_A_ROW:
            await self._set()
            removals = 1 if await self._watch(sink) else removals + 1
            _log.warning("somebody took the webhook away", url=self._address.url)

    async def _set(self) -> None:
        """Tell Telegram where we are; it takes that once a second, so a flood wait is part of it."""
        while True:
            try:
                await self._client.call(render.set_webhook(self._address.url, self._address.secret))
            except TryLater as later:
                if later.retry_after is None:
                    raise
                await self._clock.sleep(later.retry_after)
            except Refused as refusal:
                if refusal.reason is not RefusedReason.BAD_PAYLOAD:
                    raise
                # A name that does not resolve yet is refused like one that never will, and the owner can mend both.
                raise TryLater(f"{refusal} The address is {self._address.url}; public_url sets it.") from refusal
            else:
                return

    async def _watch(self, sink: Sink) -> bool:
        """Until the webhook is not ours any more; whether it was at any look after the first."""
        state = await self._look()
        reached, stood = not state.waiting, False
        while state.url == self._address.url:
            if reached:
                sink.online()
            await self._clock.sleep(LOOK_SECONDS if reached else FIRST_LOOK_SECONDS)
            before, state = state, await self._look()
            if state.waiting and state.failed_at != before.failed_at:
                raise TryLater(_undelivered(state))
            reached = reached or not state.waiting
            stood = stood or state.url == self._address.url
        return stood

    async def _look(self) -> WebhookState:
        return WebhookState.read(await self._client.call(render.get_webhook()))


def _read(body: bytes) -> object:
    """The JSON of a body.

    Raises:
        ValueError: it is none.
    """
    try:
        return json.loads(body)
    except RecursionError as error:
        raise ValueError("too deep to be an update") from error
