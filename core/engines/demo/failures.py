"""Every way a turn can end, to be provoked by a sentence. What a failing engine means for the chat is the core's."""

from functools import partial

from core.engines.base import Ended, EndReason
from core.engines.demo.stage import LABEL, Group, Journey, Stage, journey, say
from core.engines.script import Steps

_PRETENDED = "Demo: this is pretended, nothing is broken. "

RETRY_AFTER = 30.0
"""Seconds, of the pretended rate limit."""

CUT_OFF_ANSWER = (
    "this answer is cut off where a model would have used up the words it may say at once, which is in the middle of"
)

BROKEN_ANSWER = "this answer begins well, and then the line to the pretended service breaks in the middle of"


def _end(ended: Ended, _stage: Stage, _words: str) -> Steps:
    yield ended


def _begin_and_end(text: str, ended: Ended, _stage: Stage, _words: str) -> Steps:
    yield from say(LABEL + text)
    yield ended


def _pretend(sentence: str, shows: str, cue: str, ended: Ended, text: str | None = None) -> Journey:
    play = partial(_begin_and_end, text, ended) if text else partial(_end, ended)
    return journey(Group.FAILURES, sentence, shows, cue, play)


def _ended(reason: EndReason, sentence: str, retry_after: float | None = None) -> Ended:
    return Ended(reason, _PRETENDED + sentence, retry_after)


FAILURES: tuple[Journey, ...] = (
    _pretend(
        "Fail, please",
        "an engine that cannot be reached",
        r"^(please )?(fail|break)(,? please)?[.! ]*$|\bpretend\b.*\b(unavailable|unreachable|down|offline|fail)\b",
        _ended(EndReason.UNAVAILABLE, "An engine that cannot be reached ends like this. Send anything to go on."),
    ),
    _pretend(
        "Fail halfway",
        "an answer that breaks off in the middle",
        r"\b(fail|break)\b.*\b(half|middle)",
        _ended(EndReason.UNAVAILABLE, "An engine that is lost in mid-answer ends like this. Send anything to go on."),
        BROKEN_ANSWER,
    ),
    _pretend(
        "Pretend to be rate limited",
        "an engine that takes no more for now",
        r"\bpretend\b.*\b(rate|limited|busy|overloaded)\b",
        _ended(
            EndReason.RATE_LIMITED, "A model that takes no more for now ends like this. Send it again.", RETRY_AFTER
        ),
    ),
    _pretend(
        "Pretend the key is wrong",
        "a key that does not work",
        r"\bpretend\b.*\b(key|signed out|sign.?in|auth)\b",
        _ended(EndReason.AUTH, "A key that does not work (any more) ends like this. Here there is none to mend."),
    ),
    _pretend(
        "Pretend the chat is too long",
        "a conversation that no longer fits into the model",
        r"\bpretend\b.*\b(too long|full|context|overflow)\b",
        _ended(EndReason.CONTEXT_FULL, "A chat that outgrew its model ends like this. A new or cleared one would fit."),
    ),
    _pretend(
        "Pretend to refuse",
        "a model that declines",
        r"\bpretend\b.*\b(refuse|refused|decline)\b",
        _ended(EndReason.REFUSED, "A model that declines to answer ends like this. Ask for something else."),
    ),
    _pretend(
        "Pretend the request is rejected",
        "a request that the service does not take",
        r"\bpretend\b.*\b(reject|rejected|invalid)\b",
        _ended(
            EndReason.REJECTED, "A request that a service does not take ends like this. Another model might take it."
        ),
    ),
    _pretend(
        "Pretend to run out of words",
        "an answer cut off at the model's limit",
        r"\bpretend\b.*\b(words|length|cut off)\b",
        Ended(EndReason.LENGTH),
        CUT_OFF_ANSWER,
    ),
    _pretend(
        "Pretend to crash",
        "an engine that breaks",
        r"\bpretend\b.*\b(crash|crashed|broken)\b",
        _ended(EndReason.CRASHED, "An engine that breaks ends like this. Send anything to go on."),
    ),
    _pretend(
        "Pretend to be stopped",
        "a turn that is cancelled from inside",
        r"\bpretend\b.*\b(stop|stopped|cancel|cancelled)\b",
        Ended(EndReason.CANCELLED),
    ),
)
