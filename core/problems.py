"""What a person is told when something goes wrong with a turn: one plain sentence, and what to do about it."""

from core.engines.base import Ended, EndReason
from core.events import Address, Notice, Problem
from core.waits import when_again

_SENTENCES = {
    Problem.REFUSED: "The model declined to answer this. Put it another way, or ask for something else.",
    Problem.CONTEXT_FULL: "This chat has grown too long for the model. Send /new to start a fresh one.",
    Problem.AUTH: "The key for {engine} does not work any more. The owner can enter a new one.",
    Problem.RATE_LIMITED: "{engine} takes no more requests for now. Send it again {when}.",
    Problem.UNAVAILABLE: "{engine} cannot be reached right now. Send it again {when}.",
    Problem.REJECTED: "{engine} did not accept this request. Put it another way, or try another model.",
    Problem.BUDGET: "The budget is used up, so {engine} was not asked. The owner can raise it in the settings.",
    Problem.CRASHED: "Something broke while {engine} was answering. Send it again; if that fails too, tell the owner.",
}

_REMARKS = {
    EndReason.LENGTH: "The answer ends here, because it is as long as {engine} lets one be. Say “go on” for the rest.",
    EndReason.CANCELLED: "{engine} ended this answer before it was done. Send it again if you still want it.",
}

REPEATING = "{engine} kept saying the same thing, so I stopped it. Put it another way, or send it again."
"""What a chat is told when an engine that says one message over and over was stopped."""

CUT_OFF = "I was restarted while I was answering, so that answer is cut off. Send your message again."
"""What a chat is told about a turn that the program's end cut off."""

_NOT_FOR_GUESTS = (
    "{engine}, which answers here, has tools of its own that nobody can hold back, "
    "so it only answers people who are let in."
)

_HELD_TOO_LONG = "No engine could answer for 12 hours, so what you sent was not answered. Send it again when you like."

_NOT_ANSWERED = "Something went wrong with what you sent while I was busy, so it was not answered. Send it again."


def problem_of(reason: EndReason) -> Problem | None:
    """The problem that an ending stands for; None for one that is none."""
    if reason in (EndReason.DONE, EndReason.LENGTH, EndReason.CANCELLED):
        return None
    return Problem(reason.value)


def sentence(ended: Ended, engine_title: str) -> str | None:
    """What the person is told about a problem, the engine's own words first; None when there was none."""
    problem = problem_of(ended.reason)
    if problem is None:
        return None
    return ended.message or _SENTENCES[problem].format(engine=engine_title, when=when_again(ended.retry_after))


def remark(ended: Ended, engine_title: str) -> Notice | None:
    """What the person is told about an answer that is not whole though nothing went wrong and nobody stopped it."""
    words = _REMARKS.get(ended.reason)
    return (
        Notice(code=ended.reason.value, message=ended.message or words.format(engine=engine_title)) if words else None
    )


def file_not_kept(name: str) -> Notice:
    """A file that belongs to an answer is lost."""
    return Notice(code="file-not-kept", message=f"The file {name} could not be kept, so it is missing here.")


def held_too_long(address: Address | None) -> Notice:
    """Held messages are given up."""
    return Notice(code="held-expired", message=_HELD_TOO_LONG, address=address)


def not_for_guests(engine_title: str) -> str:
    """Why somebody who is not let in gets no answer."""
    return _NOT_FOR_GUESTS.format(engine=engine_title)


def guest_not_answered(engine_title: str, address: Address | None) -> Notice:
    """A guest's message waited, and by now there is no engine that may answer it."""
    return Notice(code="not-for-guests", message=not_for_guests(engine_title), address=address)


def not_answered(address: Address | None) -> Notice:
    """A message that waited cannot be answered, through a fault of ours."""
    return Notice(code="not-answered", message=_NOT_ANSWERED, address=address)
