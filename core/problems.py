"""What a person is told when something goes wrong with a turn: one plain sentence, and what to do about it.

Who reads it matters. Only the owner can mend a key, a model or a budget, so only they hear how; people whom they let in
hear whom to tell, and a guest no more than when to try again.
"""

from enum import StrEnum
from typing import Final

from core.budget import ALL, Budget, Milestone
from core.engines.base import Ended, EndReason
from core.events import Address, ChatKind, Notice, Origin, Problem, TurnRouted
from core.opened import Opened


class Reader(StrEnum):
    """Who reads a sentence."""

    OWNER = "owner"
    """With nobody reading along."""
    PERSON = "person"
    GUEST = "guest"


_TO_OWNER: Final = {
    Problem.REFUSED: "The model declined to answer this. Put it another way, or ask for something else.",
    Problem.CONTEXT_FULL: "This chat has grown too long for the model. Send \u2060/new to start a fresh one.",
    Problem.AUTH: "The key for {engine} does not work any more. Enter a new one with `conch engines add`.",
    Problem.RATE_LIMITED: "{engine} takes no more requests for now. Send it again {when}.",
    Problem.UNAVAILABLE: "{engine} cannot be reached right now. Send it again {when}.",
    Problem.REJECTED: "{engine} did not accept this request. Put it another way, or choose another model with "
    "\u2060/model.",
    Problem.BUDGET: "The budget is used up, so I stop here. You can raise it with `conch settings`.",
    Problem.CRASHED: "Something broke while {engine} was answering. Send it again; if that fails too, run "
    "`conch doctor`, or look in the log for why.",
}

_ASK_THE_OWNER: Final = "Only the owner can mend that: please tell them."

_TO_PERSON: Final = {
    **_TO_OWNER,
    Problem.AUTH: f"{{engine}} does not let me in any more, so I can't answer. {_ASK_THE_OWNER}",
    Problem.REJECTED: "{engine} did not accept this request. Put it another way; if that fails too, tell the owner.",
    Problem.BUDGET: "The budget is used up, so I stop here. The owner can raise it.",
    Problem.CRASHED: "Something broke while {engine} was answering. Send it again; if that fails too, tell the owner.",
}

_NOT_NOW: Final = "I can't answer right now. Try again later."

_TO_GUEST: Final = {
    Problem.REFUSED: "I can't answer this. Put it another way, or ask for something else.",
    Problem.CONTEXT_FULL: "This chat has grown too long for me. Send \u2060/new to start a fresh one.",
    Problem.AUTH: _NOT_NOW,
    Problem.RATE_LIMITED: "I can't answer right now. Send it again {when}.",
    Problem.UNAVAILABLE: "I can't answer right now. Send it again {when}.",
    Problem.REJECTED: "I can't answer this. Put it another way, or ask for something else.",
    Problem.BUDGET: _NOT_NOW,
    Problem.CRASHED: "Something broke while I was answering. Send it again, or try later.",
}

_SENTENCES: Final = {Reader.OWNER: _TO_OWNER, Reader.PERSON: _TO_PERSON, Reader.GUEST: _TO_GUEST}

_ABOUT_THE_MESSAGE: Final = frozenset({Problem.REFUSED, Problem.CONTEXT_FULL})
"""What whoever wrote can mend; an engine's own words about anything else are for the owner."""

_REMARKS: Final = {
    EndReason.LENGTH: "The answer ends here, because it is as long as {engine} lets one be. Say “go on” for the rest.",
    EndReason.CANCELLED: "{engine} ended this answer before it was done. Send it again if you still want it.",
}

REPEATING = "This answer kept saying the same thing, so I stopped it. Put it another way, or send it again."
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


def reader_of(origin: Origin) -> Reader:
    """Who reads what is said about a message; in a group everybody does."""
    if origin.role == "guest":
        return Reader.GUEST
    if origin.address is None:
        return Reader.OWNER
    private = origin.address.chat_kind is ChatKind.PRIVATE
    return Reader.OWNER if origin.role == "owner" and private else Reader.PERSON


def told(opened: Opened, ended: Ended, budget: Budget | None = None) -> str | None:
    """What the person is told about a turn's problem; None when there was none.

    Args:
        opened: the turn as it was for its last engine.
        ended: how that one ended.
        budget: the limit that it came to, where that is the problem.
    """
    reader = reader_of(opened.message.origin)
    if ended.reason is EndReason.BUDGET and budget is not None:
        return used_up(budget, reader)
    words = sentence(ended, opened.engine.title, reader)
    if words and opened.instead_of and reader is not Reader.GUEST:
        return f"{words} Before that, {opened.instead_of.title} could not answer either."
    return words


def sentence(ended: Ended, engine_title: str, reader: Reader = Reader.OWNER) -> str | None:
    """What a reader is told about a problem, the engine's own words first where they may hear them."""
    problem = problem_of(ended.reason)
    if problem is None:
        return None
    theirs = reader is Reader.OWNER or (reader is Reader.PERSON and problem in _ABOUT_THE_MESSAGE)
    if ended.message and theirs:
        return ended.message
    return _SENTENCES[reader][problem].format(engine=engine_title, when=_when(ended.retry_after))


def remark(ended: Ended, engine_title: str) -> Notice | None:
    """What the person is told about an answer that is not whole though nothing went wrong and nobody stopped it."""
    words = _REMARKS.get(ended.reason)
    return (
        Notice(code=ended.reason.value, message=ended.message or words.format(engine=engine_title)) if words else None
    )


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "in a moment"
    if seconds <= 90:
        return f"in {round(seconds)} seconds" if seconds >= 1.5 else "in a second"
    if seconds <= 90 * 60:
        return f"in about {round(seconds / 60)} minutes"
    return f"in about {round(seconds / 3600)} hours"


# ---- another engine took over --------------------------------------------------------------------------------------


def took_over(routed: TurnRouted) -> str:
    """Which engine answers instead of which, and why; old logs know only their ids."""
    first, second = routed.from_title or routed.from_engine, routed.to_title or routed.to_engine
    model = f" ({routed.to_model})" if routed.to_model else ""
    limited = routed.reason == EndReason.RATE_LIMITED
    why = "takes no more requests for now" if limited else "cannot be reached right now"
    return f"{first} {why}, so {second}{model} answers this time."


# ---- budgets -------------------------------------------------------------------------------------------------------

_USED_UP: Final = {
    (
        "day",
        Reader.OWNER,
    ): "Today's budget of {limit} is used up, so I stop here. It starts anew at 00:00 UTC. To go on "
    "now, raise it with \u2060/settings, or `conch settings set {setting} NUMBER`.",
    (
        "day",
        Reader.PERSON,
    ): "Today's budget is used up, so I stop here. It starts anew at 00:00 UTC; only the owner can raise it.",
    ("day", Reader.GUEST): "I can't answer any more today. Try again after 00:00 UTC.",
    ("turn", Reader.OWNER): "This answer came to the budget of one answer, {limit}, so I stop here. Ask for a smaller "
    "part, or raise it with \u2060/settings, or `conch settings set {setting} NUMBER`.",
    (
        "turn",
        Reader.PERSON,
    ): "This answer came to the budget of one answer, so I stop here. Ask for a smaller part; only "
    "the owner can raise it.",
    ("turn", Reader.GUEST): "This answer got too long for me, so I stop here. Ask for a smaller part.",
}

_MILESTONE: Final = (
    "{percent} % of today's budget of {limit} is used. When all of it is, I stop answering until 00:00 UTC. "
    "You can raise it with \u2060/settings, or `conch settings set {setting} NUMBER`."
)

_ALL_USED: Final = (
    "All of today's budget of {limit} is used, so I answer no more until 00:00 UTC. "
    "You can raise it with \u2060/settings, or `conch settings set {setting} NUMBER`."
)


def used_up(budget: Budget, reader: Reader) -> str:
    """Nothing is left of a budget: which, when there is more, and who can raise it."""
    return _USED_UP[budget.span, reader].format(limit=_limit(budget), setting=budget.setting)


def milestone(reached: Milestone, address: Address | None) -> Notice:
    """To the owner: so much of a day's budget is used."""
    limit, setting = _limit(reached.budget), reached.budget.setting
    words = (_ALL_USED if reached.percent == ALL else _MILESTONE).format(
        percent=reached.percent, limit=limit, setting=setting
    )
    return Notice(code=f"budget-{reached.percent}", message=words, address=address)


def _limit(budget: Budget) -> str:
    return f"{budget.limit:,.0f} tokens" if budget.unit == "tokens" else f"${budget.limit:,.2f}"


# ---- notices -------------------------------------------------------------------------------------------------------


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


def engine_gone(engine_id: str, title: str, address: Address | None) -> Notice:
    """The engine that a chat chose is not connected any more."""
    message = f"“{engine_id}”, which this chat chose, is not connected any more. {title} answers here from now on."
    return Notice(code="engine-gone", message=message, address=address)


def not_answered(address: Address | None) -> Notice:
    """A message that waited cannot be answered, through a fault of ours."""
    return Notice(code="not-answered", message=_NOT_ANSWERED, address=address)
