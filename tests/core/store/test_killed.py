"""A program that is killed in the middle of a transaction."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from core.events import Notice
from core.store.log import EventLog
from tests.core.store.conftest import Open

KILLED = """
import asyncio, os, signal, sys
from dataclasses import dataclass
from typing import ClassVar
from core.clock import SystemClock
from core.events import Notice
from core.store.changes import Change, Step
from core.store.database import Database
from core.store.log import Append

@dataclass(frozen=True, slots=True)
class Killed(Change):
    step: ClassVar[Step] = Step.CLAIM

    @classmethod
    def apply_many(cls, tx, changes):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    database = await Database.open(sys.argv[1], SystemClock())
    for number in range(3):
        await database.commit(Append("c", (Notice(code="x", message=str(number)),)))
        print(number, flush=True)
    await database.commit(Append("c", (Notice(code="x", message="never"),) * 100), Killed())

asyncio.run(main())
"""


async def test_a_process_killed_within_a_transaction_keeps_what_was_committed_and_nothing_more(
    database_url: str, reopen: Open
) -> None:
    process = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", KILLED, database_url],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        check=False,
    )

    database = await reopen()
    log = EventLog(database)
    messages = [event.data.message for event in await log.read("c") if isinstance(event.data, Notice)]

    assert process.returncode == -signal.SIGKILL
    assert process.stdout.split() == [b"0", b"1", b"2"]
    assert messages == ["0", "1", "2"]
    assert await log.state("c") == await log.rebuild("c")
