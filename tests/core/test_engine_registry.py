"""Which engines there are, and which one answers."""

import pytest

from core.clock import ManualClock
from core.engines.base import EngineCapabilities, OwnTools
from core.engines.registry import Engines, Standing, is_ready
from core.engines.scripted import ScriptedEngine
from core.errors import UsageError
from core.preferences import Preferences
from core.settings import Settings
from tests.core.lives import Wayward, deaf, echo

UNHELD = EngineCapabilities(plan_approval="native", own_tools=OwnTools.UNCONTROLLED)
UNPLANNED = EngineCapabilities(plan_approval="none")


def engine(name: str) -> ScriptedEngine:
    return ScriptedEngine(ManualClock(), echo, name=name)


def engines(*those: ScriptedEngine | Wayward, **settings: str) -> Engines:
    return Engines(those, Preferences(Settings.model_validate(settings)))


ONE, TWO, THREE = engine("one"), engine("two"), engine("three")


def test_the_first_is_the_default_unless_one_is_set() -> None:
    assert engines(ONE, TWO).default is ONE
    assert engines(ONE, TWO, default_engine="two").default is TWO


async def test_another_default_counts_as_soon_as_it_is_set() -> None:
    preferences = Preferences(Settings())
    there = Engines([ONE, TWO], preferences)

    await preferences.change({"default_engine": "two"})

    assert there.default is TWO


def test_they_are_listed_the_preferred_first() -> None:
    assert engines(TWO, ONE).all() == (TWO, ONE)


def test_what_the_owner_connected_is_preferred_over_what_was_found_and_that_over_what_is_built_in() -> None:
    there = engines(ONE)

    there.add(TWO, Standing.FOUND)
    there.add(THREE, Standing.CONNECTED)

    assert there.all() == (THREE, TWO, ONE)
    assert there.default is THREE
    assert there.standing("two") is Standing.FOUND


def test_one_that_is_added_again_replaces_the_earlier_one() -> None:
    there, newer = engines(ONE), engine("two")
    there.add(TWO, Standing.FOUND)

    there.add(newer, Standing.CONNECTED)

    assert there.all() == (newer, ONE)


def test_a_chat_whose_engine_was_removed_is_answered_by_the_next() -> None:
    there = engines(ONE)
    there.add(TWO, Standing.CONNECTED)

    there.remove("two")

    assert there.for_chat("two") is ONE
    assert there.get("two") is None


def test_the_last_engine_stays() -> None:
    there = engines(ONE)

    with pytest.raises(UsageError, match="at least one"):
        there.remove("one")


@pytest.mark.parametrize(("named", "answers"), [(None, ONE), ("two", TWO), ("gone", ONE), ("", ONE)])
def test_a_chat_is_answered_by_its_engine_or_else_the_default(named: str | None, answers: ScriptedEngine) -> None:
    assert engines(ONE, TWO).for_chat(named) is answers


def test_an_engine_that_is_not_connected_is_not_found() -> None:
    assert engines(ONE).get("two") is None
    assert engines(ONE).standing("two") is None


def test_without_any_engine_nothing_can_work() -> None:
    with pytest.raises(UsageError, match="at least one"):
        engines()


def test_two_engines_of_one_name_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="the same id"):
        engines(ONE, engine("one"))


def test_a_default_that_is_not_connected_is_named_and_the_next_answers() -> None:
    there = engines(ONE, TWO, default_engine="three", fallback_engine="three")

    assert there.default is ONE
    assert there.missing == ("three",)


# ---- taking over for one reply --------------------------------------------------------------------------------------


def test_nothing_takes_over_unless_it_is_set() -> None:
    assert engines(ONE, TWO).fallback_for(ONE) is None


def test_what_is_set_takes_over_for_every_engine_but_itself() -> None:
    there = engines(ONE, TWO, fallback_engine="two")

    assert there.fallback_for(ONE) is TWO
    assert there.fallback_for(TWO) is None


def test_what_is_not_connected_takes_nothing_over() -> None:
    assert engines(ONE, fallback_engine="two").fallback_for(ONE) is None


@pytest.mark.parametrize(
    ("able", "plainly", "to_a_guest", "in_plan_mode"),
    [(UNHELD, True, False, False), (UNPLANNED, True, True, False)],
)
def test_only_what_can_be_held_takes_over_for_guests_and_plans(
    able: EngineCapabilities, plainly: bool, to_a_guest: bool, in_plan_mode: bool
) -> None:
    other = Wayward(deaf, capabilities=able)
    there = engines(ONE, other, fallback_engine="wayward")

    assert (there.fallback_for(ONE) is other) is plainly
    assert (there.fallback_for(ONE, words_only=True) is other) is to_a_guest
    assert (there.fallback_for(ONE, plan=True) is other) is in_plan_mode


async def test_an_engine_that_breaks_when_it_is_asked_is_not_ready() -> None:
    def breaks() -> bool:
        raise ConnectionError("no such server")

    assert await is_ready(Wayward(deaf))
    assert not await is_ready(Wayward(deaf, is_ready=breaks))
    assert not await is_ready(Wayward(deaf, is_ready=lambda: False))
