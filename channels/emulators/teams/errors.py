"""Refusals of the Connector and of the sign-in, in their own shapes.

Belongs here: codes, statuses and words. When one is given belongs to who refuses.
"""

from collections.abc import Mapping
from typing import Any

REFUSALS: Mapping[str, tuple[int, str]] = {
    "ActivityNotFoundInConversation": (404, "Activity not found."),
    "BadArgument": (400, "Bad argument."),
    "BadSyntax": (400, "Bad syntax."),
    "BotNotInConversationRoster": (403, "The bot is not part of the conversation roster."),
    "ContentStreamNotAllowed": (403, "Content stream is not allowed."),
    "ContentStreamSequenceOrderPreConditionFailed": (412, "Bad sequence order."),
    "ConversationBlockedByUser": (403, "User blocked the conversation with the bot."),
    "ConversationNotFound": (404, "Conversation not found."),
    "MessageSizeTooBig": (413, "Message size too large."),
    "PreconditionFailed": (412, "Precondition failed, please try again."),
    "ServiceError": (502, "Bad gateway."),
    "ServiceUnavailable": (503, "Service unavailable."),
    "Throttled": (429, "Too many requests."),
    "Timeout": (504, "Gateway timeout."),
}
"""Status and words by the code; of bots/how-to/conversations/send-proactive-messages and bots/streaming-ux."""


class ApiError(Exception):
    """The Connector refuses. `code` is one of `REFUSALS`."""

    def __init__(self, code: str, words: str = "") -> None:
        self.status, usual = REFUSALS[code]
        self.code = code
        super().__init__(words or usual)

    def answer(self) -> dict[str, Any]:
        """The body."""
        return {"error": {"code": self.code, "message": str(self)}}


def strict(words: str) -> ApiError:
    """What the real Teams would let pass or drop, and what is a mistake all the same."""
    return ApiError("BadSyntax", f"strict: {words}")
