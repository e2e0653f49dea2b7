"""How Telegram says no: error codes with Telegram's own words.

Belongs here: every refusal that more than one module words, and the error that carries one. The wording follows the
source of Telegram's Bot API server and of TDLib, which it is built on. What only the pretend Telegram refuses, where
the real one would silently ignore or repair it, begins with "strict:".
"""

from typing import Any

CONFLICT_OTHER_POLL = (
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
CONFLICT_WEBHOOK = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
CONFLICT_SET_WEBHOOK = "Conflict: terminated by setWebhook request"
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current content "
    "and reply markup of the message"
)
PRESS_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


class ApiError(Exception):
    """An answer with `"ok": false`. `code` is also the HTTP status."""

    def __init__(self, code: int, description: str, parameters: dict[str, Any] | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def answer(self) -> dict[str, Any]:
        """The body, as Telegram shapes it."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


def bad_request(words: str) -> ApiError:
    """400 with the words that Telegram puts after "Bad Request: "."""
    return ApiError(400, f"Bad Request: {words}")


def strict(words: str) -> ApiError:
    """400 for what Telegram would let pass, and we do not, so that a slip in the adapter shows."""
    return ApiError(400, f"Bad Request: strict: {words}")


def forbidden(words: str) -> ApiError:
    """403: the bot may not reach that chat."""
    return ApiError(403, f"Forbidden: {words}")


def conflict(description: str) -> ApiError:
    """409: two want the same updates."""
    return ApiError(409, description)


def too_many_requests(seconds: int) -> ApiError:
    """429: wait `seconds`, then try the same again."""
    return ApiError(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})


def unauthorized() -> ApiError:
    """401: no bot has this token."""
    return ApiError(401, "Unauthorized")


def not_found() -> ApiError:
    """404: no such method or file."""
    return ApiError(404, "Not Found")
