"""A Conch over the in-memory app where answers are written into their messages, and what its engine writes when."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.chat import MemoryChat
from channels.memory.kind import MemoryKind
from channels.memory.streaming import StreamingChannel
from conch.app import composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.base import Ended, EndReason, MessageEnd, Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import EVERYTHING, ScriptedEngine
from core.store.database import Database
from tests.channels.commands.talking import Talk, talking


class Writer(ScriptedEngine):
    """Writes what is said to it: pieces between `|`, each of which waits until it may `go` on, messages between `#`.

    `!` as a piece is an engine that fails there.
    """

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock, self._script_of_turn, name="writer", capabilities=EVERYTHING)
        self._gate = asyncio.Event()

    def go(self) -> None:
        """Write the next piece."""
        gate, self._gate = self._gate, asyncio.Event()
        gate.set()

    def _script_of_turn(self, turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        for number, message in enumerate(turn.text.split("#")):
            if number:
                yield MessageEnd()
            for place, piece in enumerate(message.split("|")):
                if place:
                    yield Until(self._gate)
                if piece == "!":
                    yield Ended(EndReason.CRASHED)
                    return
                yield Text(piece)


@dataclass
class Stage:
    """What every life of the program in a test has in common. `channel` is what the app can do."""

    home: Home
    shell: MemoryApp
    clock: ManualClock
    engine: Writer
    channel: type[MemoryChannel] = field(default=StreamingChannel)

    @asynccontextmanager
    async def life(self) -> AsyncIterator[Talk]:
        """One life of the program, drained at its end."""
        async with talking(self.home, self.engine, self.shell, self.clock, channel=self.channel) as talk:
            yield talk

    @asynccontextmanager
    async def killed(self) -> AsyncIterator[Talk]:
        """A life that ends without a word: nothing that it does at its end is seen in Ada's chat or stored."""
        kept, ada = self.home.path / "kept.sqlite", self.shell.private_chat("Ada")
        chosen = ProgramSettings.model_validate({"gather_ms": 0, "rate_per_chat": 0, "rate_global": 0})
        kinds = {"memory": MemoryKind(self.clock, self.shell, channel=self.channel)}
        async with composed(self.home, chosen, clock=self.clock, kinds=kinds, engines=[self.engine]) as app:
            await app.start()
            (record,) = await app.registry.list()
            yield Talk(app, self.shell, self.clock, ada, record.id)
            with closing(sqlite3.connect(self.home.database)) as now, closing(sqlite3.connect(kept)) as copy:
                now.backup(copy)
            ada.blocked = True
            draining = asyncio.create_task(app.drain())
            while not draining.done():
                await self.clock.advance(5)
                await asyncio.sleep(0)
        ada.blocked = False
        _put_back(kept, self.home.database)

    async def passes(
        self, talk: Talk, seen: Callable[[MemoryChat], object], chat: MemoryChat | None = None, *, step: float = 0.05
    ) -> None:
        """Let time go by until it is seen."""
        room = chat or talk.ada
        for _ in range(400):
            if seen(room):
                return
            await asyncio.sleep(0)
            await talk.app.database.write(lambda _: None)
            await self.clock.advance(step)
        raise AssertionError(f"not seen; the bot said {room.texts}, marked {room.marked}")


def _put_back(kept: Path, database: Path) -> None:
    for end in ("-wal", "-shm"):
        database.with_name(f"{database.name}{end}").unlink(missing_ok=True)
    shutil.copyfile(kept, database)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("streams") / "empty.sqlite"

    async def opened() -> None:
        await (await Database.open(f"sqlite:///{path}", ManualClock())).close()

    asyncio.run(opened())
    return path


@pytest.fixture
def stage(tmp_path: Path, migrated: Path) -> Stage:
    home = Home(tmp_path)
    home.prepare()
    shutil.copyfile(migrated, home.database)
    clock = ManualClock()
    return Stage(home, MemoryApp(clock), clock, Writer(clock))


@pytest.fixture
async def talk(stage: Stage) -> AsyncIterator[Talk]:
    async with stage.life() as talk:
        yield talk
