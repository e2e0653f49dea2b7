"""The pretend Discord as one object: start it, make people, play them, break things, look.

Belongs here: putting the parts together. For a process of its own see `__main__`, for driving that one `remote`.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from channels.emulators.clock import Clock, SystemClock
from channels.emulators.discord.api import MAX_BODY, PREFIX, CallRecord, Judge, RestApi
from channels.emulators.discord.gateway import Gateway
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.rates import Rates
from channels.emulators.discord.screen import Player
from channels.emulators.discord.server import Server
from channels.emulators.discord.world import World
from channels.emulators.faults import Faults
from channels.emulators.listener import HOST, Listener

DEFAULT_BOT = "MTAwMDAwMDAwMDAwMDAwMDAwMQ." + "Pretend.OnThisMachineOnly"
"""The token of the bot that is always there; worth nothing anywhere else."""


class PretendDiscord:
    """A Discord of one's own on loopback. `strict` refuses also what only the `judge` finds wrong; else
    that stands among the `problems`.

    Use as an async context manager, or `start` and `stop`. Everything happens in the loop that started it.
    """

    def __init__(self, *, clock: Clock | None = None, strict: bool = True, judge: Judge | None = None) -> None:
        self.clock = clock or SystemClock()
        self.world = World(self.clock)
        self.gateway = Gateway(self.world)
        self.rates = Rates(self.clock)
        self.api = RestApi(self.world, self.gateway, self.rates, strict, judge)
        self.bot = self.add_bot("Pretend", "pretend_bot", token=DEFAULT_BOT)
        self._listener = Listener(self.api, max_body=MAX_BODY)

    # ---- running ---------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> Self:
        """Listen on 127.0.0.1; port 0 takes a free one.

        Raises:
            OSError: the port is taken.
        """
        await self._listener.start(port)
        self.world.base = f"http://{HOST}:{self.port}"
        self.gateway.url = self.gateway_url
        return self

    async def stop(self) -> None:
        """Cut every connection and give the port back."""
        await self._listener.stop()
        self.world.journal.wake()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def port(self) -> int:
        """Where everything is."""
        return self._listener.port

    @property
    def base_url(self) -> str:
        """What an SDK puts in front of the REST API's addresses."""
        return f"http://{HOST}:{self.port}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is."""
        return f"ws://{HOST}:{self.port}/gateway"

    async def go_away(self) -> None:
        """Refuse all connections until `come_back`; the port stays reserved."""
        await self._listener.go_away()

    async def come_back(self) -> None:
        """Be reachable again, at the same address."""
        await self._listener.come_back()

    @asynccontextmanager
    async def unreachable(self) -> AsyncIterator[None]:
        """Be away for the length of a block."""
        await self.go_away()
        try:
            yield
        finally:
            await self.come_back()

    # ---- who there is ----------------------------------------------------------------------------------------------

    def add_bot(self, name: str, username: str, *, token: str | None = None) -> Bot:
        """A further bot. What the portal lets it read is in `allowed_intents`.

        Raises:
            ValueError: the token is another bot's.
        """
        return self.world.add_bot(name, username, token=token)

    def person(self, name: str, *, username: str | None = None, locale: str = "en-US") -> Player:
        """Someone new, who writes to the bot that is always there unless another is named."""
        player = Player(self.world.ids.next(), name, username or name.lower(), locale, world=self.world, bot=self.bot)
        self.world.add_person(player)
        return player

    def guild(self, title: str, members: Iterable[Person], *, bots: Iterable[Bot] | None = None) -> Server:
        """A server with a channel `general` and its members, the first of them the owner; bots that are on are told."""
        server = Server(self.world, self.world.add_guild(title))
        server.join(*members)
        for bot in [self.bot] if bots is None else bots:
            server.guild.bots[bot.id] = bot
            self.world.tell_guild(server.guild, bot, there=True)
        return server

    # ---- breaking and looking --------------------------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        """What is to go wrong; see `api.FAULT_KINDS`. `method` is a route: `POST /channels/{channel_id}/messages`."""
        return self.api.faults

    def calls(self, route: str | None = None) -> list[CallRecord]:
        """The calls so far, oldest first; of one route if named."""
        made = [record for _, record in self.api.calls.after(0)]
        return [record for record in made if route is None or record.route.lower() == route.lower()]

    @property
    def problems(self) -> list[str]:
        """What the judge found in answers of ours, and in calls where it is not `strict`; empty is right."""
        return self.api.problems
