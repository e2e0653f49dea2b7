"""How a turn ends that met an error of a model server, and the window that a refusal names.

What errors mean is the table in `meanings`. Nothing of the server's own words reaches a person: they may hold a key, an
address or what somebody else wrote.
"""

from collections.abc import Iterator
from typing import Final

from pydantic_ai import exceptions as library

from core.engines.base import Ended, EndReason
from core.engines.models import meanings, overflow
from core.engines.models.addresses import is_near
from core.engines.models.complaint import Complaint
from core.engines.models.contract import Connection
from core.engines.models.kinds import address_of
from core.engines.models.meanings import Meaning
from core.errors import ConchError, Refused, RefusedReason, TryLater, UsageError
from core.waits import when_again

LONGEST_NAME: Final = 100
"""Characters of a model's name in a sentence."""

_TOO_LONG_STATUSES: Final = frozenset({400, 413, 422, 429, 500, None})
"""Where a phrase about length is one: llama.cpp says it with 500, a stream without any."""


def ended_for(error: BaseException, connection: Connection, model: str | None = None) -> Ended:
    """How a turn ends that met this error: why, one plain sentence with what to do, and seconds to wait where told.

    Nothing of the server's own words is in the sentence; where `model` is given, not even its name for the model.
    """
    if isinstance(error, ConchError):
        return _ended_by_ours(error)
    said = Complaint.of(error)
    near = is_near(address_of(connection.kind, connection.base_url) or "")
    meaning = meanings.TOO_LONG if _is_too_long(said) else next(_fitting(said, near))
    message = meaning.sentence.format(
        engine=connection.title,
        id=connection.id,
        model=_name(model or said.model or connection.model),
        when=when_again(said.retry_after),
    )
    return Ended(meaning.reason, message or None, said.retry_after)


def window_in(error: BaseException) -> int | None:
    """The model's window in tokens, where a refusal of something too long names it."""
    said = Complaint.of(error)
    return overflow.window_named(said.words) if _is_too_long(said) else None


def error_for(error: BaseException, connection: Connection) -> ConchError:
    """The same for a call outside of a turn, such as asking for the list of models: an error of our own tree."""
    if isinstance(error, ConchError):
        return error
    ended = ended_for(error, connection)
    message = ended.message or meanings.BROKEN.sentence.format(engine=connection.title)
    if ended.reason is EndReason.AUTH:
        return Refused(message, RefusedReason.AUTH)
    if ended.reason in (EndReason.UNAVAILABLE, EndReason.RATE_LIMITED, EndReason.CRASHED):
        return TryLater(message, retry_after=ended.retry_after)
    return Refused(message, RefusedReason.BAD_PAYLOAD)


def _fitting(said: Complaint, near: bool) -> Iterator[Meaning]:
    yield from (meaning for meaning in meanings.MEANINGS if meaning.fits(said, near))
    yield meanings.BROKEN


def _is_too_long(said: Complaint) -> bool:
    return (
        said.status == 413
        or said.is_a(library.ModelContextWindowExceededError)
        or (said.status in _TOO_LONG_STATUSES and overflow.says_too_long(said.words))
    )


def _name(model: str | None) -> str:
    return " ".join((model or "this model").split())[:LONGEST_NAME]


def _ended_by_ours(error: ConchError) -> Ended:
    """Raised on purpose: its sentence is for people already."""
    if isinstance(error, TryLater):
        return Ended(EndReason.UNAVAILABLE, str(error), error.retry_after)
    if isinstance(error, Refused) and error.reason is RefusedReason.AUTH:
        return Ended(EndReason.AUTH, str(error))
    reason = EndReason.REJECTED if isinstance(error, Refused | UsageError) else EndReason.CRASHED
    return Ended(reason, str(error))
