"""What a conversation holds back, and how a call reads to the person who decides."""

from typing import Any

import pytest

from core.conversation_state import ConversationState, SkillHold, TaintMark
from core.events import Mode
from core.safety.guard import guarded
from core.safety.permissions import Guarded, ToolCall, ToolKind
from core.safety.summaries import summary

READ_A_PAGE = ConversationState(taint=(TaintMark(source="web", label="example.org"),))
HOLDING = ConversationState(holds=(SkillHold(skill_id="s", title="Bookings", holds=("send", "pay")),))


def call(kind: ToolKind, name: str = "tool") -> ToolCall:
    return ToolCall(name, {}, kind)


def test_a_conversation_that_took_in_nothing_holds_nothing_back() -> None:
    assert guarded(ConversationState(), call(ToolKind.SEND), mode=Mode.ASK, own_words=False) is None


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.EDIT, Mode.AUTO])
@pytest.mark.parametrize("own_words", [True, False])
def test_after_reading_something_from_outside_every_change_is_asked_about(mode: Mode, own_words: bool) -> None:
    kinds = [kind for kind in ToolKind if kind is not ToolKind.READ]

    held = [guarded(READ_A_PAGE, call(kind), mode=mode, own_words=own_words) for kind in kinds]

    assert held == [Guarded("This chat has taken in something from outside: “example.org”.")] * len(kinds)


def test_reading_goes_on() -> None:
    assert guarded(READ_A_PAGE, call(ToolKind.READ), mode=Mode.ASK, own_words=False) is None


def test_in_full_trust_the_owner_s_own_words_are_only_noted() -> None:
    own = guarded(READ_A_PAGE, call(ToolKind.SEND), mode=Mode.FULL, own_words=True)
    someone_s = guarded(READ_A_PAGE, call(ToolKind.SEND), mode=Mode.FULL, own_words=False)

    assert own is not None
    assert someone_s is not None
    assert (own.asks, someone_s.asks) == (False, True)


def test_what_was_read_is_named_and_not_all_of_it() -> None:
    many = tuple(TaintMark(source="web", label=f"{n}.org\nx") for n in range(5))

    held = guarded(ConversationState(taint=many), call(ToolKind.SEND), mode=Mode.ASK, own_words=True)

    assert held is not None
    assert held.reason.endswith("“0.org x”, “1.org x”, “2.org x” and 2 more.")


@pytest.mark.parametrize(("what", "holds"), [(call(ToolKind.SEND), True), (call(ToolKind.READ, "pay"), True)])
def test_a_hold_names_a_kind_or_a_tool_also_in_full_trust(what: ToolCall, holds: bool) -> None:
    held = guarded(HOLDING, what, mode=Mode.FULL, own_words=True)

    assert held == Guarded("The skill “Bookings” asks before anything like this.")


def test_a_hold_leaves_the_rest_alone() -> None:
    assert guarded(HOLDING, call(ToolKind.COMMAND), mode=Mode.FULL, own_words=True) is None


@pytest.mark.parametrize(
    ("title", "args", "line"),
    [
        ("bash", {"command": "git push"}, "Run `git push`"),
        ("shell", {"command": ["git", "push"]}, "Run `git push`"),
        ("bash", {"command": "ls\n  rm -rf /\n"}, "Run `ls ⏎ rm -rf /`"),
        ("write_note", {"text": "A pretended\nnote"}, "Write note: text “A pretended note”"),
        ("Delete the branch", {}, "Delete the branch"),
        ("pay", {"amount": 3, "to": None, "what": ["tea"]}, 'Pay: amount 3, what ["tea"]'),
        ("", {}, "Use a tool"),
    ],
)
def test_a_call_reads_as_one_plain_line(title: str, args: dict[str, Any], line: str) -> None:
    assert summary(title, args) == line


def test_a_line_is_never_too_long() -> None:
    lines = [
        summary("x", {"command": "y" * 5_000}),
        summary("x" * 500, {}),
        summary("x", {f"k{n}": "v" * 99 for n in range(9)}),
    ]

    assert max(map(len, lines)) < 1_050
    assert max(map(len, lines[1:])) < 350


@pytest.mark.parametrize(
    ("args", "end"),
    [
        ({"command": "a" * 990 + " && rm -rf /"}, " && rm -rf…` (and 2 characters more)"),
        ({"command": "rm -rf .", "cwd": "/home/ada"}, "Run `rm -rf .` with cwd “/home/ada”"),
        ({"text": "a" * 200}, "…” (and 80 characters more)"),
        ({"command": "open \u202egpj.exe"}, "Run `open \\u202egpj.exe`"),
    ],
)
def test_what_is_not_seen_of_a_call_is_said(args: dict[str, Any], end: str) -> None:
    assert summary("write_note", args).endswith(end)
