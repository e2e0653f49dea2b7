"""What Telegram's refusals mean, in Conch's own errors.

Pure: an answer's status and JSON in, an error out. That no answer came at all is `request`'s to tell.
The words are those of tdlib/telegram-bot-api, Client.cpp; they are compared without regard to case.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

SURELY_NOT_TAKEN = frozenset({412, 429, 503})
PERHAPS_TAKEN = frozenset({408, 500, 502, 504})


class TakenByOther(TryLater):
    """Somebody else receives this bot's updates: another poller, or a `webhook`."""

    def __init__(self, message: str, *, webhook: bool) -> None:
        super().__init__(message)
        self.webhook = webhook


class UnknownMethod(Refused):
    """Telegram does not know what was called. It says the same to a key of the wrong shape."""


class MarkupRefused(Refused):
    """The markup of a text could not be read; the same words without markup would be taken."""


class WordsRefused(Refused):
    """There are too many words, or none."""


class PictureRefused(Refused):
    """This picture cannot be a photo; as a document it would be taken."""


class MenuTooLarge(Refused):
    """The words of a menu are too many as a whole."""


class AlreadySo(Refused):
    """What was asked for is the case already, or there is no point in it any more."""


class NoText(Refused):
    """The message that should say something else has a caption, not a text."""


class ChatMoved(Refused):
    """A group became a supergroup: everything is the same except its id."""

    def __init__(self, message: str, chat_id: int) -> None:
        super().__init__(message, RefusedReason.GONE)
        self.chat_id = chat_id


_SPECIAL: Sequence[tuple[type[Refused], Sequence[str]]] = (
    (MarkupRefused, ("can't parse entities",)),
    (
        AlreadySo,
        ("message is not modified", "query is too old", "query id is invalid", "message to delete not found"),
    ),
    (NoText, ("there is no text in the message to edit",)),
    (WordsRefused, ("message is too long", "text is too long", "caption is too long", "text is empty", "non-empty")),
    (PictureRefused, ("photo_invalid_dimensions", "photo_ext_invalid", "image_process_failed", "too big for a photo")),
    (MenuTooLarge, ("bot_commands_too_much",)),
)
"""Refusals of 400 after which the adapter has something better to do than to give up."""

_REASONS: Sequence[tuple[RefusedReason, Sequence[str]]] = (
    (
        RefusedReason.GONE,
        (
            "chat not found",
            "user not found",
            "peer_id_invalid",
            "user is deactivated",
            "user_is_deactivated",
            "was blocked by the user",
            "was kicked",
            "is not a member",
            "group chat was deleted",
            "group chat was deactivated",
            "message to edit not found",
            "message thread not found",
            "topic_deleted",
            "wrong file_id",
            "file is temporarily unavailable",
        ),
    ),
    (
        RefusedReason.FORBIDDEN,
        (
            "not enough rights",
            "have no rights",
            "need administrator rights",
            "chat_write_forbidden",
            "chat_restricted",
            "topic_closed",
            "message can't be deleted",
            "message can't be edited",
            "can't initiate conversation",
            "can't send messages to bots",
        ),
    ),
)


def explain(status: int, answer: Mapping[str, Any] | None) -> ConchError:
    """The error for an answer that is no success. `answer` is its JSON, or None where it was none.

    Only Telegram answers in JSON with an `ok`. Anything else came from a proxy or a portal on the way, and says nothing
    about the key or the chat.
    """
    if status in PERHAPS_TAKEN:
        return MaybeDone(f"Telegram had trouble ({status}); it may have taken this all the same.")
    if answer is None or "ok" not in answer:
        return TryLater(f"Something on the way to Telegram answered instead of it ({status}).")
    said, more = _words_of(answer), _more_of(answer)
    if status in SURELY_NOT_TAKEN:
        return TryLater(f"Telegram takes no more for now: {said}", retry_after=_seconds(more.get("retry_after")))
    if status == 409:
        return TakenByOther(f"Telegram is asked by somebody else: {said}", webhook="webhook" in said.lower())
    if status == 404:
        return UnknownMethod(f"Telegram knows no such bot or method: {said}", RefusedReason.AUTH)
    if status == 401:
        return Refused(f"Telegram does not accept this bot's key: {said}", RefusedReason.AUTH)
    if status == 400 or status == 403:
        return _refusal(status, said, more.get("migrate_to_chat_id"))
    if status < 500:
        return Refused(f"Telegram refused this ({status}): {said}", RefusedReason.BAD_PAYLOAD)
    return MaybeDone(f"Telegram had trouble ({status}): {said}")


def _refusal(status: int, said: str, moved_to: object) -> Refused:
    if type(moved_to) is int:
        return ChatMoved("The group became a supergroup.", moved_to)
    message, words = f"Telegram refused this: {said}", said.lower()
    if status == 400:
        for kind, phrases in _SPECIAL:
            if any(phrase in words for phrase in phrases):
                return kind(message, RefusedReason.BAD_PAYLOAD)
    for reason, phrases in _REASONS:
        if any(phrase in words for phrase in phrases):
            return Refused(message, reason)
    return Refused(message, RefusedReason.FORBIDDEN if status == 403 else RefusedReason.BAD_PAYLOAD)


def _words_of(answer: Mapping[str, Any]) -> str:
    said = answer.get("description")
    return said if isinstance(said, str) and said else "no reason given"


def _more_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    more = answer.get("parameters")
    return more if isinstance(more, dict) else {}


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None
