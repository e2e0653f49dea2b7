"""The pretend Teams as one object: start it, make people, play them, break things, look.

Belongs here: putting the parts together. For a process of its own see `__main__`, for driving that one `remote`.
"""

import secrets
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from channels.emulators.clock import Clock, SystemClock
from channels.emulators.faults import Faults
from channels.emulators.listener import HOST, Listener
from channels.emulators.teams.chats import ChatKind
from channels.emulators.teams.connector import FAULT_KINDS, PATH, CallRecord, Connector, Judge
from channels.emulators.teams.deliveries import Delivery
from channels.emulators.teams.forger import Forger
from channels.emulators.teams.keys import Key
from channels.emulators.teams.people import TENANT, Bot, Person
from channels.emulators.teams.rates import Rates
from channels.emulators.teams.room import Room
from channels.emulators.teams.screen import Player
from channels.emulators.teams.signing_in import METADATA, SignIn, name_of
from channels.emulators.teams.tokens import ISSUER
from channels.emulators.teams.world import World

MAX_BODY = 64 << 20


class PretendTeams:
    """A Teams of one's own on loopback. `strict` refuses what the real one would drop or show poorly.

    Use as an async context manager, or `start` and `stop`. Everything happens in the loop that started it; with
    `apart`, the sign-in and the keys are served by a thread of their own, for an SDK that asks for them without letting
    go of its loop. A `key` that is given saves the time to make one, for many in a row.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        strict: bool = True,
        judge: Judge | None = None,
        apart: bool = False,
        key: Key | None = None,
    ) -> None:
        self.clock = clock or SystemClock()
        self.faults = Faults(FAULT_KINDS)
        self.world = World(self.clock, self.faults, strict=strict, key=key)
        self.rates = Rates(self.clock)
        self.connector = Connector(self.world, self.faults, self.rates, judge)
        self.sign_in = SignIn(self.world.tokens, self.world.bot_with, self.faults, self.clock, self._log)
        self.forger = Forger(self.world)
        self.bot = self.add_bot("Conch")
        self._apart = apart
        if judge is not None:
            self.world.deliveries.look_at = lambda activity: self.world.problems.extend(judge.activity(activity))
        self._listener = Listener(self._handle, max_body=MAX_BODY)

    # ---- running ---------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0) -> Self:
        """Listen on 127.0.0.1; port 0 takes a free one.

        Raises:
            OSError: the port is taken.
        """
        await self._listener.start(port)
        self.world.files.base = f"http://{HOST}:{self.port}"
        self.world.deliveries.service_url = self.world.files.connector = self.service_url
        self.sign_in.url = self.world.files.base
        if self._apart:
            await self.sign_in.start_apart()
        return self

    async def stop(self) -> None:
        """Cut every connection and give the port back."""
        await self.world.deliveries.close()
        await self._listener.stop()
        await self.sign_in.stop()
        self.world.journal.wake()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def port(self) -> int:
        """Where everything is, but for a sign-in that is apart."""
        return self._listener.port

    @property
    def service_url(self) -> str:
        """The Connector, as activities name it."""
        return f"http://{HOST}:{self.port}{PATH}"

    @property
    def login_url(self) -> str:
        """What a tenant's id and the path of the token endpoint come behind."""
        return self.sign_in.url

    @property
    def token_url(self) -> str:
        """Where the bot that is always there gets its tokens."""
        return f"{self.login_url}/{self.bot.tenant}/oauth2/v2.0/token"

    @property
    def openid_url(self) -> str:
        """The OpenID metadata."""
        return self.sign_in.url + METADATA

    @property
    def issuer(self) -> str:
        """Who signs tokens to bots."""
        return ISSUER

    async def go_away(self) -> None:
        """Refuse all connections until `come_back`, and cut the open ones; the port stays reserved."""
        await self._listener.go_away()
        await self.sign_in.go_away()

    async def come_back(self) -> None:
        """Be reachable again, at the same address."""
        await self._listener.come_back()
        await self.sign_in.come_back()

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
        self, name: str, *, app_id: str = "", password: str = "", endpoint: str = "", tenant: str = TENANT
    ) -> Bot:
        """A further bot, with an id and a secret of its own unless they are given."""
        secret = password or f"p8Q~{secrets.token_urlsafe(27)}"
        bot = Bot(app_id or str(uuid.uuid4()), secret, name, tenant, endpoint)
        self.world.accounts[bot.id] = bot
        return bot

    def person(self, name: str, *, email: str | None = None, old_app: bool = False) -> Player:
        """Someone new in the organization, who writes to the bot that is always there unless another is named.

        With an `old_app` they see what stands in for `Action.Execute`.
        """
        email = email or f"{name.lower().replace(' ', '.')}@pretend.example"
        person_id = f"29:1{secrets.token_urlsafe(40)}"
        player = Player(person_id, str(uuid.uuid4()), name, email, old_app=old_app, world=self.world, bot=self.bot)
        self.world.accounts[player.id] = player
        return player

    def team(self, title: str, members: Iterable[Person], *, bots: Iterable[Bot] | None = None) -> Room:
        """A channel of a team that exists already, with its members and bots in it unannounced."""
        return self._room(title, ChatKind.CHANNEL, members, bots)

    def group(self, title: str, members: Iterable[Person], *, bots: Iterable[Bot] | None = None) -> Room:
        """A group chat that exists already."""
        return self._room(title, ChatKind.GROUP, members, bots)

    def _room(self, title: str, kind: ChatKind, members: Iterable[Person], bots: Iterable[Bot] | None) -> Room:
        room = Room(self.world, self.world.add_chat(title, kind))
        room.settle(*members, *([self.bot] if bots is None else bots))
        return room

    # ---- looking ---------------------------------------------------------------------------------------------------

    def calls(self, method: str | None = None) -> list[CallRecord]:
        """The calls so far, oldest first; of one name if given: `send`, `update`, `token` … (see `methods`)."""
        made = [record for _, record in self.connector.calls.after(0)]
        return [record for record in made if method is None or record.method == method]

    def deliveries(self, kind: str | None = None) -> list[Delivery]:
        """What was posted to bots so far, oldest first, each attempt by itself; of one type of activity if named."""
        made = [delivery for _, delivery in self.world.deliveries.made.after(0)]
        return [delivery for delivery in made if kind is None or delivery.kind == kind]

    async def delivered(self) -> None:
        """Come back once nothing is on its way to a bot."""
        await self.world.deliveries.idle()

    @property
    def problems(self) -> list[str]:
        """What was wrong in payloads of ours by the judge, and in cards with which invokes were answered."""
        return self.world.problems

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        return await (self.connector(request) if name_of(request) is None else self.sign_in(request))

    def _log(self, app_id: str, name: str, given: Mapping[str, Any], status: int, answer: Mapping[str, Any]) -> None:
        """Write down a call of the sign-in."""
        world = self.world
        bot_id = f"28:{app_id}" if app_id else ""
        at, order = world.clock.monotonic(), world.next_order()
        self.connector.calls.append(CallRecord(bot_id, name, f"/{name}", given, status, answer, at, order))
        world.journal.wake()
