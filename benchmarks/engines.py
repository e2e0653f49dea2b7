"""What answering with a model of a model server costs, over a local one that speaks OpenAI's protocol.

CPU of a turn, in one process: the engine library alone (pydantic-ai's stream, no more), our engine (its session, its
memory), and Conch but for the chat app (inbox, log, turn, outbox), in turn in each round; ratios are within a round.
Then a bot on the pretend Telegram: what the whole way adds to the model's own time, 50 chats at once, and what a
running turn takes in memory while its model is silent. At the end, what loading the engines' libraries costs.
"""

import argparse
import asyncio
import gc
import itertools
import logging
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import structlog
import uvloop
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from benchmarks import machine
from benchmarks.bots.conch_echo import BUDGETS_OFF, Echo
from benchmarks.libraries import cost_of_libraries
from benchmarks.memory import Talk
from benchmarks.model_server import CHUNKS, FEW, FIRST_WORDS, MANY, SILENT, WHOLE_ANSWER, model_server, release
from benchmarks.people import People, person_ids
from benchmarks.processes import Process, bot
from benchmarks.silent import KEY, SilentKind
from benchmarks.wire import Wire
from conch import interpreter
from conch.app import composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.cards import Question
from core.clock import SystemClock
from core.engines.base import Ended, EndReason, Frame, Text, ToolAnswer, TurnInput
from core.engines.models import providers
from core.engines.models.contract import Connection
from core.engines.models.engine import ModelEngine
from core.files import FileStore
from web.engines import NewEngine

CHATS = 50
RUNNING = (30, 90)
"""Turns that run when memory is looked at: what is between the two is theirs."""

WORDS = "What is in the second drawer from the top?"

OneTurn = Callable[[], Awaitable[None]]


# ---- CPU of a turn ---------------------------------------------------------------------------------------------------


def library_alone(url: str, model_id: str) -> OneTurn:
    """What the library takes by itself."""
    model = OpenAIChatModel(model_id, provider=OpenAIProvider(base_url=url, api_key="none"))

    async def turn() -> None:
        async with model_request_stream(model, [ModelRequest.user_text_prompt(WORDS)]) as stream:
            said = [event async for event in stream]
        assert len(said) >= CHUNKS[model_id]
        assert "word1 " in (stream.get().text or "")

    return turn


class NoTools:
    """A host that nothing is asked of: the model calls no tools."""

    def frame(self) -> Frame:
        return Frame()

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        raise AssertionError(name)

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        raise AssertionError(title)

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        raise AssertionError(question)


@asynccontextmanager
async def our_engine(url: str, model_id: str, folder: Path) -> AsyncIterator[OneTurn]:
    """What our engine takes: the library, and what is made of what it says."""
    connection = Connection("bench", "Bench", "compatible", url, None, model_id)
    engine = ModelEngine(connection, lambda: providers.connect(connection), FileStore(folder), SystemClock())

    async def turn() -> None:
        session = await engine.open(None)
        said = [event async for event in session.run(TurnInput(WORDS), NoTools())]
        assert said[-1] == Ended(EndReason.DONE)
        assert sum(isinstance(each, Text) for each in said) == CHUNKS[model_id]
        assert session.state()["turns"]
        await session.close()

    yield turn
    await engine.close()


@asynccontextmanager
async def conch(url: str, model_id: str, folder: Path, turns: int) -> AsyncIterator[OneTurn]:
    """What Conch takes, but for the chat app; each turn is somebody else's first."""
    clock, kind, home, people = SystemClock(), SilentKind(), Home(folder), itertools.count(1)
    home.prepare()
    settings = ProgramSettings.model_validate({**BUDGETS_OFF, "gather_ms": 0})
    async with composed(home, settings, clock=clock, kinds={kind.kind: kind}, engines=[Echo()]) as app:
        await app.start()
        await app.connections.add(NewEngine(kind="compatible", url=url, model=model_id))
        channel_id = (await app.registry.add(kind.kind, KEY["token"])).channel_id
        assert kind.channel is not None
        talk = Talk(app, kind.channel)
        for person in range(1, turns + 1):
            await app.people.let_in(channel_id, str(person), by="bench", name="Ada")

        async def turn() -> None:
            await talk.say(next(people))

        yield turn
        await talk.settled()
        await app.drain()


async def spent(turn: OneTurn, turns: int) -> tuple[float, float]:
    """Milliseconds of the processor, and in all, that a turn takes: the mean, and the median."""
    gc.collect()
    waits, cpu = [], time.process_time()
    for _ in range(turns):
        begun = time.perf_counter()
        await turn()
        waits.append(time.perf_counter() - begun)
    return (time.process_time() - cpu) / turns * 1e3, statistics.median(waits) * 1e3


async def compare(url: str, model_id: str, rounds: int, turns: int) -> None:
    """Each in turn, several times; what is compared ran within the same seconds."""
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as name:
        folder = Path(name)
        whole = conch(url, model_id, folder / "home", (rounds + 1) * turns)
        async with our_engine(url, model_id, folder) as engine, whole as way:
            ways = {"the library": library_alone(url, model_id), "our engine": engine, "Conch": way}
            interpreter.settle()  # as `conch serve` does, for all of them
            for number in range(rounds + 1):
                for what, turn in ways.items():
                    measured = await spent(turn, turns)
                    if number:  # the first round is to warm up
                        found.setdefault(what, []).append(measured)
    print(f"CPU of a turn of {CHUNKS[model_id]} chunks, {rounds} rounds of {turns} turns")
    show(found)


def show(found: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    library = found["the library"]
    for what, rounds in found.items():
        cpu, ratios = (
            [ours for ours, _ in rounds],
            [ours / theirs for (ours, _), (theirs, _) in zip(rounds, library, strict=True)],
        )
        over = statistics.median(wait for _, wait in rounds) - WHOLE_ANSWER * 1e3
        line = f"  {what:12} {statistics.median(cpu):6.1f} ms CPU ({min(cpu):.1f} to {max(cpu):.1f})"
        line += f", {statistics.median(ratios):.2f} × the library ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{line}, {over:5.1f} ms over the model's own time")


# ---- a bot -----------------------------------------------------------------------------------------------------------


def over(waits: Sequence[float], own: float) -> str:
    cuts = statistics.quantiles(waits, n=100)
    return f"p50 {(cuts[49] - own) * 1e3:6.1f} ms, p95 {(cuts[94] - own) * 1e3:6.1f} ms"


@asynccontextmanager
async def answering(url: str, model_id: str, wire: Wire, people: int) -> AsyncIterator[Process]:
    """A bot whose default engine is that server's model."""
    given = {"BENCH_SERVER": url, "BENCH_SERVER_MODEL": model_id}
    async with bot("conch_echo", wire, person_ids(people), **given) as process:
        yield process


async def whole_way(url: str, turns: int) -> None:
    wire = Wire()
    people = People(wire, CHATS)
    async with answering(url, FEW, wire, CHATS) as process:
        await people.in_turn(CHATS, 1)  # warm
        await asyncio.sleep(1)
        alone = await people.in_turn(1, turns)
        before = process.used().cpu
        together = await people.in_turn(CHATS, max(1, turns // 4))
        cpu = (process.used().cpu - before) / together.messages
    print(f"The whole way, {CHUNKS[FEW]} chunks over the pretend Telegram, over the model's own time")
    print(f"  one chat   first words {over(alone.first_words, FIRST_WORDS)}  (goal p50 ≤ 15 ms)")
    print(f"             whole turn  {over(alone.waits, WHOLE_ANSWER)}  (goal p50 ≤ 15 ms)  {alone.faults}")
    print(f"  {CHATS} chats   first words {over(together.first_words, FIRST_WORDS)}")
    print(f"             whole turn  {over(together.waits, WHOLE_ANSWER)}  {together.faults}")
    print(f"             {together.rate:.0f} answered/s (goal ≥ 45), {cpu * 1e3:.1f} ms CPU a turn")


async def memory_of_turns(url: str) -> None:
    """Everybody has a conversation already; then some wait for their model, then more."""
    wire, most = Wire(), RUNNING[-1]
    people = People(wire, most)
    async with answering(url, SILENT, wire, most) as process:
        resident = [await _while_running(url, people, process, count) for count in (1, *RUNNING)]
    each = (resident[-1] - resident[-2]) / (RUNNING[1] - RUNNING[0])
    print(
        f"memory of a running turn: {each / 1024:.0f} KiB (goal ≤ 300), between {RUNNING[0]} and {RUNNING[1]} of them"
    )


async def _while_running(url: str, people: People, process: Process, count: int) -> int:
    """Bytes that the bot takes while so many answers wait for their model."""
    saying = asyncio.create_task(people.in_turn(count, 1))
    await people.shown(count)
    await asyncio.sleep(1)
    resident = process.used().memory
    await release(url)
    assert not (await saying).faults
    return resident


async def run(asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as folder:
        print(f"{machine.described()}; {machine.load():.1f} processes wanted it", end="; ")
        print(f"one flush {machine.flush_ms(Path(folder)):.2f} ms; synchronous FULL; budgets and gathering off")
    async with model_server() as url:
        for model_id in (MANY, FEW):
            await compare(url, model_id, asked.rounds, asked.turns)
        await whole_way(url, asked.turns)
        await memory_of_turns(url)
    cost_of_libraries(asked.rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=20, help="in each round; in the one chat of a bot")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    uvloop.run(run(asked))


if __name__ == "__main__":
    main()
