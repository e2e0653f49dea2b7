"""How many events a second the log takes, and how long one append waits for its commit.

Each of 50 producers appends one event after another to a conversation of its own, as 50 chats would. Run by hand:

    .venv/bin/python benchmarks/append.py
"""

import argparse
import asyncio
import gc
import os
import statistics
import tempfile
import time
from pathlib import Path

import uvloop
from sqlalchemy import text

from core.clock import SystemClock
from core.events import AssistantMessage
from core.store.database import Database
from core.store.log import Append, EventLog

EVENT = AssistantMessage(message_id="5f0c7a3e9b1d4c8f", text="It is in the second drawer from the top, under the maps.")


def flush_times(folder: Path, count: int = 300) -> list[float]:
    """Seconds that the disk takes to make one page durable."""
    times = []
    with (folder / "flush").open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"x" * 4096)
            begun = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begun)
    return times


async def produce(database: Database, conversation_id: str, until: float, waits: list[float]) -> None:
    while (begun := time.perf_counter()) < until:
        await database.commit_one(Append(conversation_id, (EVENT,)))
        waits.append(time.perf_counter() - begun)


async def run(folder: Path, producers: int, seconds: float) -> tuple[float, list[float]]:
    """Events a second, and how long each append waited."""
    database = await Database.open(f"sqlite:///{folder / 'bench.sqlite'}", SystemClock())
    level = await database.write(lambda connection: connection.execute(text("PRAGMA synchronous")).scalar())
    assert level == 2, "not FULL"
    await asyncio.gather(*(produce(database, f"{n:032x}", time.perf_counter() + 0.3, []) for n in range(producers)))
    waits: list[float] = []
    gc.collect()
    begun = time.perf_counter()
    await asyncio.gather(*(produce(database, f"{n:032x}", begun + seconds, waits) for n in range(producers)))
    rate = len(waits) / (time.perf_counter() - begun)
    log = EventLog(database)
    first = f"{0:032x}"
    assert await log.state(first) == await log.rebuild(first), "the fold beside the log is not the log's"
    await database.close()
    return rate, waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--producers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    rates, p50s, p99s = [], [], []
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as name:
        flushes = flush_times(Path(name))
        for round_ in range(asked.rounds):
            folder = Path(name) / str(round_)
            folder.mkdir()
            rate, waits = uvloop.run(run(folder, asked.producers, asked.seconds))
            cuts = statistics.quantiles(waits, n=100)
            rates.append(rate)
            p50s.append(cuts[49] * 1e3)
            p99s.append(cuts[98] * 1e3)
    print(f"{asked.producers} producers, one event each, SQLite WAL FULL, {asked.rounds} rounds of {asked.seconds} s")
    print(f"disk: one flush {statistics.median(flushes) * 1e3:.2f} ms")
    print(f"events/s: median {statistics.median(rates):,.0f}, from {min(rates):,.0f} to {max(rates):,.0f}")
    print(f"wait: p50 {statistics.median(p50s):.2f} ms, p99 {statistics.median(p99s):.2f} ms")


if __name__ == "__main__":
    main()
