"""Which models an engine has, how often it asks for them, and whether it is ready."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from core.clock import ManualClock
from core.engines.base import Ended, EndReason, ModelInfo, TurnInput
from core.engines.models.roster import FRESH, FRESH_NEAR, LATELY
from core.engines.scripted import ScriptedHost
from core.errors import Refused, RefusedReason, TryLater
from tests.core.engines.models.playing import CONNECTION, Piece, Playing, engine_of, prompts
from tests.core.engines.rigs import endings, read

BIG, SMALL = ModelInfo("big", "Big", window=100_000), ModelInfo("small", "Small", window=8_000)
WITHOUT_KEY = replace(CONNECTION, key=None)


async def hello(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Piece]:
    yield "hello"


class Server(Playing):
    """Its list can be broken."""

    def __init__(self, *models: ModelInfo) -> None:
        super().__init__(hello, models)
        self.broken: Exception | None = None

    async def models(self) -> Sequence[ModelInfo]:
        await super().models()
        if self.broken:
            raise self.broken
        return self.listed


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def test_the_list_holds_for_an_hour(clock: ManualClock) -> None:
    server = Server(BIG, SMALL)
    engine = engine_of(server, clock)

    for seconds in (0, FRESH - 1, 2):
        await clock.advance(seconds)
        await engine.models()

    assert server.lists == 2


async def test_the_list_of_a_server_of_ones_own_holds_for_a_minute(clock: ManualClock) -> None:
    server = Server(BIG)
    engine = engine_of(server, clock, connection=replace(CONNECTION, base_url="http://127.0.0.1:11434/v1"))

    for seconds in (0, FRESH_NEAR - 1, 2):
        await clock.advance(seconds)
        await engine.models()

    assert server.lists == 2


async def test_an_old_list_is_better_than_none(clock: ManualClock) -> None:
    server = Server(BIG, SMALL)
    engine = engine_of(server, clock)
    await engine.models()
    server.broken = TryLater("away")
    await clock.advance(FRESH)

    assert await engine.models() == (BIG, SMALL)


async def test_a_key_that_is_refused_is_said(clock: ManualClock) -> None:
    server = Server(BIG)
    server.broken = Refused("wrong key", RefusedReason.AUTH)

    with pytest.raises(Refused):
        await engine_of(server, clock).models()


async def test_the_owners_model_comes_first_and_answers(clock: ManualClock) -> None:
    server = Server(BIG, SMALL)
    engine = engine_of(server, clock, connection=replace(CONNECTION, model="small"))

    assert engine.default_model() == "small"
    assert await engine.models() == (SMALL, BIG)
    assert engine.window(None) == 8_000


async def test_where_nobody_names_one_the_first_of_the_list_answers(clock: ManualClock) -> None:
    server = Server(BIG, SMALL)
    engine = engine_of(server, clock)
    before = engine.default_model()

    await read(await engine.open(None), TurnInput("hi"), ScriptedHost(), clock)

    assert before is None
    assert engine.default_model() == server.settings_asked[0][0] == "big"


async def test_with_a_key_it_is_ready_without_a_look(clock: ManualClock) -> None:
    server = Server(BIG)

    assert await engine_of(server, clock).ready()
    assert server.lists == 0


async def test_a_server_without_a_key_is_looked_at_now_and_then(clock: ManualClock) -> None:
    server = Server(BIG)
    engine = engine_of(server, clock, connection=WITHOUT_KEY)
    first = await engine.ready()
    server.broken = TryLater("away")
    lately = await engine.ready()
    await clock.advance(LATELY)

    assert (first, lately, await engine.ready()) == (True, True, False)
    assert server.lists == 2


async def test_a_server_that_keeps_no_list_is_ready_with_the_model_that_was_named(clock: ManualClock) -> None:
    server = Server()
    server.broken = Refused("no list", RefusedReason.BAD_PAYLOAD)

    assert await engine_of(server, clock, connection=replace(WITHOUT_KEY, model="mine")).ready()
    assert not await engine_of(server, clock, connection=WITHOUT_KEY).ready()


async def test_a_turn_without_a_model_says_so_and_is_remembered(clock: ManualClock) -> None:
    server = Server()
    engine = engine_of(server, clock)
    session = await engine.open(None)

    events = await read(session, TurnInput("the cat is called Ada"), ScriptedHost(), clock)
    server.listed = (BIG,)
    await read(session, TurnInput("hm", first_seq=5), ScriptedHost(), clock)

    assert [type(event) for event in events] == [Ended]
    assert endings(events)[0].reason is EndReason.REJECTED
    assert prompts(server.asked[0][0]) == ["the cat is called Ada", "hm"]


async def test_closing_the_engine_closes_its_connections(clock: ManualClock) -> None:
    server = Server(BIG)
    engine = engine_of(server, clock)

    await (await engine.open(None)).close()
    after_session = server.closed
    await engine.close()

    assert (after_session, server.closed) == (False, True)
