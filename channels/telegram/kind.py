"""How Telegram bots are connected: the key in what was pasted, whose it is, and the link that says hello."""

import ipaddress
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from channels.base import Channel, Identity
from channels.reach import Probe
from channels.telegram import limits, render
from channels.telegram.webhook import WebhookAddress, WebhookState, webhook_troubles
from core.clock import Clock
from core.errors import Refused, RefusedReason, TryLater, UsageError

if TYPE_CHECKING:
    from channels.telegram.client import TelegramClient

API = "https://api.telegram.org"

_KEY = re.compile(r"(?<!\d)(\d{5,20}:[A-Za-z0-9_-]{35,64})(?![A-Za-z0-9_-])")
"""A bot's id and its secret, 35 characters long until now; BotFather shows it in the middle of a longer message."""

_START_PARAMETER = re.compile(rf"[A-Za-z0-9_-]{{1,{limits.MAX_START_PARAMETER}}}")


class TelegramKind:
    """Telegram, or something that speaks its Bot API at another address.

    `base_url` and `base_file_url` are what stands before a key in the addresses of methods and files. Keys go to
    Telegram or to this machine, and to any other host only with `allow_remote`. `webhooks` is the address of ours below
    which Telegram brings each bot's messages; without it they are asked for.

    Raises:
        UsageError: an address is another host's, or none.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base_url: str = f"{API}/bot",
        base_file_url: str = f"{API}/file/bot",
        allow_remote: bool = False,
        webhooks: str | None = None,
    ) -> None:
        for address in (base_url, base_file_url):
            _check_address(address, allow_remote=allow_remote)
        self._clock = clock
        self._base_url = base_url
        self._base_file_url = base_file_url
        self._webhooks = webhooks

    @property
    def kind(self) -> str:
        """Its name in settings, links and logs."""
        return limits.CAPABILITIES.kind

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """The key in BotFather's message, an address or a line of settings; of several the last, as the newest."""
        found = _KEY.findall(pasted)
        return {"token": found[-1]} if found else None

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Ask Telegram whose key it is."""
        async with self._asking(credentials) as client:
            return _identity(await client.call(render.get_me()))

    async def probe(self, channel_id: str, credentials: Mapping[str, str]) -> Probe:
        """Ask Telegram whose key it is, what time it is there, and whether messages can come in."""
        async with self._asking(credentials) as client:
            identity = _identity(await client.call(render.get_me()))
            state = WebhookState.read(await client.call(render.get_webhook()))
            address = self._webhook(channel_id, credentials)
            troubles = webhook_troubles(state, address.url if address else "")
            return Probe(identity, client.clock, state.waiting, troubles)

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel for a key that was checked."""
        from channels.telegram.channel import TelegramChannel  # noqa: PLC0415 - see `_client`

        address = self._webhook(channel_id, credentials)
        return TelegramChannel(channel_id, identity, self._client(credentials), self._clock, address)

    def hello_link(self, identity: Identity, code: str) -> str | None:
        """Opens the private chat; pressing Start there sends `/start code` (core.telegram.org/bots/features).

        Raises:
            UsageError: the code is longer than 64 characters, or has others than `A-Z a-z 0-9 _ -`.
        """
        if not _START_PARAMETER.fullmatch(code):
            raise UsageError("A hello code for Telegram has 1 to 64 letters, digits, _ or -.")
        return f"https://t.me/{identity.username}?start={code}" if identity.username else None

    def _webhook(self, channel_id: str, credentials: Mapping[str, str]) -> WebhookAddress | None:
        return WebhookAddress.of(self._webhooks, channel_id, credentials["token"]) if self._webhooks else None

    @asynccontextmanager
    async def _asking(self, credentials: Mapping[str, str]) -> "AsyncIterator[TelegramClient]":
        client = self._client(credentials)
        await client.open()
        try:
            yield client
        finally:
            await client.close()

    def _client(self, credentials: Mapping[str, str]) -> "TelegramClient":
        # The SDK takes 0.3 s and 29 MiB to import, so that is done only when a Telegram bot is used.
        from channels.telegram.client import TelegramClient  # noqa: PLC0415 - see above

        token = credentials.get("token", "")
        if not _KEY.fullmatch(token):
            raise Refused("This is not the key of a Telegram bot.", RefusedReason.AUTH)
        return TelegramClient(token, self._base_url, self._base_file_url)


def _identity(me: object) -> Identity:
    if not isinstance(me, dict) or type(me.get("id")) is not int:
        raise TryLater("Telegram's answer does not say whose key this is.")
    username = me.get("username")
    name = me.get("first_name") or username or "Telegram bot"
    return Identity(str(me["id"]), str(name), username if isinstance(username, str) else None)


def _check_address(address: str, *, allow_remote: bool) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{address!r} is not an address for the Bot API.")
    if address.startswith(f"{API}/") or _is_this_machine(parts.hostname) or allow_remote:
        return
    raise UsageError(f"{parts.hostname} is not Telegram: bots' keys go there only when that is switched on.")


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
