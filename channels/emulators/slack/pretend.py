"""The pretend Slack as one object: start it, make people, play them, break things, look.

Belongs here: putting the parts together. For a process of its own see `__main__`, for driving that one `remote`.
"""

import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from channels.emulators.clock import Clock, SystemClock
from channels.emulators.faults import Faults
from channels.emulators.listener import HOST, Listener
from channels.emulators.slack.api import FAULT_KINDS, CallRecord, Judge, WebApi
from channels.emulators.slack.envelopes import Envelope
from channels.emulators.slack.people import Bot, Person
from channels.emulators.slack.rates import Rates
from channels.emulators.slack.room import Room
from channels.emulators.slack.screen import Player
from channels.emulators.slack.world import World

MAX_BODY = 64 << 20


class PretendSlack:
    """A Slack workspace of one's own on loopback. `strict` refuses what the real one would repair or ignore.

    Use as an async context manager, or `start` and `stop`. Everything happens in the loop that started it.
    """

    def __init__(self, *, clock: Clock | None = None, strict: bool = True, judge: Judge | None = None) -> None:
        self.clock = clock or SystemClock()
        self.faults = Faults(FAULT_KINDS)
        self.world = World(self.clock, self.faults, strict=strict)
        self.rates = Rates(self.clock)
        self.api = WebApi(self.world, self.faults, self.rates, judge)
        self.bot = self.add_bot("Pretend")
        self._listener = Listener(self.api, max_body=MAX_BODY)

    # ---- running ---------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> Self:
        """Listen on 127.0.0.1; port 0 takes a free one.

        Raises:
            OSError: the port is taken.
        """
        await self._listener.start(port)
        self.world.files.base = f"http://{HOST}:{self.port}"
        return self

    async def stop(self) -> None:
        """Cut every connection and give the port back."""
        await self.world.deliveries.close()
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
        """What an SDK puts a method's name behind."""
        return f"http://{HOST}:{self.port}/api/"

    async def go_away(self) -> None:
        """Refuse all connections until `come_back`, and cut the open ones; the port stays reserved."""
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

    def add_bot(
        self, name: str, *, token: str = "", app_token: str = "", signing_secret: str = "", commands: Iterable[str] = ()
    ) -> Bot:
        """A further app, with tokens of its own unless they are given."""
        key = secrets.token_hex(12)
        app_id = self.world.new_id("A")
        bot = Bot(
            token=token or f"xoxb-pretend-{key}",
            app_token=app_token or f"xapp-1-{app_id}-{key}",
            signing_secret=signing_secret or secrets.token_hex(16),
            app_id=app_id,
            bot_id=self.world.new_id("B"),
            user_id=self.world.new_id("U"),
            name=name,
        )
        if commands:
            bot.commands = set(commands)
        self.world.accounts[bot.id] = bot
        return bot

    def person(self, name: str, *, handle: str | None = None) -> Player:
        """Someone new in the workspace, who writes to the bot that is always there unless another is named."""
        handle = handle or name.lower().replace(" ", ".")
        player = Player(self.world.new_id("U"), name, handle, world=self.world, bot=self.bot)
        self.world.accounts[player.id] = player
        return player

    def channel(
        self, title: str, members: Iterable[Person], *, bots: Iterable[Bot] | None = None, private: bool = False
    ) -> Room:
        """A channel that exists already, with its members and bots in it unannounced."""
        room = Room(self.world, self.world.add_channel(title, private=private))
        room.settle(*members, *([self.bot] if bots is None else bots))
        return room

    # ---- how apps are reached --------------------------------------------------------------------------------------

    async def set_request_url(self, url: str | None, bot: Bot | None = None) -> None:
        """Post everything to an address from now on, once it has repeated a challenge; None is Socket Mode again.

        Raises:
            ValueError: it did not repeat it.
        """
        bot = bot or self.bot
        if url is not None:
            await self.world.deliveries.requests.verify(bot, url)
        bot.request_url = url

    async def connected(self, count: int = 1, *, bot: Bot | None = None) -> None:
        """Come back once an app has so many Socket Mode connections."""
        await self.world.deliveries.sockets.connected(bot or self.bot, count)

    async def disconnect(
        self, reason: str = "refresh_requested", *, close: bool = True, bot: Bot | None = None
    ) -> None:
        """Tell the connections of an app to go: `warning`, `refresh_requested` or `link_disabled`."""
        await self.world.deliveries.sockets.disconnect(bot or self.bot, reason, close=close)

    # ---- looking ---------------------------------------------------------------------------------------------------

    def calls(self, method: str | None = None) -> list[CallRecord]:
        """The calls so far, oldest first; of one method if named. A response_url is `response_url`."""
        made = [record for _, record in self.api.calls.after(0)]
        return [record for record in made if method is None or record.method == method]

    def envelopes(self, kind: str | None = None) -> list[Envelope]:
        """What was sent to apps so far, oldest first, each attempt by itself."""
        sent = [envelope for _, envelope in self.world.deliveries.envelopes.after(0)]
        return [envelope for envelope in sent if kind is None or envelope.kind == kind]

    @property
    def problems(self) -> list[str]:
        """What the judge found in answers of ours; empty is right."""
        return self.api.problems
