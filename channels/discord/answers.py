"""What Discord's refusals mean, in Conch's own errors.

Pure: an answer's status and JSON in, an error out. That no answer came at all is `client`'s to tell. Codes are those of
discord.com/developers/docs/topics/opcodes-and-status-codes.
"""

from collections.abc import Mapping
from typing import Any

from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

PERHAPS_TAKEN = frozenset({408, 500, 502, 504, 524})

THREAD_EXISTS = 160004
UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008
_UNKNOWN_INTERACTION = 10062
_ANSWERED_ALREADY = 40060
_TOKEN_OVER = (10015, 50027)

_GONE: Mapping[int, str] = {
    UNKNOWN_CHANNEL: "This channel is not there any more.",
    10004: "This server is not there any more, or the bot was taken out of it.",
    UNKNOWN_MESSAGE: "This message is not there any more.",
    10013: "There is no such person on Discord.",
    50007: "This person takes no private messages from the bot. They can allow them in the server's privacy settings.",
    50278: "This person takes no private messages from the bot: they share no server with it.",
}

_FORBIDDEN: Mapping[int, str] = {
    50001: "The bot cannot see this channel. Let it view the channel in the channel's permissions.",
    50013: "The bot may not do this here. Let it view the channel, send messages and create threads.",
    50024: "This kind of channel cannot do that.",
    50005: "This is somebody else's message.",
    40067: "The bot may not write in this thread.",
    50083: "This thread is archived, and the bot may not open it again.",
    160005: "This thread is locked.",
}


_NO_INTENTS = (
    "Discord does not tell this bot what is written to it: it refuses the intents Guilds, Guild Messages and Direct "
    "Messages, which every bot needs. Look at Bot, Privileged Gateway Intents, at discord.com/developers/applications; "
    "then turn the bot off and on here."
)
"""The one intent that can be switched off there is never needed; see `channel`."""


class TooLateToAnswer(Refused):
    """The interaction was answered already, or its time is over."""


class MessageGone(Refused):
    """The message is not there any more."""


class ChannelGone(Refused):
    """The channel or thread is not there."""


class ThreadExists(Refused):
    """The message has a thread already."""


class IntentRefused(Refused):
    """Discord does not tell this bot all that was asked for."""


_SPECIAL: Mapping[int, tuple[type[Refused], RefusedReason]] = {
    _UNKNOWN_INTERACTION: (TooLateToAnswer, RefusedReason.GONE),
    _ANSWERED_ALREADY: (TooLateToAnswer, RefusedReason.GONE),
    _TOKEN_OVER[0]: (TooLateToAnswer, RefusedReason.GONE),
    _TOKEN_OVER[1]: (TooLateToAnswer, RefusedReason.GONE),
    UNKNOWN_MESSAGE: (MessageGone, RefusedReason.GONE),
    UNKNOWN_CHANNEL: (ChannelGone, RefusedReason.GONE),
    THREAD_EXISTS: (ThreadExists, RefusedReason.BAD_PAYLOAD),
}
"""Refusals after which the adapter has something better to do than to give up."""


def explain(status: int, answer: Mapping[str, Any] | None, retry_after: float | None = None) -> ConchError:
    """The error for an answer that is no success. `answer` is its JSON, or None where it was none.

    `retry_after` is in seconds, from the header; the JSON's own is finer.
    """
    if status == 429 or status == 503:
        seconds = answer.get("retry_after") if answer else None
        wait = float(seconds) if isinstance(seconds, int | float) and seconds >= 0 else retry_after
        return TryLater("Discord takes no more for now.", retry_after=wait)
    if status in PERHAPS_TAKEN or status >= 500:
        return MaybeDone(f"Discord had trouble ({status}); it may have taken this all the same.")
    if answer is None or "message" not in answer:
        return TryLater(f"Something on the way to Discord answered instead of it ({status}).")
    code = answer.get("code")
    if status == 401 or code == 40001:
        return Refused("Discord does not accept this bot's key.", RefusedReason.AUTH)
    return _refusal(status, code if isinstance(code, int) else 0, _words_of(answer))


def explain_close(code: int) -> ConchError:
    """The error for the number with which Discord closed the gateway's connection."""
    if code == 4004:
        return Refused("Discord does not accept this bot's key.", RefusedReason.AUTH)
    if code in (4013, 4014):
        return IntentRefused(_NO_INTENTS, RefusedReason.FORBIDDEN)
    if code == 4011:
        words = "This bot is in too many servers for one connection."
        return Refused(words, RefusedReason.FORBIDDEN)
    return TryLater(f"Discord closed the connection ({code}).")


def _refusal(status: int, code: int, said: str) -> Refused:
    if code in _SPECIAL:
        kind, reason = _SPECIAL[code]
        return kind(_GONE.get(code, f"Discord refused this: {said}"), reason)
    if code in _GONE:
        return Refused(_GONE[code], RefusedReason.GONE)
    if code in _FORBIDDEN:
        return Refused(_FORBIDDEN[code], RefusedReason.FORBIDDEN)
    message = f"Discord refused this: {said}"
    if status == 403:
        return Refused(message, RefusedReason.FORBIDDEN)
    return Refused(message, RefusedReason.GONE if status == 404 else RefusedReason.BAD_PAYLOAD)


def _words_of(answer: Mapping[str, Any]) -> str:
    """Discord's words, and of a malformed call the first thing that is wrong with it."""
    said = answer.get("message")
    words = said if isinstance(said, str) and said else "no reason given"
    first = _first_fault(answer.get("errors"))
    return f"{words} ({first})" if first else words


def _first_fault(errors: object, depth: int = 8) -> str:
    """Faults lie below the names of the fields, as deep as the field does."""
    if not isinstance(errors, dict) or depth == 0:
        return ""
    found = errors.get("_errors")
    if isinstance(found, list) and found and isinstance(found[0], dict):
        return str(found[0].get("message") or "")
    for name, inner in errors.items():
        if fault := _first_fault(inner, depth - 1):
            return f"{name}: {fault}" if not fault.startswith("0") else fault
    return ""
