"""A whole Conch over the in-memory app, and its owner Ada: what she types and taps, and what comes back.

Time stands still unless a test moves it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat, SeenMessage
from channels.memory.kind import MemoryKind
from conch.app import TURNS_END, App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import Clock, ManualClock
from core.engines.base import Engine, EngineCapabilities, ModelInfo, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import EVERYTHING, ScriptedEngine
from core.events import EventData
from core.store.log import EventLog
from core.store.queue import Queue
from core.store.seats import Seat, SeatRecord, Seats

Earlier = tuple[str, ...]


class Echo(ScriptedEngine):
    """Says what it heard in this conversation so far; a turn that begins with "wait" it holds until it may `go`."""

    def __init__(
        self,
        clock: Clock,
        *,
        name: str = "echo",
        capabilities: EngineCapabilities = EVERYTHING,
        models: tuple[ModelInfo, ...] = (),
    ) -> None:
        super().__init__(clock, self._script_of_turn, name=name, capabilities=capabilities, models=models)
        self.go = asyncio.Event()

    @property
    def newest(self) -> TurnInput:
        """What it was given last."""
        return self.turns[-1]

    async def has_begun(self, words: str) -> None:
        """Come back when it is at a turn with these words."""
        await until(lambda: self.turns and self.newest.text == words)

    def _script_of_turn(self, turn: TurnInput, earlier: Earlier) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("working. ")
            yield Until(self.go)
        yield Text(f"heard {', '.join((*earlier, turn.text))}")


@dataclass(frozen=True, slots=True)
class Talk:
    """One life of Conch, and the people who talk with it."""

    app: App
    shell: MemoryApp
    clock: ManualClock
    ada: MemoryChat
    """The owner's private chat."""
    channel_id: str

    async def say(self, text: str, chat: MemoryChat | None = None, **more: Any) -> SeenMessage:
        """Write (Ada does, unless it is another's chat), and come back with what the bot says to that."""
        room = chat or self.ada
        before = len(room.answers)
        room.say(text, **more)
        await room.wait_until(lambda seen: len(seen.answers) > before)
        return room.answers[before]

    async def tap(self, message: SeenMessage, label: str, chat: MemoryChat | None = None) -> SeenMessage:
        """Press a button, and come back with what the bot says to that."""
        room = chat or self.ada
        before = len(room.answers)
        room.press(message, label)
        await room.wait_until(lambda seen: len(seen.answers) > before)
        return room.answers[before]

    async def let_in(self, name: str) -> MemoryChat:
        """Someone else's private chat, let in by Ada."""
        chat = self.shell.private_chat(name)
        code = await self.app.gate.new_hello_code(self.channel_id)
        await self.say(f"/start {code}", chat)
        return chat

    async def seat(self, chat: MemoryChat | None = None) -> SeatRecord | None:
        """What is known of a private chat's seat."""
        room = chat or self.ada
        return await Seats(self.app.database).get(Seat(self.channel_id, room.id, "", room.people[0].id))

    async def conversation(self, chat: MemoryChat | None = None) -> str:
        """The conversation of a private chat."""
        record = await self.seat(chat)
        assert record is not None
        assert record.conversation_id is not None
        return record.conversation_id

    async def waiting(self, count: int) -> None:
        """Come back when this many messages of Ada's wait for the running answer, and none is on its way."""
        conversation_id = await self.conversation()
        async with asyncio.timeout(10):
            while len(await Queue(self.app.database).waiting(conversation_id)) != count:  # noqa: ASYNC110 - a picture
                await asyncio.sleep(0)
        await self.app.service.settled()

    async def log(self, chat: MemoryChat | None = None) -> list[EventData]:
        """What happened in a private chat's conversation."""
        events = await EventLog(self.app.database).read(await self.conversation(chat))
        return [event.data for event in events]


def labels(message: SeenMessage) -> list[str]:
    """What stands on a message's buttons."""
    return [button.label for button in message.buttons]


async def until(condition: Callable[[], object], within: float = 10.0) -> None:
    """Come back when it holds; only a test that fails ever waits that long."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - what is looked at is a picture, not an event
            await asyncio.sleep(0)


@asynccontextmanager
async def talking(
    home: Home,
    engine: Engine,
    shell: MemoryApp,
    clock: ManualClock,
    *,
    button_limit: int = 8,
    channel: type[MemoryChannel] = MemoryChannel,
    **settings: object,
) -> AsyncIterator[Talk]:
    """A life of Conch; in its first one Ada becomes the owner. At the end it is drained, and cuts off what runs."""
    chosen = ProgramSettings.model_validate({"gather_ms": 0, "rate_per_chat": 0, "rate_global": 0, **settings})
    kinds = {"memory": MemoryKind(clock, shell, button_limit=button_limit, channel=channel)}
    async with composed(home, chosen, clock=clock, kinds=kinds, engines=[engine]) as app:
        await app.start()
        channel_id = await _owned_by(shell.private_chat("Ada"), app, shell)
        yield Talk(app, shell, clock, shell.private_chat("Ada"), channel_id)
        await _ended(app, clock)


async def _owned_by(ada: MemoryChat, app: App, shell: MemoryApp) -> str:
    for record in await app.registry.list():
        return record.id
    connected = await app.registry.add("memory", shell.key)
    assert connected.link is not None
    ada.open_link(connected.link)
    await ada.wait_until(lambda seen: seen.answers)
    return connected.channel_id


async def _ended(app: App, clock: ManualClock) -> None:
    """Drain; time goes on only until running turns are cut off."""
    draining = asyncio.create_task(app.drain())
    left = TURNS_END + 5
    while not draining.done():
        if app.conversations.turns and left > 0:
            left -= 1
            await clock.advance(1)
        await asyncio.sleep(0)
    await draining


def save(home: Home, name: str, words: str) -> Path:
    """Write a command of one's own."""
    home.commands.mkdir(exist_ok=True)
    path = home.commands / f"{name}.md"
    path.write_text(words, encoding="utf-8")
    return path
