"""The core in this process: a real database, a clock that tests move, and engines that play what they are told.

`Life.story` tells a log in short lines, so that a test compares what happened as a person would retell it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection

from core import events as ev
from core.checkpoints import NO_CHECKPOINTS, Checkpoint, Checkpoints
from core.clock import ManualClock
from core.conversations import Conversations, Sent, Stopped
from core.engines.base import (
    Ended,
    EndReason,
    Engine,
    EngineCapabilities,
    EngineEvent,
    Host,
    Session,
    Text,
    TurnInput,
    WithoutModels,
)
from core.engines.registry import Engines
from core.engines.script import Steps, Until
from core.engines.scripted import Script, ScriptedEngine
from core.errors import StoreUnavailable
from core.files import FileStore
from core.live import LiveFeed, LiveItem
from core.offers.desk import NOTHING, Shelf
from core.preferences import Preferences
from core.settings import Settings
from core.store.changes import Change
from core.store.database import Database
from core.store.log import EventLog
from core.store.queue import Queue, QueuedMessage

T = TypeVar("T")

CHAT = "chat"

NOTHING_SPECIAL = EngineCapabilities()


def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was said."""
    yield Text(f"echo: {turn.text}")


def migrate(path: Path) -> None:
    """Make an empty database of this release's shape."""

    async def opened() -> None:
        await (await Database.open(f"sqlite:///{path}", ManualClock())).close()

    asyncio.run(opened())


async def until(condition: Callable[[], object], within: float = 10.0) -> None:
    """Come back when it holds; only a test that fails ever waits that long."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - what is looked at is a picture, not an event
            await asyncio.sleep(0)


class FaultyDatabase(Database):
    """A database that can be made to take nothing, and counts what it was asked."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.is_down = False
        self.writing = 0
        self.writes = 0
        self.looks = 0

    async def commit(self, *changes: Change[Any]) -> tuple[Any, ...]:
        """As ever, or not at all."""
        with self._write():
            return await super().commit(*changes)

    async def commit_one(self, change: Change[T]) -> T:
        """As ever, or not at all."""
        with self._write():
            return await super().commit_one(change)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """As ever, or not at all."""
        self._look()
        return await super().read(query)

    async def peek(self, query: Callable[[Connection], T]) -> T:
        """As ever, or not at all."""
        self._look()
        return await super().peek(query)

    @contextmanager
    def _write(self) -> Iterator[None]:
        self._check()
        self.writing += 1
        try:
            yield
            self.writes += 1
        finally:
            self.writing -= 1

    def _look(self) -> None:
        self._check()
        self.looks += 1

    def _check(self) -> None:
        if self.is_down:
            raise StoreUnavailable("The disk is full.")


class HoldAt:
    """Holds whatever reaches a marked point until it is let go."""

    def __init__(self, point: Checkpoint) -> None:
        self._point = point
        self.reached, self.go = asyncio.Event(), asyncio.Event()

    async def reach(self, point: Checkpoint) -> None:
        """Wait here, or go on."""
        if point is self._point:
            self.reached.set()
            await self.go.wait()


class Holding:
    """A script that echoes, and holds each turn whose words begin with "wait" until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    def __call__(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("so far")
            yield Until(self.go)
            yield Text(", and so on")
        else:
            yield Text(f"echo: {turn.text}")


async def _nothing() -> None:
    pass


@dataclass
class Wayward(WithoutModels):
    """An engine that is put together from functions: it can do what no engine should."""

    answer: Callable[[TurnInput], AsyncIterator[EngineEvent]]
    opening: Callable[[], Awaitable[None]] = _nothing
    cancel: Callable[[], Awaitable[None]] = _nothing
    state: Callable[[], Mapping[str, Any]] = dict
    close: Callable[[], Awaitable[None]] = _nothing
    is_ready: Callable[[], bool] = lambda: True
    id: str = "wayward"
    title: str = "Wayward"
    capabilities: EngineCapabilities = NOTHING_SPECIAL

    async def ready(self) -> bool:
        """What `is_ready` says."""
        return self.is_ready()

    async def open(self, state: Mapping[str, Any] | None) -> Session:
        """A session of these functions."""
        await self.opening()
        return _WaywardSession(self)


@dataclass
class _WaywardSession:
    engine: Wayward

    def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        return self.engine.answer(turn)

    async def cancel(self) -> None:
        await self.engine.cancel()

    def state(self) -> Mapping[str, Any]:
        return self.engine.state()

    async def close(self) -> None:
        await self.engine.close()


async def deaf(turn: TurnInput) -> AsyncIterator[EngineEvent]:
    """An answer that never goes on; it hears nothing but being cut off."""
    yield Text("so far")
    await asyncio.Event().wait()
    yield Ended(EndReason.DONE)


@dataclass(frozen=True, slots=True)
class Life:
    """One life of the core."""

    conversations: Conversations
    database: FaultyDatabase
    engines: Engines
    files: FileStore
    feed: LiveFeed
    clock: ManualClock
    heard: list[LiveItem]
    """All that was live, in order."""

    @property
    def engine(self) -> ScriptedEngine:
        """The scripted engine that answers."""
        engine = self.engines.default
        assert isinstance(engine, ScriptedEngine)
        return engine

    async def say(
        self,
        text: str,
        *also: Change,
        to: str = CHAT,
        by: ev.Origin | None = None,
        ids: tuple[str, ...] | None = None,
        **more: Any,
    ) -> Sent:
        """Send words; they are their own client id unless one is given."""
        return await self.conversations.send(to, message(text, by, ids, **more), *also)

    async def stop(self, of: str = CHAT) -> Stopped:
        """Press stop."""
        return await self.conversations.stop(of)

    async def idle(self) -> None:
        """Come back when nothing goes on in any conversation."""
        await until(lambda: not self.conversations.active)

    async def answer(self, text: str, to: str = CHAT, **more: Any) -> list[str]:
        """Say something, wait until it is answered, and retell all that happened in the conversation."""
        await self.say(text, to=to, **more)
        await self.idle()
        return await self.story(to)

    async def events(self, of: str = CHAT) -> list[ev.EventData]:
        """The log."""
        return [event.data for event in await EventLog(self.database).read(of)]

    async def story(self, of: str = CHAT) -> list[str]:
        """The log in short lines."""
        return [retold(data) for data in await self.events(of)]

    async def asked(self, of: str = CHAT) -> list[str]:
        """The words that went to an engine."""
        return [data.text for data in await self.events(of) if isinstance(data, ev.UserMessage)]

    async def end(self, of: str = CHAT) -> ev.TurnCompleted:
        """How the newest turn ended."""
        return [data for data in await self.events(of) if isinstance(data, ev.TurnCompleted)][-1]

    async def waiting(self, of: str = CHAT) -> list[str]:
        """The words in the queue."""
        return [item.message.text for item in await Queue(self.database).waiting(of)]

    async def is_over(self) -> None:
        """The process ends in good order."""
        self.database.is_down = False
        drained = asyncio.create_task(self.conversations.drain(grace=0))
        while not (await asyncio.wait({drained}, timeout=0.05))[0]:
            await self.clock.advance(4)  # something ignores its end
        await self.database.close()

    async def is_killed(self) -> None:
        """The process is no more: what it was writing is written, and nothing after it."""
        self.database.is_down = True
        await until(lambda: not self.database.writing)
        drained = asyncio.create_task(self.conversations.drain(grace=0))
        while not drained.done():
            await self.clock.advance(4)
        await self.database.close()


class Start:
    """Begins lives over one folder; time goes on from one to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lives: list[Life] = []
        self.clock = ManualClock()

    async def __call__(
        self,
        script: Script | Engine = echo,
        *more: Engine,
        checkpoints: Checkpoints = NO_CHECKPOINTS,
        recover: bool = True,
        shelf: Shelf = NOTHING,
        **settings: Any,
    ) -> Life:
        """A life whose engines are these; a script is played by one named `scripted`."""
        engine = ScriptedEngine(self.clock, script) if callable(script) else script
        database = await FaultyDatabase.open(f"sqlite:///{self._folder}/conch.db", self.clock, busy_timeout=0)
        feed, heard = LiveFeed(), list[LiveItem]()
        database.on_commit(feed.publish_events)
        feed.listen(heard.append)
        preferences = Preferences(Settings(**settings))
        engines, files = Engines([engine, *more], preferences), FileStore(self._folder / "files")
        conversations = Conversations(
            database=database,
            engines=engines,
            files=files,
            feed=feed,
            preferences=preferences,
            clock=self.clock,
            checkpoints=checkpoints,
            shelf=shelf,
        )
        life = Life(conversations, database, engines, files, feed, self.clock, heard)
        self._lives.append(life)
        if recover:
            await conversations.recover()
        return life

    async def end_all(self) -> None:
        """No life outlives its test."""
        for life in self._lives:
            await life.is_over()


def from_chat(person: str, chat: str = "9", reply_to: str | None = None) -> ev.Origin:
    """Somebody in a chat of an app."""
    address = ev.Address(channel_id="telegram", chat_id=chat, reply_to=reply_to)
    return ev.Origin(kind="channel", person_id=person, person_name=person.title(), role="let-in", address=address)


def message(text: str, by: ev.Origin | None = None, ids: tuple[str, ...] | None = None, **more: Any) -> QueuedMessage:
    """Words on their way into the core."""
    origin = by or ev.Origin(kind="console")
    return QueuedMessage(text=text, origin=origin, client_ids=(text,) if ids is None else ids, **more)


def retold(data: ev.EventData) -> str:
    """An event in a short line."""
    match data:
        case ev.UserMessage(text=text):
            return f"> {text}"
        case ev.AssistantMessage(text=text, attachments=files):
            return " + ".join([text, *(file.name for file in files)])
        case ev.ToolStarted(name=name):
            return f"{name} starts"
        case ev.ToolFinished(name=name, status=status):
            return f"{name} ends: {status}"
        case ev.Notice(code=code):
            return f"notice: {code}"
        case ev.TurnStarted():
            return "turn"
        case ev.TurnCompleted(outcome=outcome, problem=problem, cut_off_by=cut_off_by):
            return " ".join(str(part) for part in ("end:", outcome, problem, cut_off_by) if part)
    return data.type
