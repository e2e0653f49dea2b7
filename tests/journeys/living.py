"""A whole Conch in this process: the real SDK, the pretend Telegram over real sockets, an engine that plays a script.

Only the clock of waits, the engine and the checkpoints are exchanged, at the places where the program takes them.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from sqlalchemy.engine import make_url

from channels.base import ChannelKind
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from channels.telegram.kind import TelegramKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.checkpoints import NO_CHECKPOINTS, Checkpoints
from core.clock import Clock, SystemClock, to_milliseconds
from core.engines.base import Engine, Text, TurnInput
from core.engines.script import Steps
from core.engines.scripted import Script, ScriptedEngine
from core.store import schema, sqlite


class FastClock:
    """Time that runs a hundred times faster than the machine's: every wait of ours is short, and in proportion."""

    SPEED = 100.0

    def __init__(self) -> None:
        self._began, self._start = time.monotonic(), datetime.now(UTC)

    def skip(self, seconds: float) -> None:
        """Let so much time have gone by at once; who sleeps, sleeps on."""
        self._began -= seconds / self.SPEED

    def now(self) -> datetime:
        """The start, and the time that went by since then, a hundred times."""
        return to_milliseconds(self._start + timedelta(seconds=self.monotonic()))

    def monotonic(self) -> float:
        """Seconds since the start, a hundred times."""
        return (time.monotonic() - self._began) * self.SPEED

    async def sleep(self, seconds: float) -> None:
        """A hundredth of it."""
        await asyncio.sleep(max(0.0, seconds) / self.SPEED)


def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was said."""
    yield Text(f"echo: {turn.text}")


def telegram(pretend: PretendTelegram, clock: Clock, webhooks: str | None = None) -> Mapping[str, ChannelKind]:
    """Telegram, pointed at the pretend one; messages are brought to `webhooks` where it is given."""
    kind = TelegramKind(clock, base_url=pretend.base_url, base_file_url=pretend.base_file_url, webhooks=webhooks)
    return {kind.kind: kind}


Kinds = Callable[[Clock], Mapping[str, ChannelKind]]
"""The chat apps of a Conch that has this clock."""


@asynccontextmanager
async def living(
    folder: Path,
    pretend: PretendTelegram | Kinds,
    *,
    engines: Sequence[Engine] | None = None,
    script: Script = echo,
    clock: Clock | None = None,
    checkpoints: Checkpoints = NO_CHECKPOINTS,
    webhooks: str | None = None,
    local_url: str | None = None,
    **settings: object,
) -> AsyncIterator[App]:
    """A Conch over this data folder, receiving from the pretended. At the end it is drained, as by SIGTERM."""
    clock = clock or SystemClock()
    home = Home(folder)
    home.prepare()
    if not home.database.exists():
        home.database.write_bytes(_migrated())
    kinds = telegram(pretend, clock, webhooks) if isinstance(pretend, PretendTelegram) else pretend(clock)
    chosen = ProgramSettings.model_validate({"rate_per_chat": 0, "rate_global": 0, **settings})
    async with composed(
        home,
        chosen,
        clock=clock,
        kinds=kinds,
        engines=engines or [ScriptedEngine(clock, script)],
        checkpoints=checkpoints,
        local_url=local_url,
    ) as app:
        await app.start()
        yield app
        await app.drain()


@cache
def _migrated() -> bytes:
    """An empty database as a file, so that migrations do not run for each test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.sqlite"
        engine = sqlite.writer_engine(make_url(f"sqlite:///{path}"))
        with engine.begin() as connection:
            schema.migrate(connection)
        engine.dispose()
        return path.read_bytes()


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of the connected bot, with their private chat."""

    player: Player
    chat: Screen
    channel_id: str


async def owner_of(app: App, pretend: PretendTelegram, name: str = "Ada") -> Owner:
    """Connect the pretend bot and let its owner in by the hello link, as people do."""
    connected = await app.registry.add("telegram", DEFAULT_BOT)
    assert connected.link is not None
    player = pretend.person(name)
    chat = player.private_chat()
    await chat.start(connected.link.partition("?start=")[2])
    await chat.wait_for_answer()
    return Owner(player, chat, connected.channel_id)


def said(chat: Screen) -> list[str]:
    """What the bot said in a chat, as the person sees it."""
    return [message.text for message in chat.answers]


async def until(condition: Callable[[], object], within: float = 10.0) -> None:
    """Come back when it holds; only a test that fails ever waits that long."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - what is looked at is a picture, not an event
            await asyncio.sleep(0)
