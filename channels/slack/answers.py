"""What Slack's refusals mean, in Conch's own errors.

Pure: an answer's status, JSON and headers in, an error out. That no answer came at all is `client`'s to tell. The words
are those of docs.slack.dev/reference/methods.
"""

from collections.abc import Mapping
from typing import Any, Final

from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

APPS: Final = "api.slack.com/apps"
"""Where an app's owner changes it."""


class MarkupRefused(Refused):
    """The blocks were not taken; the same words in plainer ones would be."""


class AlreadySo(Refused):
    """What was asked for is the case already."""


class MessageGone(Refused):
    """The message is not there any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message, RefusedReason.GONE)


class TooLong(Refused):
    """These are more words than Slack takes in this way; a new message takes the most."""


class NotStreaming(Refused):
    """The message is complete already, or was never one that is written bit by bit."""


class ScopeMissing(Refused):
    """The bot was not allowed to do this when it was put into the workspace."""


_LATER: Final = frozenset(
    {
        "ratelimited",
        "rate_limited",
        "message_limit_exceeded",
        "service_unavailable",
        "team_added_to_org",
        "too_many_websockets",
    }
)
_PERHAPS: Final = frozenset({"fatal_error", "internal_error", "request_timeout", "messaging_processing_failed"})
_KEY: Final = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "token_revoked",
        "token_expired",
        "account_inactive",
        "not_allowed_token_type",
        "no_permission",
        "app_uninstalled",
    }
)
_ALREADY: Final = frozenset({"already_reacted", "no_reaction"})
_MARKUP: Final = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "markdown_text_conflict", "msg_blocks_too_many", "invalid_chunks"}
)
_LONG: Final = frozenset({"msg_too_long", "msg_blocks_too_long"})
_GONE: Final = frozenset(
    {
        "channel_not_found",
        "user_not_found",
        "users_not_found",
        "user_not_visible",
        "user_disabled",
        "is_archived",
        "thread_not_found",
        "file_not_found",
        "file_deleted",
        "cannot_dm_bot",
    }
)
_FORBIDDEN: Final[Mapping[str, str]] = {
    "not_in_channel": "The bot is not in this channel. Invite it there: /invite and its name.",
    "user_not_in_channel": "The person is not in this channel.",
    "messages_tab_disabled": f"Nobody can write to the app in private. Turn on App Home → Messages Tab at {APPS}.",
    "link_disabled": f"Socket Mode is off. Turn it on under Socket Mode at {APPS}, then turn the bot on again.",
    "restricted_action": "The workspace does not let the bot write here.",
    "ekm_access_denied": "The workspace's admins have turned off messages in this channel.",
    "access_denied": "The workspace does not let the bot do this.",
    "cant_update_message": "This message cannot be changed by the bot.",
    "cant_delete_message": "This message cannot be taken away by the bot.",
    "edit_window_closed": "This message is too old to be changed.",
}


BOT_KEY: Final = "the bot's key (xoxb-…)"
APP_KEY: Final = "the app's key (xapp-…)"


def explain(
    status: int, answer: Mapping[str, Any] | None, retry_after: str | None = None, key: str = BOT_KEY
) -> ConchError:
    """The error for an answer that is no success. `answer` is its JSON, or None where it was none; `key` was used."""
    code = answer.get("error") if answer is not None else None
    if status == 429 or code in _LATER:
        return TryLater("Slack takes no more for now.", retry_after=_seconds(retry_after))
    if not isinstance(code, str) or answer is None:
        if status in (502, 504) or status == 500:
            return MaybeDone(f"Slack had trouble ({status}); it may have taken this all the same.")
        return TryLater(f"Something on the way to Slack answered instead of it ({status}).")
    if code in _PERHAPS:
        return MaybeDone(f"Slack had trouble ({code}); it may have taken this all the same.")
    return _refusal(code, answer, key)


def _refusal(code: str, answer: Mapping[str, Any], key: str) -> Refused:
    if code in _KEY:
        return Refused(f"Slack does not accept {key}: {code}.", RefusedReason.AUTH)
    if code == "missing_scope":
        return scope_missing(str(answer.get("needed") or "one that it does not name").split(","))
    if code in _ALREADY:
        return AlreadySo(f"It is so already ({code}).", RefusedReason.BAD_PAYLOAD)
    if code in _MARKUP:
        return MarkupRefused(f"Slack does not take these blocks ({_details(code, answer)}).", RefusedReason.BAD_PAYLOAD)
    if code in _LONG:
        return TooLong(f"Slack does not take so many words there ({code}).", RefusedReason.BAD_PAYLOAD)
    if code == "message_not_found":
        return MessageGone("The message is not there any more.")
    if code in ("message_not_in_streaming_state", "stopped_by_user"):
        return NotStreaming("The message is complete already.", RefusedReason.BAD_PAYLOAD)
    if code in _GONE:
        return Refused(f"Slack does not have this any more ({code}).", RefusedReason.GONE)
    if (words := _forbidden(code)) is not None:
        return Refused(words, RefusedReason.FORBIDDEN)
    return Refused(f"Slack refused this ({_details(code, answer)}).", RefusedReason.BAD_PAYLOAD)


def scope_missing(scopes: list[str]) -> ScopeMissing:
    """The refusal for scopes that a bot lacks, with where they are added."""
    names = ", ".join(scope.strip() for scope in scopes)
    which = f"the scope {names}" if len(scopes) == 1 else f"the scopes {names}"
    return ScopeMissing(
        f"The Slack app lacks {which}. Add it under OAuth & Permissions at {APPS}, install the app again, "
        "then connect it again.",
        RefusedReason.FORBIDDEN,
    )


def _forbidden(code: str) -> str | None:
    return _FORBIDDEN.get("restricted_action" if code.startswith("restricted_action") else code)


def _details(code: str, answer: Mapping[str, Any]) -> str:
    """The code, and what Slack says is wrong with a payload."""
    more = answer.get("response_metadata")
    said = more.get("messages") if isinstance(more, Mapping) else None
    return f"{code}: {'; '.join(map(str, said))[:300]}" if isinstance(said, list) and said else code


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None
