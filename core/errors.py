"""The one error tree, sorted by what the caller does about it.

    ConchError
    ├── TryLater            the same call may work later; nothing was taken
    │   ├── StoreUnavailable    the database is locked, full or gone
    │   └── Busy                something else is going on here first
    ├── MaybeDone           the call may or may not have been taken; only a look at the other side can tell
    ├── Refused             the same call will never work; `reason` says of which kind
    ├── NotAllowed          this person may not do this here
    ├── NotFound            there is no such thing (any more)
    └── UsageError          the words or the configuration are off; the message says how to mend them

What a library raised is always the `__cause__`; no library's error type leaves the module that called it. A message is
a plain sentence that may be shown to the owner: it never holds a secret.
"""

from enum import StrEnum


class ConchError(Exception):
    """The root: everything that Conch raises on purpose."""


class TryLater(ConchError):
    """The same call may work later; what was asked for surely did not happen.

    `retry_after` is in seconds; None means that nobody said how long.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StoreUnavailable(TryLater):
    """The database cannot take anything now: locked, full, read-only or gone."""


class Busy(TryLater):
    """Something that must end first is going on, for example a running turn or a full queue."""


class MaybeDone(ConchError):
    """The request went out and no receipt came back: it may have been taken.

    Never repeated blindly; see the outbox's state `unknown`.
    """


class RefusedReason(StrEnum):
    """Why the other side will never take this call."""

    AUTH = "auth"
    """The key is wrong or was revoked."""
    GONE = "gone"
    """The chat, message or person is not there (any more), or blocked the bot."""
    BAD_PAYLOAD = "bad-payload"
    """What was sent is malformed or over a limit."""
    FORBIDDEN = "forbidden"
    """The bot may not do this in this place."""


class Refused(ConchError):
    """The same call will never work."""

    def __init__(self, message: str, reason: RefusedReason) -> None:
        super().__init__(message)
        self.reason = reason


class NotAllowed(ConchError):
    """This person may not do this here."""


class NotFound(ConchError):
    """There is no such thing, or not any more."""


class UsageError(ConchError):
    """The caller's words or configuration are off; the message says how to mend them."""
