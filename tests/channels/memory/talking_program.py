"""A program to talk to in a terminal: it repeats what it is told, and after "count" counts until it is stopped."""

import asyncio
from collections.abc import Mapping, Sequence

from channels.base import ChatRef, Form, OutboundMessage, Press, Sender, Update
from channels.memory.app import MemoryApp
from channels.memory.channel import MemoryChannel
from channels.memory.terminal import chat_here
from commands.values import ValueItem
from core.clock import SystemClock


class Talker:
    def __init__(self, channel: MemoryChannel) -> None:
        self._channel = channel
        self._chat = ChatRef(channel.id, "you")
        self._stopped = asyncio.Event()
        self._busy: set[asyncio.Task[None]] = set()

    def online(self) -> None:
        pass

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()

    async def store(self, updates: Sequence[Update]) -> None:
        for update in updates:
            task = asyncio.create_task(self._hear(update.payload["message"]["text"]))
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)

    async def settled(self) -> None:
        while self._busy:
            await asyncio.wait(self._busy)

    async def _hear(self, text: str) -> None:
        if text == "/stop":
            self._stopped.set()
        elif text == "count":
            await self._channel.draft(self._chat, 1, "one, two", "")
            await self._stopped.wait()
            await self._say("I got to three.")
        else:
            await self._say(f"You said {text}.")

    async def _say(self, text: str) -> None:
        await self._channel.send(self._chat, OutboundMessage(text, text, text))


async def main() -> None:
    clock = SystemClock()
    app = MemoryApp(clock)
    channel = MemoryChannel("c1", app, clock, key=app.key)
    talker = Talker(channel)
    listening = asyncio.create_task(channel.listen(talker))
    await chat_here(app, app.private_chat("You"), talker.settled)
    listening.cancel()


asyncio.run(main())
