"""What a person is told when a turn fails: one plain sentence, and what to do about it."""

from core.engines.base import Ended, EndReason
from core.events import Problem

_SENTENCES = {
    Problem.REFUSED: "The model declined to answer this. Put it another way, or ask for something else.",
    Problem.CONTEXT_FULL: "This chat has grown too long for the model. Send /new to start a fresh one.",
    Problem.AUTH: "The key for {engine} does not work any more. The owner can enter a new one.",
    Problem.RATE_LIMITED: "{engine} takes no more requests for now. Wait a little and send it again.",
    Problem.UNAVAILABLE: "{engine} cannot be reached right now. Send it again in a moment.",
    Problem.REJECTED: "{engine} did not accept this request. Put it another way, or try another model.",
    Problem.CRASHED: "Something broke while {engine} was answering. Send it again; if that fails too, tell the owner.",
}

CUT_OFF = "I was restarted while I was answering, so that answer is cut off. Send your message again."
"""What a chat is told about a turn that the program's end cut off."""


def problem_of(reason: EndReason) -> Problem | None:
    """The problem that an ending stands for; None for one that is none."""
    if reason in (EndReason.DONE, EndReason.LENGTH, EndReason.CANCELLED):
        return None
    return Problem(reason.value)


def sentence(ended: Ended, engine_title: str) -> str | None:
    """What the person is told about an ending; None when all went well."""
    problem = problem_of(ended.reason)
    if problem is None:
        return None
    return ended.message or _SENTENCES[problem].format(engine=engine_title)


HELD_TOO_LONG = "No engine could answer for 12 hours, so what you sent was not answered. Send it again when you like."
"""What a chat is told about a held message that is given up."""
