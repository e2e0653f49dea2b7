"""How Discord bots are connected: the key in what was pasted, whose it is, the link that brings the bot to a server."""

import ipaddress
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from channels.base import Channel, Identity
from channels.discord import limits, render
from channels.reach import Probe
from core.clock import Clock
from core.errors import Refused, RefusedReason, TryLater, UsageError

if TYPE_CHECKING:
    from channels.discord.client import DiscordClient

API = "https://discord.com/api/v10"
GATEWAY_HOST = ".discord.gg"

_KEY = re.compile(r"(?<![\w.-])([A-Za-z0-9_-]{23,30}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{16,45})(?![\w-]|\.\w)")
"""Three parts between dots: the bot's id, when the key was made, and the secret."""

_PERMISSIONS = sum(
    1 << bit
    for bit in (
        10,  # view channels
        11,  # send messages
        14,  # embed links
        15,  # attach files
        16,  # read message history
        31,  # use application commands
        35,  # create public threads
        38,  # send messages in threads
    )
)
"""What the bot needs in a server [discord.com/developers/docs/topics/permissions]."""


class DiscordKind:
    """Discord, or something that speaks its API at another address.

    `base_url` is what stands before every path, `gateway_url` where to listen instead of where Discord says. Keys go to
    Discord or to this machine, and to any other host only with `allow_remote`.

    Raises:
        UsageError: an address is another host's, or none.
    """

    def __init__(
        self, clock: Clock, *, base_url: str = API, gateway_url: str | None = None, allow_remote: bool = False
    ) -> None:
        _check_address(base_url, ("http", "https"), allow_remote=allow_remote)
        if gateway_url is not None:
            _check_address(gateway_url, ("ws", "wss"), allow_remote=allow_remote)
        self._clock = clock
        self._base_url = base_url
        self._gateway_url = gateway_url

    @property
    def kind(self) -> str:
        """Its name in settings, links and logs."""
        return limits.CAPABILITIES.kind

    def find_credentials(self, pasted: str) -> Mapping[str, str] | None:
        """The key in whatever was pasted; of several the last, as the newest."""
        found = _KEY.findall(pasted)
        return {"token": found[-1]} if found else None

    async def check(self, credentials: Mapping[str, str]) -> Identity:
        """Ask Discord whose key it is."""
        async with self._asking(credentials) as me:
            return _identity(me)

    async def probe(self, channel_id: str, credentials: Mapping[str, str]) -> Probe:
        """Ask Discord whose key it is, and whether what is pressed comes in."""
        client = self._client(credentials)
        try:
            identity = _identity(await client.open())
            application = await client.call(render.get_application())
            gateway = await client.call(render.get_gateway())
            clock = client.told_time
        finally:
            await client.close()
        return Probe(identity, clock, troubles=tuple(_troubles(application, gateway)))

    def connect(self, channel_id: str, credentials: Mapping[str, str], identity: Identity) -> Channel:
        """A channel for a key that was checked."""
        from channels.discord.channel import DiscordChannel  # noqa: PLC0415 - see `_client`

        return DiscordChannel(channel_id, identity, self._client(credentials), self._clock, self._gateway_url)

    def hello_link(self, _: Identity, __: str) -> str | None:
        """Discord has no link that hands a code to a bot."""
        return None

    def invite_link(self, identity: Identity) -> str:
        """Brings the bot into a server, with its commands and what it needs there.

        Somebody who shares a server with the bot can write to it [discord.com/developers/docs/topics/oauth2, bots].
        """
        return (
            f"https://discord.com/oauth2/authorize?client_id={identity.bot_id}"
            f"&scope=bot+applications.commands&permissions={_PERMISSIONS}"
        )

    @asynccontextmanager
    async def _asking(self, credentials: Mapping[str, str]) -> AsyncIterator[object]:
        client = self._client(credentials)
        try:
            yield await client.open()
        finally:
            await client.close()

    def _client(self, credentials: Mapping[str, str]) -> "DiscordClient":
        # The SDK takes half a second to import, so that is done only when a Discord bot is used.
        from channels.discord.client import DiscordClient  # noqa: PLC0415 - see above

        token = credentials.get("token", "")
        if not _KEY.fullmatch(token):
            raise Refused("This is not the key of a Discord bot.", RefusedReason.AUTH)
        return DiscordClient(token, self._base_url, self._clock)


def _troubles(application: object, gateway: object) -> Iterator[str]:
    if isinstance(application, dict) and application.get("interactions_endpoint_url"):
        yield (
            "Discord sends what is pressed and picked to another address, not here. Take the Interactions Endpoint URL "
            "out, under General Information, at discord.com/developers/applications."
        )
    start = gateway.get("session_start_limit") if isinstance(gateway, dict) else None
    if isinstance(start, dict) and start.get("remaining") == 0:
        yield "This bot has connected too often today; Discord lets it in tomorrow. Another program may use its key."


def _identity(me: object) -> Identity:
    if not isinstance(me, dict) or not str(me.get("id", "")).isdigit():
        raise TryLater("Discord's answer does not say whose key this is.")
    username = me.get("username")
    name = me.get("global_name") or username or "Discord bot"
    return Identity(str(me["id"]), str(name), username if isinstance(username, str) else None)


def _check_address(address: str, schemes: tuple[str, ...], *, allow_remote: bool) -> None:
    parts = urlsplit(address)
    host = parts.hostname
    if parts.scheme not in schemes or not host:
        raise UsageError(f"{address!r} is not an address for Discord's API.")
    is_discord = address == API or (parts.scheme == "wss" and host.endswith(GATEWAY_HOST))
    if not (is_discord or _is_this_machine(host) or allow_remote):
        raise UsageError(f"{host} is not Discord: bots' keys go there only when that is switched on.")


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
