"""Whether a tool call may run: the order of the decision, and the table of modes."""

from itertools import pairwise, product
from typing import Any, Literal

import pytest

from core.events import Mode
from core.safety.permissions import (
    ALLOWED,
    NOT_FOR_GUESTS,
    PLANNING,
    TURNED_OFF,
    Allow,
    Ask,
    Deny,
    Guarded,
    ToolCall,
    ToolKind,
    action_of,
    decide,
    runs_an_interpreter,
)

HELD = Guarded("This chat read a web page.")
NOTED = Guarded("This chat read a web page.", asks=False)


def call(kind: ToolKind = ToolKind.SEND, **more: Any) -> ToolCall:
    return ToolCall("mail", {"to": "ada"}, kind, **more)


def decided(
    what: ToolCall, mode: Mode = Mode.ASK, *, guest: bool = False, guarded: Guarded | None = None, always: bool = False
) -> Allow | Deny | Ask:
    return decide(what, mode=mode, guest=guest, guarded=guarded, always=always)


@pytest.mark.parametrize(
    ("mode", "verdicts"),
    [
        (Mode.PLAN, "allow deny deny deny deny"),
        (Mode.ASK, "allow ask ask ask ask"),
        (Mode.EDIT, "allow allow ask ask ask"),
        (Mode.AUTO, "allow allow ask ask ask"),
        (Mode.FULL, "allow allow allow allow allow"),
    ],
)
def test_the_table_of_modes_is_kept(mode: Mode, verdicts: str) -> None:
    found = [type(decided(call(kind), mode)).__name__.lower() for kind in ToolKind]

    assert found == verdicts.split()


def test_auto_runs_a_command_only_where_it_is_sealed() -> None:
    assert decided(call(ToolKind.COMMAND, sealed=True), Mode.AUTO) == Allow()
    assert decided(call(ToolKind.COMMAND, sealed=True), Mode.EDIT) == Ask()
    assert decided(call(ToolKind.SEND, sealed=True), Mode.AUTO) == Ask()


@pytest.mark.report("R117")
@pytest.mark.parametrize("mode", Mode)
def test_no_tool_runs_for_a_guest_not_even_one_that_reads(mode: Mode) -> None:
    verdicts = {decided(call(kind, setting="allow"), mode, guest=True, always=True) for kind in ToolKind}

    assert verdicts == {Deny(NOT_FOR_GUESTS)}


def test_what_is_turned_off_stays_off_in_every_mode() -> None:
    off = call(ToolKind.READ, turned_off=True, setting="allow")

    assert {decided(off, mode, always=True) for mode in Mode} == {Deny(TURNED_OFF)}


@pytest.mark.report("R163")
def test_plan_mode_denies_whatever_changes_something_whoever_allowed_it_before() -> None:
    changing = [kind for kind in ToolKind if kind is not ToolKind.READ]

    verdicts = {decided(call(kind, setting="allow"), Mode.PLAN, guarded=HELD, always=True) for kind in changing}

    assert verdicts == {Deny(PLANNING)}


def test_a_guard_asks_in_every_mode_and_once_only() -> None:
    verdicts = {decided(call(setting="allow"), mode, guarded=HELD, always=True) for mode in tuple(Mode)[1:]}

    assert verdicts == {Ask(HELD.reason, once=True)}


def test_what_is_only_noted_runs_with_a_note() -> None:
    assert decided(call(), Mode.FULL, guarded=NOTED) == Allow(NOTED.reason)


def test_the_tool_s_own_setting_comes_before_the_mode() -> None:
    assert decided(call(setting="allow"), Mode.ASK) == Allow()
    assert decided(call(setting="ask"), Mode.FULL, always=True) == Ask(once=True)


def test_an_earlier_always_lets_it_run() -> None:
    assert decided(call(), always=True) == Allow()
    assert decided(call(), always=False) == Ask()


@pytest.mark.parametrize(("setting", "mode", "always"), list(product((None, "ask", "allow"), Mode, (True, False))))
def test_reading_is_never_asked_about_unless_the_tool_s_setting_says_so(
    setting: Literal["ask", "allow"] | None, mode: Mode, always: bool
) -> None:
    verdict = decided(call(ToolKind.READ, setting=setting), mode, always=always)

    assert isinstance(verdict, Ask) == (setting == "ask")


def test_more_power_never_asks_more() -> None:
    powers = [ALLOWED[mode] for mode in Mode]

    assert all(weaker <= stronger for weaker, stronger in pairwise(powers))


# ---- always --------------------------------------------------------------------------------------------------------


@pytest.mark.report("R105")
@pytest.mark.parametrize(
    "command",
    [
        "bash",
        "bash -lc 'git push'",
        "/usr/bin/env python3 x.py",
        "python3.11 -c 'print(1)'",
        "FOO=1 node x.js",
        "git pull && sh setup.sh",
        "ls | xargs rm",
        "echo $(perl x)",
        "C:\\tools\\powershell.exe -File x",
        "sudo reboot",
        ["bash", "-lc", "git push"],
        "$(curl example.org)",
        "`id`",
        "$SHELL -c ls",
        "git log <(cat x)",
    ],
)
def test_an_interpreter_is_never_allowed_for_good(command: Any) -> None:
    run = ToolCall("run", {"command": command}, ToolKind.COMMAND)

    assert decided(run, always=True) == Ask(once=True)


@pytest.mark.parametrize("command", ["git push", "ls -la", ["git", "push"], "FOO=1 git status", "cargo test"])
def test_an_ordinary_command_can_be_allowed_for_good(command: Any) -> None:
    run = ToolCall("run", {"command": command}, ToolKind.COMMAND)

    assert (decided(run), decided(run, always=True)) == (Ask(), Allow())


def test_code_counts_as_an_interpreter() -> None:
    assert runs_an_interpreter({"code": "print(1)"})


@pytest.mark.report("R105")
def test_an_action_is_the_tool_and_its_exact_arguments() -> None:
    push = action_of("run", {"command": "git push", "folder": "a"})

    assert push == action_of("run", {"folder": "a", "command": "git push"})
    assert push not in {
        action_of("run", {"command": "git push --force", "folder": "a"}),
        action_of("run", {"command": "git push"}),
        action_of("walk", {"command": "git push", "folder": "a"}),
    }
