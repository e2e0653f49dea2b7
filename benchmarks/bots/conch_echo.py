"""Conch the whole way, as `conch serve` composes it, with an engine that says at once what it was told.

With `BENCH_MODEL` the engine plays a model instead: first words after 50 ms, the whole answer after 450 ms. With
`BENCH_SERVER` a model server of that address is connected and answers, with the model `BENCH_SERVER_MODEL`. With
`BENCH_BUDGETS` the budgets are on.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import uvloop
from sqlalchemy import text

from conch import interpreter
from conch.app import App, composed
from conch.home import Home
from conch.kinds import connectable
from conch.logs import configure
from conch.settings import ProgramSettings
from conch.signals import asked_to_end
from core.clock import SystemClock
from core.engines.base import Ended, EndReason, EngineCapabilities, EngineEvent, Host, Text, TurnInput, WithoutModels
from core.safety.redaction import Redactor
from web.engines import NewEngine

BUDGETS_OFF: Mapping[str, Any] = {"messages_per_minute": 0, "rate_per_chat": 0, "rate_global": 0}
"""So that the way is measured and not its brakes."""

FIRST_WORDS, CHUNKS, PAUSE = 0.05, 40, 0.01
WHOLE_ANSWER = FIRST_WORDS + CHUNKS * PAUSE


class Echo(WithoutModels):
    """An engine and its session at once: it remembers nothing."""

    id, title, capabilities = "echo", "Echo", EngineCapabilities()

    async def ready(self) -> bool:
        return True

    async def open(self, state: Mapping[str, Any] | None) -> "Echo":
        return self

    async def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        yield Text(f"echo: {turn.text}")
        yield Ended(EndReason.DONE)

    async def cancel(self) -> None:
        """It ends at once anyway."""

    def state(self) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        """There is nothing to let go of."""


class Model(Echo):
    """Writes as a fast model does."""

    async def open(self, state: Mapping[str, Any] | None) -> "Model":
        return self

    async def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        begun = time.perf_counter()
        await asyncio.sleep(FIRST_WORDS)
        yield Text(f"echo: {turn.text} ")
        for number in range(CHUNKS):
            due = begun + FIRST_WORDS + (number + 1) * PAUSE  # a late pause does not make the next one late
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            yield Text(f"word{number} ")
        yield Ended(EndReason.DONE)


async def run() -> None:
    clock = SystemClock()
    home = Home(Path(os.environ["BENCH_FOLDER"]))
    home.prepare()
    url = os.environ["BENCH_URL"]
    budgets = {} if "BENCH_BUDGETS" in os.environ else BUDGETS_OFF
    addresses = {"telegram_base_url": url, "telegram_base_file_url": url}
    settings = ProgramSettings.model_validate({**budgets, **addresses, "gather_ms": 0})
    configure(settings.log_level, settings.log_format, Redactor())
    engine = Model() if "BENCH_MODEL" in os.environ else Echo()
    kinds = connectable(settings, clock)
    with asked_to_end() as ending:
        async with composed(home, settings, clock=clock, kinds=kinds, engines=[engine]) as app:
            await app.start()
            await _connect_engine(app)
            interpreter.settle()
            await _let_everyone_in(app)
            await ending.wait()
            await app.drain()


async def _connect_engine(app: App) -> None:
    if url := os.environ.get("BENCH_SERVER"):
        await app.connections.add(NewEngine(kind="compatible", url=url, model=os.environ["BENCH_SERVER_MODEL"]))
        await app.connections.warm_up()


async def _let_everyone_in(app: App) -> None:
    level = await app.database.write(lambda connection: connection.execute(text("PRAGMA synchronous")).scalar())
    print(f"synchronous={level}", flush=True)
    if not await app.registry.list():
        connected = await app.registry.add("telegram", os.environ["BENCH_TOKEN"])
        for person in os.environ["BENCH_PEOPLE"].split(","):
            await app.people.let_in(connected.channel_id, person, by="bench", name="Ada")
    print("ready", flush=True)


if __name__ == "__main__":
    uvloop.run(run())
