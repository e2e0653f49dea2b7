"""The connection on which Discord tells what happens: opened, resumed after a drop, and never opened too often.

discord.py speaks the protocol: heartbeats, compression, the zombie that does not answer them. Its own loop would hide
for how long there was no connection and build an object for all that it hears, so the loop is ours and what is heard is
handed on raw. What an event means is `parse`'s.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import aiohttp
import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

from channels.discord import answers, limits, render
from channels.discord.client import DiscordClient
from core.clock import Clock
from core.errors import TryLater

HEARD = (
    "READY",
    "RESUMED",
    "MESSAGE_CREATE",
    "MESSAGE_UPDATE",
    "INTERACTION_CREATE",
    "GUILD_CREATE",
    "GUILD_UPDATE",
    "GUILD_DELETE",
    "CHANNEL_CREATE",
    "CHANNEL_UPDATE",
    "CHANNEL_DELETE",
    "THREAD_CREATE",
    "THREAD_UPDATE",
    "THREAD_DELETE",
    "THREAD_LIST_SYNC",
)
"""The events that are handed on, by Discord's names."""

CONNECT_SECONDS = 30.0
SILENCE_SECONDS = 60.0
"""After which a connection on which nothing comes, not even an answer to a heartbeat, is given up for a new one."""
DISCORDS = ".discord.gg"

_log = structlog.get_logger(__name__)

Heard = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Session:
    """What is needed to go on where the connection broke."""

    id: str
    sequence: int | None
    gateway: yarl.URL


class Gateway:
    """The one connection of a bot. `address` is used instead of the one that Discord names."""

    def __init__(self, client: DiscordClient, clock: Clock, address: str | None = None) -> None:
        self._client = client
        self._clock = clock
        self._address = yarl.URL(address) if address else None
        self._session: Session | None = None
        self._identified_at: float | None = None
        self._greeted = False

    async def run(self, heard: Heard, *, message_content: bool) -> NoReturn:
        """Hand on what happens until cancelled; `heard` must be quick and must not raise.

        A connection that is taken up where it broke has lost nothing, and this goes on. One that begins anew has: so
        this ends first, for whoever reads what was missed.

        Raises:
            TryLater: the connection broke, and could not be taken up again at once.
            Refused: the key stopped working, or an intent is not allowed.
        """
        while True:
            self._greeted = False
            socket = await self._connect(self._listener(heard, message_content=message_content))
            try:
                while True:
                    await socket.poll_event()
            except ReconnectWebSocket as again:
                # What ends before it was greeted is not taken up a second time, so that nothing goes in circles.
                self._session = self._kept(socket) if again.resume and self._greeted else None
                _log.info("the gateway's connection ended", resumes=self._session is not None)
                if self._session is None:
                    raise TryLater("Discord ended the connection.") from again
            except discord.ConnectionClosed as closed:
                self._session = None
                raise answers.explain_close(closed.code) from closed
            except (aiohttp.ClientError, OSError, RuntimeError) as error:
                self._session = self._kept(socket)
                raise TryLater("The connection to Discord broke.") from error
            except asyncio.CancelledError:
                self._session = None
                await socket.close(code=1000)
                raise
            finally:
                await socket.close()

    def _listener(self, heard: Heard, *, message_content: bool) -> discord.Client:
        """The SDK's client, of which only what the connection needs is used."""
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = message_content
        # We never speak; that the libraries for it are not there is no news to anybody.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        client = discord.Client(intents=intents, heartbeat_timeout=SILENCE_SECONDS)
        client.loop = asyncio.get_running_loop()
        client.http = self._client.http
        # The one place where the SDK can be made to hand on what it heard, and to keep no copy of every server.
        client._connection.parsers = {name: partial(self._heard, heard, name) for name in HEARD}
        return client

    def _heard(self, heard: Heard, name: str, event: dict[str, Any]) -> None:
        if name in ("READY", "RESUMED"):
            self._greeted = True
        heard(name, event)

    async def _connect(self, client: discord.Client) -> DiscordWebSocket:
        session, self._session = self._session, None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                if session is not None:
                    return await DiscordWebSocket.from_client(
                        client,
                        initial=True,
                        gateway=session.gateway,
                        session=session.id,
                        sequence=session.sequence,
                        resume=True,
                    )
                gateway = await self._allowed()
                return await DiscordWebSocket.from_client(client, initial=True, gateway=gateway)
        except ReconnectWebSocket as again:
            raise TryLater("Discord ended the connection.") from again
        except discord.ConnectionClosed as closed:
            raise answers.explain_close(closed.code) from closed
        except (aiohttp.ClientError, OSError) as error:
            self._session = session
            raise TryLater("The connection to Discord cannot be opened.") from error

    async def _allowed(self) -> yarl.URL:
        """Where to log in, once that may be done again: there are 1000 logins a day, and 5 seconds between two.

        Raises:
            TryLater: there are none left today.
        """
        if self._identified_at is not None:
            await self._clock.sleep(self._identified_at + limits.IDENTIFY_SECONDS - self._clock.monotonic())
        found = await self._client.call(render.get_gateway())
        start = found.get("session_start_limit") if isinstance(found, dict) else None
        url = found.get("url") if isinstance(found, dict) else None
        if not isinstance(start, dict) or not isinstance(url, str):
            raise TryLater("Discord does not say where it can be listened to.")
        if start.get("remaining") == 0:
            wait = float(start.get("reset_after") or 0) / 1000
            raise TryLater("This bot has connected too often today; Discord lets it in again later.", retry_after=wait)
        self._identified_at = self._clock.monotonic()
        return self._address or self._trusted(yarl.URL(url)) or DiscordWebSocket.DEFAULT_GATEWAY

    def _kept(self, socket: DiscordWebSocket) -> Session | None:
        if socket.session_id is None:
            return None
        gateway = self._trusted(socket.gateway) or self._address
        return Session(socket.session_id, socket.sequence, gateway) if gateway else None

    def _trusted(self, url: yarl.URL) -> yarl.URL | None:
        """An address that may be told the key: Discord's, or the one that was set."""
        if self._address is not None:
            return url if (url.host, url.port) == (self._address.host, self._address.port) else None
        return url if url.scheme == "wss" and (url.host or "").endswith(DISCORDS) else None
