"""How many events a second the log takes, and how long one append waits for its commit.

Each of 50 producers appends one event after another to a conversation of its own, as 50 chats would: into a SQLite
file, and into a new database on the PostgreSQL server of CONCH_TEST_POSTGRES_URL where that is set. Run by hand:

    .venv/bin/python -m benchmarks.append
"""

import argparse
import asyncio
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop
from sqlalchemy import text

from benchmarks.machine import described, flush_ms, load
from core.clock import SystemClock
from core.events import AssistantMessage
from core.store.database import Database
from core.store.log import Append, EventLog
from tests.core.store.databases import VARIABLE, PostgresServer

EVENT = AssistantMessage(message_id="5f0c7a3e9b1d4c8f", text="It is in the second drawer from the top, under the maps.")

DURABLE = {"sqlite": ("PRAGMA synchronous", 2), "postgresql": ("SHOW synchronous_commit", "on")}
"""By the start of the address, what has to be so; SQLite's 2 is FULL."""


async def produce(database: Database, conversation_id: str, until: float, waits: list[float]) -> None:
    while (begun := time.perf_counter()) < until:
        await database.commit_one(Append(conversation_id, (EVENT,)))
        waits.append(time.perf_counter() - begun)


async def run(url: str, producers: int, seconds: float) -> tuple[float, list[float]]:
    """Events a second, and how long each append waited."""
    database = await Database.open(url, SystemClock())
    question, durable = next(asked for start, asked in DURABLE.items() if url.startswith(start))
    assert await database.write(lambda connection: connection.execute(text(question)).scalar()) == durable
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


@contextmanager
def sqlite_file() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as folder:
        yield f"sqlite:///{Path(folder) / 'bench.sqlite'}"


def measure(kind: str, asked: argparse.Namespace) -> None:
    rates, p50s, p99s = [], [], []
    for _ in range(asked.rounds):
        with sqlite_file() if kind.startswith("SQLite") else PostgresServer().database() as url:
            rate, waits = uvloop.run(run(url, asked.producers, asked.seconds))
        cuts = statistics.quantiles(waits, n=100)
        rates.append(rate)
        p50s.append(cuts[49] * 1e3)
        p99s.append(cuts[98] * 1e3)
    print(
        f"{kind}: events/s median {statistics.median(rates):,.0f}, from {min(rates):,.0f} to {max(rates):,.0f};",
        end=" ",
    )
    print(f"wait p50 {statistics.median(p50s):.2f} ms, p99 {statistics.median(p99s):.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--producers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as folder:
        flush = flush_ms(Path(folder))
    print(f"{described()}; one flush of the disk {flush:.2f} ms; load {load():.1f}")
    print(f"{asked.producers} producers, one event each, {asked.rounds} rounds of {asked.seconds} s")
    measure("SQLite, WAL, FULL", asked)
    if VARIABLE in os.environ:
        [[fsync]] = PostgresServer().run("SHOW fsync")
        measure(f"PostgreSQL, synchronous_commit on, fsync {fsync}", asked)
    else:
        print(f"PostgreSQL: not measured, {VARIABLE} is not set")


if __name__ == "__main__":
    main()
