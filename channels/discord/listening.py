"""From the gateway into the store: what is heard is put into an envelope and stored, in order, until it is.

Discord forgets what it has sent. So what could not be stored is kept here and tried again, also by the next `run`.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import structlog

from channels.base import InboundMessage, Sink, Update
from channels.discord import render
from channels.discord.client import DiscordClient
from channels.discord.gateway import Gateway
from channels.discord.interactions import Interactions
from channels.discord.parse import Parser, update_id_of
from channels.discord.places import Places
from channels.discord.rooms import Rooms
from core.clock import Clock
from core.errors import Busy, Refused, RefusedReason, TryLater
from core.events import ChatKind

STORE_PAUSE = 2.0
"""Seconds until what could not be stored is tried again."""
AT_ONCE = 100
MOST_WAITING = 5_000
"""Updates that wait to be stored; with more, nothing is received until they are."""

_log = structlog.get_logger(__name__)


class Listener:
    """The one receiver of a bot; it can run only once at a time."""

    def __init__(
        self,
        client: DiscordClient,
        gateway: Gateway,
        parser: Parser,
        places: Places,
        rooms: Rooms,
        interactions: Interactions,
        clock: Clock,
    ) -> None:
        self._client = client
        self._gateway = gateway
        self._parser = parser
        self._places = places
        self._rooms = rooms
        self._interactions = interactions
        self._clock = clock
        self._waiting: deque[Update] = deque()
        self._more = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = False

    async def run(self, sink: Sink, *, message_content: bool) -> NoReturn:
        """Receive until cancelled; what an earlier run could not store goes first.

        Raises:
            TryLater: the connection broke, or nothing can be stored.
            Refused: the key stopped working, an intent is not allowed, or the key is another bot's.
        """
        if self._running:
            raise Busy("This bot's events are being received already.")
        self._running = True
        over: asyncio.Future[NoReturn] = asyncio.get_running_loop().create_future()
        try:
            while self._waiting:
                await self._store(sink)
            heard = self._ear(sink, over)
            receiving = asyncio.create_task(self._gateway.run(heard, message_content=message_content))
            writing = asyncio.create_task(self._write(sink))
            await self._until_one_ends(receiving, writing, over)
        finally:
            self._running = False
        raise TryLater("Discord's events ended.")

    async def close(self) -> None:
        """Answer no more interactions."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _until_one_ends(self, *ways: "asyncio.Task[NoReturn] | asyncio.Future[NoReturn]") -> None:
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in done:
                way.result()
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    # ---- hearing ---------------------------------------------------------------------------------------------------

    def _ear(self, sink: Sink, over: "asyncio.Future[NoReturn]") -> Callable[[str, dict[str, Any]], None]:
        def heard(name: str, event: dict[str, Any]) -> None:
            try:
                if name in ("READY", "RESUMED"):
                    self._places.learn(name, event)
                    self._begin(self._confirm(sink, over))
                else:
                    self._hear(name, event, sink)
            except Exception:  # noqa: BLE001 - whatever an event does, the connection goes on
                _log.exception("an event could not be heard", event=name)

        return heard

    def _hear(self, name: str, event: dict[str, Any], sink: Sink) -> None:
        if name == "GUILD_CREATE":
            self._arrived(event)
        elif name == "GUILD_DELETE":
            self._departed(event)
        elif name == "INTERACTION_CREATE":
            self._interaction(event, sink)
        elif name in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            self._keep({"t": name, "d": event, "place": self._places.of(event)})
        else:
            self._places.learn(name, event)

    async def _confirm(self, sink: Sink, over: "asyncio.Future[NoReturn]") -> None:
        """That there is a connection says nothing about who we are in it."""
        try:
            me = await self._client.call(render.get_me())
            if not isinstance(me, dict) or me.get("id") != self._parser.bot_id:
                words = "This key belongs to another bot now. Connect this bot again with its own key."
                raise Refused(words, RefusedReason.FORBIDDEN)
        except (TryLater, Refused) as reason:
            if not over.done():
                over.set_exception(reason)
        else:
            sink.online()

    def _interaction(self, event: dict[str, Any], sink: Sink) -> None:
        """Answered by a task of its own, which waits for nothing that is stored."""
        self._places.learn("INTERACTION_CREATE", event)
        payload = {"t": "INTERACTION_CREATE", "d": event, "place": self._places.of(event)}
        if not self._interactions.waits(event):
            self._keep(payload)
        self._begin(self._answer(payload, sink, kept=not self._interactions.waits(event)))

    async def _answer(self, payload: dict[str, Any], sink: Sink, *, kept: bool) -> None:
        if await self._interactions.answer(payload["d"], payload["place"], sink) and not kept:
            self._keep(payload)

    def _arrived(self, guild: dict[str, Any]) -> None:
        """A server, at the start or because the bot was brought into it just now."""
        new = self._places.is_new(str(guild.get("id"))) and guild.get("unavailable") is not True
        self._places.learn("GUILD_CREATE", guild)
        if new:
            short = {name: guild.get(name) for name in ("id", "name", "joined_at")}
            self._keep({"t": "GUILD_CREATE", "d": short, "place": self._places.greeting(guild)})

    def _departed(self, guild: dict[str, Any]) -> None:
        """A server that has trouble is still the bot's."""
        if guild.get("unavailable") is True:
            return
        rooms = self._places.forget(str(guild.get("id")))
        at = self._clock.now().isoformat()
        self._keep({"t": "GUILD_DELETE", "d": guild, "place": {"rooms": rooms}, "at": at})

    def _keep(self, payload: dict[str, Any]) -> None:
        """Only what means something to us: what people say among themselves is nobody's to store."""
        try:
            found = self._parser.parse(payload)
            if not found:
                return
            self._learn_from(payload["d"], found[0])
        except ValueError:
            pass  # what is malformed is stored, so that it is counted
        try:
            self._waiting.append(Update(update_id_of(payload), payload))
        except ValueError as fault:
            _log.warning("an event without an id is left out", reason=str(fault))
        self._more.set()

    def _learn_from(self, event: dict[str, Any], found: object) -> None:
        if isinstance(found, InboundMessage):
            room = event.get("channel_id")
            if found.chat.kind is ChatKind.PRIVATE and isinstance(room, str):
                self._rooms.learn_private(found.chat.id, room)
            elif found.chat.thread == found.message_id:
                self._rooms.learn_words(found.message_id, found.text)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- storing ---------------------------------------------------------------------------------------------------

    async def _write(self, sink: Sink) -> NoReturn:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                try:
                    await self._store(sink)
                except TryLater as reason:
                    _log.warning("updates could not be stored", count=len(self._waiting), reason=str(reason))
                    if len(self._waiting) > MOST_WAITING:
                        raise
                    await self._clock.sleep(STORE_PAUSE)

    async def _store(self, sink: Sink) -> None:
        batch = [self._waiting[at] for at in range(min(AT_ONCE, len(self._waiting)))]
        await sink.store(batch)
        for _ in batch:
            self._waiting.popleft()
