"""When the terminal takes the next line: everything is answered, or it is the person who is asked."""

import asyncio
from pathlib import Path

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.app import composed
from conch.chat import Quiet
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import AskPermission, Steps
from core.engines.scripted import ScriptedEngine


def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    allowed = yield AskPermission("1", "write_note", {"text": "hello"}, ("yes", "no"), "yes")
    yield Text("done" if allowed else "not done")


async def test_the_next_line_is_taken_when_the_person_is_asked_something(tmp_path: Path) -> None:
    clock = SystemClock()
    world, home = MemoryApp(clock), Home(tmp_path)
    home.prepare()
    kinds, engines = {"memory": MemoryKind(clock, world)}, [ScriptedEngine(clock, script)]
    async with composed(home, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        await app.registry.start()
        bot = await app.registry.add("memory", world.key)
        await app.people.let_in(bot.channel_id, "ada", by="terminal", name="Ada")
        ada, quiet = world.private_chat("Ada"), Quiet(app, bot.channel_id)

        async with asyncio.timeout(10):
            ada.say("Write it down")
            await world.feed.drained()
            await quiet.wait()
            asked = ada.texts[-1]
            ada.say("yes")
            await world.feed.drained()
            await quiet.wait()
        await app.drain()

    assert asked.startswith("May I do this?")
    assert "done" in ada.texts
