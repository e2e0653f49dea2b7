"""One thing that the doctor looked at, and whether it is as it should be. How it is shown is `conch.printing`'s."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How it is."""

    OK = "ok"
    WARN = "warn"
    """It works, and will not for ever, or not as one would think."""
    FAIL = "fail"
    """Something does not work until it is mended."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found. `todo` is what to do about it, where there is anything to do."""

    subject: str
    verdict: Verdict
    said: str
    todo: str | None = None


def ok(subject: str, said: str) -> Finding:
    """As it should be."""
    return Finding(subject, Verdict.OK, said)


def warn(subject: str, said: str, todo: str) -> Finding:
    """Worth a thought."""
    return Finding(subject, Verdict.WARN, said, todo)


def fail(subject: str, said: str, todo: str) -> Finding:
    """To be mended."""
    return Finding(subject, Verdict.FAIL, said, todo)
