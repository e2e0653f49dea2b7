"""A process that presses one button many times and does what it gets. Run as a script, with JSON.

Each time it gets the action, it stores a message in the outbox: that is the effect.
"""

import asyncio
import json
import os
import sys
from collections import Counter

from channels.actions import ChatActions, LabelledAction
from channels.base import ChatRef, MessageRef, OutboundMessage, Press, Sender
from channels.outbox import post_of
from core.clock import SystemClock
from core.patience import patiently
from core.store.database import Database
from core.store.outbox import Kind


async def main(token: str, database_url: str, presses: int, at_once: int) -> None:
    """Say "ready", wait for a line, press, and say what came of it."""
    clock = SystemClock()
    database = await Database.open(database_url, clock)
    actions = ChatActions(database, clock)
    chat = ChatRef("c1", "7")
    came: Counter[str] = Counter()

    async def press(number: int) -> None:
        update_id = f"{os.getpid()}-{number}"
        pressed = Press(update_id, token, MessageRef(chat, "55"), Sender("7", "Ada"), update_id, clock.now())
        got = await patiently(lambda: actions.claim(pressed), clock)
        came[got.label if isinstance(got, LabelledAction) else got.value] += 1
        if isinstance(got, LabelledAction):
            message = OutboundMessage(text="done", fallback="done", key=update_id)
            await patiently(lambda: database.commit(post_of(update_id, 0, 1, chat, message, Kind.NOTICE)), clock)

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for start in range(0, presses, at_once):
        await asyncio.gather(*(press(number) for number in range(start, start + at_once)))
    await database.close()
    print(json.dumps(came), flush=True)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
