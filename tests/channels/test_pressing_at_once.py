"""One button pressed a thousand times at once, from two processes over one database: it does its thing once."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from channels.actions import ChatActions, LabelledAction, SendText
from channels.base import ChatRef
from core.clock import SystemClock
from core.store.database import Database
from core.store.outbox import OutboxRows

PRESSER = Path(__file__).with_name("presser.py")


async def begun(given: dict[str, object]) -> asyncio.subprocess.Process:
    """A process that is ready to press."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PRESSER), json.dumps(given), stdin=pipe, stdout=pipe
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_of_a_thousand_presses_at_once_in_two_processes_one_counts(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'conch.sqlite'}"
    database = await Database.open(url, SystemClock())
    offered = ChatActions(database, SystemClock()).offer(
        ChatRef("c1", "7"), "7", "k", [LabelledAction("Go", SendText(text="go"))]
    )
    await database.commit(offered.change)
    given: dict[str, object] = {
        "token": offered.buttons[0].token,
        "database_url": url,
        "presses": 500,
        "at_once": 25,
    }

    processes = await asyncio.gather(begun(given), begun(given))
    try:
        outputs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()
    effects = await OutboxRows(database).unfinished("c1")
    await database.close()

    came: Counter[str] = sum((Counter(json.loads(out)) for out, _ in outputs), Counter())
    assert came == {"Go": 1, "used": 999}
    assert len(effects) == 1
