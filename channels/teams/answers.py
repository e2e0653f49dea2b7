"""What Microsoft's refusals mean, in Conch's own errors.

Pure: an answer's status, JSON and headers in, an error out. That no answer came at all is `client`'s to tell. Sources:
learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages (codes),
…/bots/how-to/rate-limit (what to try again), learn.microsoft.com/entra/identity-platform/reference-error-codes.
"""

from collections.abc import Mapping
from typing import Any, Final

from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

PORTAL: Final = "portal.azure.com"
"""Where a bot's owner changes it."""


class MessageGone(Refused):
    """The message is not there any more."""

    def __init__(self) -> None:
        super().__init__("The message is not there any more.", RefusedReason.GONE)


class NotStreaming(Refused):
    """The message is not being written any more, or may not be."""


class TooBig(Refused):
    """More than Teams takes in a message."""

    def __init__(self) -> None:
        super().__init__("This is more than Teams takes in a message.", RefusedReason.BAD_PAYLOAD)


class NoSuchApp(Refused):
    """The directory does not know this id: perhaps it is the other one's."""


_LATER: Final = frozenset({412, 429, 503})
_PERHAPS: Final = frozenset({408, 500})
_STREAM_CODES: Final = frozenset({"ContentStreamNotAllowed", "ContentStreamSequenceOrderPreConditionFailed"})
_GONE_CODES: Final = frozenset(
    {"BotNotInConversationRoster", "BotDisabledByAdmin", "ConversationBlockedByUser", "ConversationNotFound"}
)


def explain(status: int, answer: Mapping[str, Any] | None, retry_after: str | None = None) -> ConchError:
    """The error for an answer of the Connector that is no success. `answer` is its JSON, or None where it was none."""
    error = answer.get("error") if answer is not None else None
    code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
    said = str(error.get("message") or "") if isinstance(error, Mapping) else ""
    if code in _STREAM_CODES:
        return NotStreaming(f"Teams does not let this message be written on ({said or code}).", RefusedReason.FORBIDDEN)
    if status in _LATER or status in (502, 504):
        return TryLater("Teams takes no more for now.", retry_after=_seconds(retry_after))
    if status in _PERHAPS or status > 500:
        return MaybeDone(f"Teams had trouble ({status}); it may have taken this all the same.")
    if status == 413 or code == "MessageSizeTooBig":
        return TooBig()
    if answer is None and status not in (401, 403, 404):
        return TryLater(f"Something on the way to Teams answered instead of it ({status}).")
    return _refusal(status, code, said)


def _refusal(status: int, code: str, said: str) -> Refused:
    if status == 401:
        return Refused("Teams does not accept this bot's token.", RefusedReason.AUTH)
    if code in _GONE_CODES:
        return Refused("The person blocked or removed the bot, or the chat is gone.", RefusedReason.GONE)
    if status == 404:
        return MessageGone()
    if status == 403:
        return Refused(f"Teams does not let the bot write here ({said or code or status}).", RefusedReason.FORBIDDEN)
    return Refused(f"Teams refused this ({code}: {said})"[:400] + ".", RefusedReason.BAD_PAYLOAD)


_SECRET_WORDS: Final = (
    "Microsoft does not accept the client secret. Paste the secret's Value, not its Secret ID, from "
    f"Certificates & secrets of the app at {PORTAL}."
)
_SIGN_IN: Final[Mapping[int, tuple[type[Refused], str]]] = {
    7000215: (Refused, _SECRET_WORDS),
    7000222: (
        Refused,
        f"The client secret is too old. Make a new one under Certificates & secrets of the app at {PORTAL}.",
    ),
    7000112: (Refused, f"The app is disabled. Enable it at {PORTAL}."),
    700016: (
        NoSuchApp,
        "Microsoft does not know the app there. Check the Application (client) ID and the Directory (tenant) ID "
        f"on the app's Overview page at {PORTAL}.",
    ),
    90002: (
        NoSuchApp,
        f"Microsoft does not know the tenant. Check the Directory (tenant) ID on the app's Overview page at {PORTAL}.",
    ),
    900023: (
        NoSuchApp,
        f"The Directory (tenant) ID is not one. Copy it from the app's Overview page at {PORTAL}.",
    ),
}


def explain_sign_in(status: int, answer: Mapping[str, Any] | None, retry_after: str | None = None) -> ConchError:
    """The error for a token that was not given out; asking is harmless, so nothing is ever in doubt."""
    codes = answer.get("error_codes") if answer is not None else None
    for code in codes if isinstance(codes, list) else ():
        if isinstance(code, int) and code in _SIGN_IN:
            kind, words = _SIGN_IN[code]
            return kind(words, RefusedReason.AUTH)
    if answer is not None and answer.get("error") in ("invalid_client", "unauthorized_client", "invalid_request"):
        shown = f"AADSTS{codes[0]}" if isinstance(codes, list) and codes else answer["error"]
        return Refused(f"Microsoft does not let this app sign in ({shown}).", RefusedReason.AUTH)
    if status in (400, 401) and answer is not None and "error" in answer:
        return Refused(f"Microsoft refused to give a token ({answer['error']}).", RefusedReason.AUTH)
    return TryLater(f"Microsoft gives no token now ({status}).", retry_after=_seconds(retry_after))


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None
