"""What an error says, whichever library raised it: its status, its words, how long to wait.

The words are for looking things up in, never for showing: a body may hold a key, an address or what somebody wrote.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx2
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior

MOST_WORDS: Final = 20_000
"""Characters that are looked at: the sentence stands at the beginning, the rest is a web page or an echo."""

LONGEST_WAIT: Final = 24 * 3600.0
"""Seconds; a server that asks for more means something else than waiting."""

_LIBRARIES: Final = frozenset({"openai", "anthropic", "google", "httpx", "httpx2"})

_DURATION: Final = r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?"
_WAITS: Final = (
    re.compile(rf"(?:try again|retry|available again) in {_DURATION}"),
    re.compile(rf"retrydelay['\"]?: ?['\"]{_DURATION}"),
)
_PLAIN_WAIT: Final = re.compile(r"retry[_-]?after(?:_seconds)?['\"]?: ?['\"]?(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error, read. `errors` are itself and what it came from, outermost first; `words` are in lower case."""

    errors: tuple[BaseException, ...]
    status: int | None
    words: str
    retry_after: float | None
    model: str | None

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """Read an error of pydantic-ai, of a vendor's SDK, of an HTTP client, or any other (which says nothing)."""
        errors = tuple(_causes(error))
        words = " ".join(_words(each) for each in errors)[:MOST_WORDS].lower()
        return cls(
            errors=errors,
            status=next((status for each in errors if (status := _status(each)) is not None), None),
            words=words,
            retry_after=_retry_after(errors, words),
            model=next((each.model_name for each in errors if isinstance(each, ModelAPIError)), None),
        )

    def is_a(self, *kinds: type[BaseException]) -> bool:
        """Whether it, or what it came from, is of one of these classes."""
        return any(isinstance(each, kinds) for each in self.errors)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what it holds if it is a group, and what it was raised from; each once."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            waiting.extend(each.exceptions)
        if each.__cause__ is not None:
            waiting.append(each.__cause__)


def _is_theirs(error: BaseException) -> bool:
    """Whether the words are a server's or a connection's, not a fault of ours that happens to use the same."""
    return (
        isinstance(error, ModelAPIError | UnexpectedModelBehavior | OSError)
        or type(error).__module__.partition(".")[0] in _LIBRARIES
    )


def _words(error: BaseException) -> str:
    if not _is_theirs(error):
        return ""
    said: list[object] = [error]
    said += [getattr(error, name, None) for name in ("body", "details", "provider_error_code", "provider_error_type")]
    if isinstance(error, httpx2.HTTPStatusError) and error.response.is_closed:
        said.append(error.response.text)
    return " ".join(str(each)[:MOST_WORDS] for each in said if each)


def _status(error: BaseException) -> int | None:
    """An HTTP status of 300 or more; an error inside a stream comes with the stream's own 200, which says nothing."""
    if not _is_theirs(error):
        return None
    candidates: list[Any] = [getattr(error, name, None) for name in ("status_code", "code")]
    candidates.append(getattr(getattr(error, "response", None), "status_code", None))
    return next((each for each in candidates if isinstance(each, int) and 300 <= each < 600), None)


def _retry_after(errors: tuple[BaseException, ...], words: str) -> float | None:
    told = [each.retry_after for each in errors if isinstance(each, ModelAPIError)]
    told += [_from_headers(each) for each in errors]
    told.append(_from_words(words))
    return next((seconds for seconds in told if seconds is not None and 0 <= seconds <= LONGEST_WAIT), None)


def _from_headers(error: BaseException) -> float | None:
    if not _is_theirs(error):
        return None
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    value = str(headers.get("retry-after", ""))
    return float(value) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value) else None


def _from_words(words: str) -> float | None:
    for wait in _WAITS:
        for found in wait.finditer(words):
            hours, minutes, number, unit = found.groups()
            if hours or minutes or number:
                seconds = float(number or 0) / (1000 if unit == "ms" else 1)
                return int(hours or 0) * 3600 + int(minutes or 0) * 60 + seconds
    plain = _PLAIN_WAIT.search(words)
    return float(plain[1]) if plain else None
