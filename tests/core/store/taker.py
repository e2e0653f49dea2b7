"""A process that takes one offer many times at once, and carries on where it is the one. Run as a script, with JSON."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from core.checkpoints import NO_CHECKPOINTS
from core.clock import SystemClock
from core.conversations import Conversations
from core.engines.base import EngineCapabilities, Text, TurnInput
from core.engines.registry import Engines
from core.engines.script import Steps
from core.engines.scripted import ScriptedEngine
from core.files import FileStore
from core.live import LiveFeed
from core.offers.catalog import CATALOG
from core.offers.desk import Shelf
from core.patience import patiently
from core.preferences import Preferences
from core.settings import Settings
from core.store.database import Database

ENGINE = EngineCapabilities(host_tools="inline", plan_approval="host")


def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was said."""
    yield Text(f"echo: {turn.text}")


def conversations(database: Database, files: Path) -> Conversations:
    """The core over this database, in which Gmail is connected."""
    clock, preferences = SystemClock(), Preferences(Settings())
    return Conversations(
        database=database,
        engines=Engines([ScriptedEngine(clock, echo, capabilities=ENGINE)], preferences),
        files=FileStore(files),
        feed=LiveFeed(),
        preferences=preferences,
        clock=clock,
        checkpoints=NO_CHECKPOINTS,
        shelf=Shelf(CATALOG, lambda: {"gmail"}),
    )


async def main(conversation: str, offer: str, database_url: str, files: str, presses: int) -> None:
    """Say "ready", wait for a line, take it, and say what came of it."""
    shared = database_url.startswith("postgresql")  # a file is anybody's who opens it
    database = await Database.open(database_url, SystemClock(), busy_timeout=10, shared=shared)
    core = conversations(database, Path(files))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    taken = await asyncio.gather(
        *(patiently(lambda: core.accept_offer(conversation, offer, "Ada"), SystemClock()) for _ in range(presses))
    )
    await core.drain(grace=10)
    await database.close()
    print(json.dumps(Counter(taken)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
