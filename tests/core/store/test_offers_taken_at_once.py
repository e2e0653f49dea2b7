"""An offer that is taken a hundred times at once, from several processes on one database, is carried on with once."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from core.cards import Offer, OfferKind
from core.events import OfferResolved, OfferShown, Trigger, TurnCompleted, TurnStarted
from core.store.log import Append, EventLog
from core.store.queue import Queue
from tests.core.event_logs import completed, said, started
from tests.core.store.conftest import Open

TAKER = Path(__file__).with_name("taker.py")
OFFER = Offer(
    offer_id="o", kind=OfferKind.APP, target="gmail", name="Gmail", description="d", why="w", by="cue", request="r"
)


async def begun(given: dict[str, object]) -> asyncio.subprocess.Process:
    """A process that is ready to take it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(TAKER), json.dumps(given), stdin=pipe, stdout=pipe
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_of_a_hundred_takers_in_several_processes_one_is_carried_on_with(
    database_url: str, reopen: Open, tmp_path: Path
) -> None:
    database = await reopen()
    await database.commit_one(Append("c", (said(), started(), OfferShown(offer=OFFER), completed())))
    await database.close()
    given = {"conversation": "c", "offer": "o", "database_url": database_url, "files": str(tmp_path), "presses": 25}

    processes = await asyncio.gather(*(begun(given) for _ in range(4)))
    try:
        outputs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()

    told: Counter[str] = sum((Counter(json.loads(out)) for out, _ in outputs), Counter())
    database = await reopen()
    events = [event.data for event in await EventLog(database).read("c")]
    triggers = [data.trigger for data in events if isinstance(data, TurnStarted)]
    ends = [data.outcome for data in events if isinstance(data, TurnCompleted)]
    assert told == {"started": 1, "done": 99}
    assert [data.outcome for data in events if isinstance(data, OfferResolved)] == ["accepted"]
    assert triggers == [Trigger.MESSAGE, Trigger.CARRY_ON]
    assert ends == ["success", "success"]
    assert await Queue(database).waiting("c") == ()
    assert await EventLog(database).state("c") == await EventLog(database).rebuild("c")
