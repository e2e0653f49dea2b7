"""What whoever starts Conch is told about who answers."""

import pytest
from pydantic import SecretStr

from conch.answerers import about_engines, answers, engines_command
from conch.app import App
from conch.machine import NOTHING_FOUND, Found, Machine
from core.engines.registry import Standing

KEY = "sk-ant-canary-0123456789abcdef"
ANTHROPIC = Found("anthropic", "Anthropic", "the ANTHROPIC_API_KEY that is set here", key=SecretStr(KEY))


def test_the_demo_says_how_to_get_a_real_assistant(built: App) -> None:
    said = answers(built, NOTHING_FOUND, engines_command(in_playground=False))

    assert said.startswith("come from the built-in demo. For a real assistant, run `conch engines add` and paste a key")


def test_in_the_playground_the_demo_says_what_was_found_and_how_to_choose_it(built: App) -> None:
    machine = Machine((ANTHROPIC,))
    built.connections.take(machine, Standing.ASIDE)

    said = answers(built, machine, engines_command(in_playground=True))

    assert said.endswith(
        "run `conch engines --playground default anthropic`: "
        "Anthropic is here, by the ANTHROPIC_API_KEY that is set here."
    )


async def test_what_was_found_is_named_with_its_model_and_by_what(built: App) -> None:
    machine = Machine((ANTHROPIC,))
    built.connections.take(machine)
    await built.preferences.change({"default_model": "claude-sonnet-5"})

    said = answers(built, machine, engines_command(in_playground=False))

    assert said == "come from Anthropic (claude-sonnet-5), by the ANTHROPIC_API_KEY that is set here."
    assert KEY not in said


async def test_what_is_set_and_not_there_or_found_and_unusable_is_told(built: App) -> None:
    await built.preferences.change({"default_engine": "oracle"})
    machine = Machine(agents=("Claude Code",), remarks=("GEMINI_API_KEY is set; install what that takes.",))

    told = list(about_engines(built, machine))

    assert [line.partition(",")[0] for line in told] == [
        "The settings name “oracle”",
        "GEMINI_API_KEY is set; install what that takes.",
        "Claude Code found on this machine: coding agents come with a later release.",
    ]


@pytest.mark.parametrize(("in_playground", "command"), [(True, "conch engines --playground"), (False, "conch engines")])
def test_the_command_is_for_the_folder_that_was_started(in_playground: bool, command: str) -> None:
    assert engines_command(in_playground) == command
