"""Which engine answers."""

import pytest

from core.clock import ManualClock
from core.engines.registry import Engines, is_ready
from core.engines.scripted import ScriptedEngine
from core.errors import UsageError
from tests.core.lives import Wayward, deaf, echo


def engine(name: str) -> ScriptedEngine:
    return ScriptedEngine(ManualClock(), echo, name=name)


ONE, TWO = engine("one"), engine("two")


def test_the_first_is_the_default_unless_one_is_named() -> None:
    assert Engines([ONE, TWO]).default is ONE
    assert Engines([ONE, TWO], "two").default is TWO


def test_they_are_listed_the_preferred_first() -> None:
    assert Engines([TWO, ONE]).all() == (TWO, ONE)


@pytest.mark.parametrize(("named", "answers"), [(None, ONE), ("two", TWO), ("gone", ONE), ("", ONE)])
def test_a_chat_is_answered_by_its_engine_or_else_the_default(named: str | None, answers: ScriptedEngine) -> None:
    assert Engines([ONE, TWO]).for_chat(named) is answers


def test_an_engine_that_is_not_connected_is_not_found() -> None:
    assert Engines([ONE]).get("two") is None


def test_without_any_engine_nothing_can_work() -> None:
    with pytest.raises(UsageError, match="at least one"):
        Engines([])


def test_two_engines_of_one_name_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="the same id"):
        Engines([ONE, engine("one")])


def test_a_default_that_is_not_connected_is_named_with_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"'three'.*one, two"):
        Engines([ONE, TWO], "three")


async def test_an_engine_that_breaks_when_it_is_asked_is_not_ready() -> None:
    def breaks() -> bool:
        raise ConnectionError("no such server")

    assert await is_ready(Wayward(deaf))
    assert not await is_ready(Wayward(deaf, is_ready=breaks))
    assert not await is_ready(Wayward(deaf, is_ready=lambda: False))
