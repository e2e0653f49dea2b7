import asyncio
import sqlite3
from contextlib import closing

import pytest

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.admin import Admin
from conch.app import App, composed
from conch.health import HealthLook
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import ManualClock
from core.engines.base import Text, TurnInput
from core.engines.demo.engine import DemoEngine
from core.engines.script import Steps, Until
from core.engines.scripted import ScriptedEngine


@pytest.fixture
def kinds(clock: ManualClock, shell: MemoryApp) -> dict[str, MemoryKind]:
    return {"shell": MemoryKind(clock, shell)}


async def test_what_was_said_in_one_life_is_answered_in_it_and_remembered_in_the_next(
    place: Home, clock: ManualClock, shell: MemoryApp, kinds: dict[str, MemoryKind]
) -> None:
    engines = [DemoEngine(clock, "wait", pace=0)]
    chat = shell.private_chat("Ada")
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        await app.start()
        hello = (await Admin(app).add_channel("shell", shell.key)).hello
        chat.open_link(hello.link if hello and hello.link else "")
        await chat.wait_until(lambda seen: len(seen.answers) == 1)
        chat.say("What can you do?")
        await chat.wait_until(lambda seen: len(seen.answers) == 2)
        await app.drain()

    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=engines) as app:
        people = await Admin(app).people(None)

    assert [(person.name, person.role) for person in people.people] == [("Ada", "owner")]


async def test_a_default_engine_that_is_not_there_keeps_nothing_from_starting(
    place: Home, clock: ManualClock, kinds: dict[str, MemoryKind]
) -> None:
    settings = ProgramSettings(default_engine="oracle")

    async with composed(place, settings, clock=clock, kinds=kinds, engines=[DemoEngine(clock, "")]) as app:
        await app.start()

    assert app.engines.default.id == "demo"
    assert app.engines.missing == ("oracle",)


async def test_health_counts_bots_by_state_and_looks_at_the_database_once_a_second(
    built: App, place: Home, clock: ManualClock
) -> None:
    look = HealthLook(built.database, built.registry, clock)

    before = await look()
    with closing(sqlite3.connect(place.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        at_once = await look()
        await clock.advance(1)
        later = await look()

    assert before.can_store
    assert before.channels == {}
    assert at_once.can_store
    assert not later.can_store


@pytest.mark.report("R021")
async def test_the_end_waits_for_the_running_answer_and_for_its_last_message(
    place: Home, clock: ManualClock, shell: MemoryApp, kinds: dict[str, MemoryKind]
) -> None:
    begun, thought, chat = asyncio.Event(), asyncio.Event(), shell.private_chat("Ada")

    def script(_turn: TurnInput, _earlier: tuple[str, ...]) -> Steps:
        begun.set()
        yield Text("so far")
        yield Until(thought)
        yield Text(", and so on")

    engine = ScriptedEngine(clock, script)
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=[engine]) as app:
        await app.start()
        hello = (await Admin(app).add_channel("shell", shell.key)).hello
        chat.open_link(hello.link if hello and hello.link else "")
        chat.say("Think about it")
        await begun.wait()

        ending = asyncio.create_task(app.drain())
        chat.say("One more thing")
        thought.set()
        await ending

    assert [answer.text for answer in chat.answers][1:] == ["so far, and so on"]


async def test_an_engine_is_told_what_could_be_turned_on_and_what_the_owner_means_and_nobody_can_see(
    place: Home, clock: ManualClock, kinds: dict[str, MemoryKind], shell: MemoryApp
) -> None:
    def echo(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("echo")

    engine, chat = ScriptedEngine(clock, echo), shell.private_chat("Ada")
    async with composed(place, ProgramSettings(), clock=clock, kinds=kinds, engines=[engine]) as app:
        await app.start()
        hello = (await Admin(app).add_channel("shell", shell.key)).hello
        chat.open_link(hello.link if hello and hello.link else "")
        await chat.wait_until(lambda seen: len(seen.answers) == 1)

        chat.say("Is there anything new in my inbox?")
        await chat.wait_until(lambda seen: len(seen.answers) == 2)
        await app.drain()

    instructions = engine.turns[-1].instructions
    assert "Not connected yet: Gmail." in instructions
    assert "- skill `trip-planner`: Trip planner." in instructions
    assert "- app `" not in instructions
