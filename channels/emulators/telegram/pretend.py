"""The pretend Telegram as one object: start it, make people, play them, break things, look.

Belongs here: putting the parts together. For a process of its own see `__main__`, for driving that one `remote`.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from channels.emulators.clock import Clock, SystemClock
from channels.emulators.faults import Faults
from channels.emulators.listener import HOST, Listener
from channels.emulators.telegram.api import MAX_BODY, BotApi, CallRecord, Judge
from channels.emulators.telegram.flood import FloodControl
from channels.emulators.telegram.group import Group
from channels.emulators.telegram.methods.call import Services
from channels.emulators.telegram.people import Bot, Person
from channels.emulators.telegram.screen import Player
from channels.emulators.telegram.webhook import Webhooks
from channels.emulators.telegram.world import World

DEFAULT_BOT = "7000000001:" + "AAPretendTelegramBotOnThisMachineOnly"
"""The token of the bot that is always there; worth nothing anywhere else."""


class PretendTelegram:
    """A Telegram of one's own on loopback. `strict` refuses what the real one would silently repair or ignore.

    Use as an async context manager, or `start` and `stop`. Everything happens in the loop that started it.
    """

    def __init__(self, *, clock: Clock | None = None, strict: bool = True, judge: Judge | None = None) -> None:
        self.clock = clock or SystemClock()
        self.world = World(self.clock)
        self.flood = FloodControl(self.clock)
        self.webhooks = Webhooks(self.clock)
        self.api = BotApi(Services(self.world, self.flood, self.webhooks, strict), judge=judge)
        self.bot = self.add_bot(DEFAULT_BOT, "Pretend", "pretend_bot")
        self._listener = Listener(self.api, max_body=MAX_BODY)

    # ---- running ---------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> Self:
        """Listen on 127.0.0.1; port 0 takes a free one.

        Raises:
            OSError: the port is taken.
        """
        await self._listener.start(port)
        return self

    async def stop(self) -> None:
        """Cut every connection and give the port back."""
        for bot in self.world.bots.values():
            bot.queue.close()
        await self.webhooks.close()
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
        """Where the Bot API is."""
        return self._listener.port

    @property
    def base_url(self) -> str:
        """What an SDK puts the token behind to call methods."""
        return f"http://{HOST}:{self.port}/bot"

    @property
    def base_file_url(self) -> str:
        """What an SDK puts the token behind to fetch files."""
        return f"http://{HOST}:{self.port}/file/bot"

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

    def add_bot(self, token: str, first_name: str, username: str, *, reads_all: bool = False) -> Bot:
        """A further bot. `reads_all` is privacy mode off.

        Raises:
            ValueError: not the shape of a token, or its id is taken.
        """
        bot = self.world.add_bot(token, first_name, username, reads_all=reads_all)
        judge = self.api.judge
        if judge is not None:
            bot.queue.watch(lambda update: self.api.problems.extend(judge.update(update)))
        return bot

    def person(
        self,
        first_name: str,
        *,
        last_name: str | None = None,
        username: str | None = None,
        language_code: str | None = "en",
    ) -> Player:
        """Someone new with a Telegram account, who writes to the bot that is always there unless another is named."""
        player = Player(
            self.world.next_person_id(), first_name, last_name, username, language_code, world=self.world, bot=self.bot
        )
        self.world.add_person(player)
        return player

    def group(
        self,
        title: str,
        members: Iterable[Person],
        *,
        bots: Iterable[Bot] | None = None,
        forum: bool = False,
        basic: bool = False,
    ) -> Group:
        """A group that exists already: its members, the first of them the owner, and its bots are in it unannounced."""
        group = Group(self.world, self.world.add_group(title, forum=forum, basic=basic))
        group.join(*members)
        for bot in [self.bot] if bots is None else bots:
            group.settle_in(bot)
        return group

    # ---- breaking and looking --------------------------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        """What is to go wrong; see `api.FAULT_KINDS`."""
        return self.api.faults

    def calls(self, method: str | None = None) -> list[CallRecord]:
        """The calls so far, oldest first; of one method if named."""
        made = [record for _, record in self.api.calls.after(0)]
        return [record for record in made if method is None or record.method.lower() == method.lower()]

    @property
    def problems(self) -> list[str]:
        """What the judge found in answers and updates of ours; empty is right."""
        return self.api.problems
