"""What was decided about a card, in one plain line: for the card itself, and for whoever presses or replies too late.

Pure. The line is plain text; whoever puts it into Markdown makes it literal.
"""

from typing import Final, Literal

from core.cards import ChoiceField, Question
from core.engines.base import EXIT_PLAN_MODE
from core.events import PermissionRequested, PermissionResolved, QuestionAnswered, TurnCompleted

LONGEST_ANSWER: Final = 200
"""Characters of an answer in the line."""

ALREADY: Final = "This was decided already."

Ended = Literal["stop", "restart", "error"]
"""Why a turn ended over its open cards; `error` stands for every other end."""


def answered_line(question: Question, answered: QuestionAnswered, ended: Ended | None = None) -> str:
    """For example “Ada chose “Tea”.” `ended`: why the turn ended, where nobody answered."""
    if answered.words is not None:
        words = _short(answered.words)
        only_choice = len(question.fields) == 1 and isinstance(question.fields[0], ChoiceField)
        verb = "chose" if only_choice and answered.answer is not None else "answered"
        return f"{answered.by or 'Somebody'} {verb} “{words}”."
    if answered.by is not None:
        return f"{answered.by} skipped this."
    if answered.expired:
        return "Skipped: nobody answered in time."
    return skipped_line(ended)


def skipped_line(ended: Ended | None) -> str:
    """Why nobody can answer any more."""
    match ended:
        case "stop":
            return "Skipped: the answer was stopped."
        case "restart":
            return "Skipped: I was restarted."
    return "Skipped: it is not needed any more."


def resolved_line(asked: PermissionRequested, resolved: PermissionResolved, ended: Ended | None = None) -> str:
    """For example “Ada allowed it.”"""
    who, plan = resolved.by or "Somebody", asked.tool_name == EXIT_PLAN_MODE
    match resolved.decision:
        case "allow":
            return f"{who} said: start." if plan else f"{who} allowed it."
        case "allow-always":
            return f"{who} allowed it, always in this chat."
        case "deny":
            return f"{who} wants to keep planning." if plan else f"{who} did not allow it."
    if ended is None:
        return "Nobody answered in time, so nothing was done."
    return skipped_line(ended)


def end_of(completed: TurnCompleted) -> Ended:
    """Why a turn ended, as its cards say it."""
    return completed.cut_off_by or "error"


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= LONGEST_ANSWER else f"{words[: LONGEST_ANSWER - 1].rstrip()}…"
