"""An engine that is made when it is first needed."""

import asyncio

import pytest

from core.clock import ManualClock
from core.engines.base import EngineCapabilities
from core.engines.late import Closing, LateEngine
from core.engines.scripted import ScriptedEngine
from core.errors import UsageError
from tests.core.lives import echo

ABLE = EngineCapabilities(attachments=True)


class Closable(ScriptedEngine):
    """An engine that counts how often it is let go."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


class Workshop:
    """Makes one engine, and counts how often it is asked to; `fault` is raised instead."""

    def __init__(self) -> None:
        self.engine = Closable(ManualClock(), echo)
        self.asked = 0
        self.fault: Exception | None = None

    def make(self) -> Closing:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return self.engine


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def late(workshop: Workshop) -> LateEngine:
    return LateEngine("late", "Late", ABLE, workshop.make, "toy")


def test_what_a_chat_needs_to_know_costs_nothing(late: LateEngine, workshop: Workshop) -> None:
    known = (late.id, late.title, late.capabilities, late.default_model(), late.window(None))

    assert known == ("late", "Late", ABLE, "toy", None)
    assert workshop.asked == 0


async def test_it_is_made_once_whoever_asks_at_the_same_time(late: LateEngine, workshop: Workshop) -> None:
    ready, models, session = await asyncio.gather(late.ready(), late.models(), late.open(None))

    assert (ready, models) == (True, await workshop.engine.models())
    assert workshop.asked == 1
    await session.close()


async def test_one_that_cannot_be_made_is_not_ready_says_why_and_is_tried_again(
    late: LateEngine, workshop: Workshop
) -> None:
    workshop.fault = UsageError("Install it first.")

    assert not await late.ready()
    with pytest.raises(UsageError, match="Install it first"):
        await late.models()
    workshop.fault = None
    assert await late.ready()


async def test_letting_go_reaches_the_engine_where_there_is_one(late: LateEngine, workshop: Workshop) -> None:
    await late.close()
    unmade = workshop.engine.closed
    await late.ready()

    await late.close()

    assert (unmade, workshop.engine.closed) == (0, 1)
