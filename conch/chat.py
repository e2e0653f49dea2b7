"""`conch chat`: talk in the terminal, without a server and without a chat app. How it looks is in `channels.memory`.

The terminal is a bot like any other, of which whoever sits here is the owner. It is on only while the chat lasts; the
conversation goes on at the next one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from channels.memory.terminal import chat_here
from conch import machine
from conch.app import App, composed
from conch.engine_admin import missing
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import Clock
from core.engines.demo.engine import DemoEngine
from core.events import Status
from core.store.inbox import Inbox
from core.store.log import EventLog
from core.store.outbox import OutboxRows
from core.store.queue import Queue

PERSON_ID, PERSON_NAME = "terminal", "You"

LOOK_SECONDS = 0.05
"""Between looks whether everything is answered."""


async def chat(
    home: Home, settings: ProgramSettings, clock: Clock, say: Callable[[str], None], remember: Callable[[str], object]
) -> None:
    """Chat until the input ends. The caller holds the data folder's lock.

    `say` tells the person something beside the chat, `remember` keeps a key out of logs.
    """
    terminal = MemoryApp(clock)
    kinds = {"memory": MemoryKind(clock, terminal)}
    found = await machine.look()
    engines = [DemoEngine(clock, found.hint())]
    async with composed(home, settings, clock=clock, kinds=kinds, engines=engines, remember=remember) as app:
        await app.connections.open(found)
        for remark in missing(app.engines):
            say(remark)
        await app.registry.start()  # of the bots only the terminal's is opened
        bot = await app.registry.add("memory", terminal.key)
        await app.people.let_in(bot.channel_id, PERSON_ID, by="terminal", name=PERSON_NAME)
        room = terminal.private_chat(PERSON_NAME, person_id=PERSON_ID)
        try:
            await chat_here(terminal, room, Quiet(app, bot.channel_id).wait)
        finally:
            await app.drain()
            await app.registry.set_enabled(bot.channel_id, False)


@dataclass(frozen=True, slots=True)
class Quiet:
    """Knows when nothing that came through a channel is open any more; the store knows, as all goes through it."""

    app: App
    channel_id: str

    async def wait(self) -> None:
        """Come back when everything is answered and the answers are sent."""
        while not await self.now():
            await self.app.clock.sleep(LOOK_SECONDS)

    async def now(self) -> bool:
        """Whether it is quiet: nothing waits in the inbox, in a conversation, in a turn, or on its way out.

        A turn that waits for the person is quiet: it is their turn to say something.
        """
        database = self.app.database
        await self.app.service.settled()
        if await Inbox(database).pending(self.channel_id):
            return False
        log = EventLog(database)
        states = [await log.state(conversation_id) for conversation_id in await log.running()]
        busy = any(state.status is Status.RUNNING for state in states)
        if busy or (not states and await Queue(database).conversations_waiting()):
            return False
        # A read may see an end that whoever watches the log has not heard of yet; behind this nothing is unheard.
        await database.write(lambda _: None)
        await self.app.relay.settled()
        return not await OutboxRows(database).unfinished(self.channel_id)
