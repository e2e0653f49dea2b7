import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registry import COMMANDS, find
from commands.resolution import (
    Builtin,
    EngineCommand,
    OtherNames,
    OwnCommand,
    Resolution,
    Skill,
    Unknown,
    reachable,
    resolve,
)

NAMES_AND_ALIASES = [name for command in COMMANDS for name in (command.name, *command.aliases)]
NAMES = st.lists(
    st.sampled_from(["plan", "new", "Daily", "daily", "connect", "tidy"]) | st.text(max_size=5), max_size=4
)


def builtin(name: str) -> Builtin:
    command = find(name)
    assert command is not None
    return Builtin(command)


@pytest.mark.parametrize(
    ("typed", "others", "meaning"),
    [
        ("new", OtherNames(own=("new",), skills=("new",), engine=("new",)), builtin("new")),
        ("reset", OtherNames(own=("reset",)), builtin("clear")),
        ("plan", OtherNames(), builtin("plan")),
        ("plan", OtherNames(own=("plan",), skills=("plan",)), OwnCommand("plan")),
        ("plan", OtherNames(skills=("plan",)), Skill("plan")),
        ("plan", OtherNames(engine=("plan",)), builtin("plan")),
        ("connect", OtherNames(skills=("connect",)), Skill("connect")),
        ("connect", OtherNames(skills=("apps",)), builtin("apps")),
        ("apps", OtherNames(skills=("connect",)), builtin("apps")),
        ("daily", OtherNames(own=("daily",), skills=("daily",), engine=("daily",)), OwnCommand("daily")),
        ("daily", OtherNames(skills=("daily",), engine=("daily",)), Skill("daily")),
        ("daily", OtherNames(engine=("daily",)), EngineCommand("daily")),
        ("daily", OtherNames(), Unknown("daily")),
    ],
)
def test_a_name_means_the_first_thing_in_order_that_has_it(typed: str, others: OtherNames, meaning: Resolution) -> None:
    assert resolve(typed, others) == meaning


def test_case_and_composition_do_not_matter_and_the_name_comes_back_as_it_is_spelled() -> None:
    others = OtherNames(own=("Cafe\u0301",))

    assert resolve("CAFÉ", others) == OwnCommand("Cafe\u0301")


def test_of_two_names_that_differ_in_case_the_one_that_was_typed_is_meant() -> None:
    others = OtherNames(own=("Daily", "daily"))

    assert resolve("daily", others) == OwnCommand("daily")


@pytest.mark.parametrize("typed", NAMES_AND_ALIASES)
def test_an_engine_never_takes_a_name_of_ours(typed: str) -> None:
    assert isinstance(resolve(typed, OtherNames(engine=(typed,))), Builtin)


def test_an_engine_command_with_a_name_of_ours_is_not_listed() -> None:
    listed = reachable(OtherNames(engine=("compact", "summarize", "memory")))

    assert listed == OtherNames(engine=("memory",))


def test_a_name_that_something_else_has_taken_or_nobody_can_type_is_not_reachable() -> None:
    others = OtherNames(own=("new", "plan", "my report", "daily"), skills=("daily", "tidy"), engine=("tidy", "cost"))

    assert reachable(others) == OtherNames(own=("plan", "daily"), skills=("tidy",))


@given(NAMES, NAMES, NAMES)
def test_a_reachable_name_is_one_that_runs_when_it_is_typed(
    own: list[str], skills: list[str], engine: list[str]
) -> None:
    others = OtherNames(tuple(own), tuple(skills), tuple(engine))

    listed = reachable(others)

    assert all(resolve(name.lower(), others) == OwnCommand(name) for name in listed.own)
    assert all(resolve(name.lower(), others) == Skill(name) for name in listed.skills)
    assert all(resolve(name.lower(), others) == EngineCommand(name) for name in listed.engine)


@given(st.text(), NAMES)
def test_any_text_means_something(typed: str, own: list[str]) -> None:
    meaning = resolve(typed, OtherNames(own=tuple(own)))

    assert isinstance(meaning, Builtin | OwnCommand | Unknown)
