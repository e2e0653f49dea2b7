"""How Discord says no: HTTP status, its own code, its own words, and for a bad form where the mistake is.

Belongs here: every refusal that more than one module words, and the error that carries one. Codes and wording are those
of Discord's documentation ("Opcodes and Status Codes", "Error Messages").
"""

from typing import Any


class ApiError(Exception):
    """An answer that refuses. `extra` is put beside code and message."""

    def __init__(self, status: int, code: int, message: str, extra: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.extra = extra or {}

    def answer(self) -> dict[str, Any]:
        """The body, as Discord shapes it."""
        body = {"message": self.message, **self.extra}
        return body if self.status == 429 else {**body, "code": self.code}


class FormErrors:
    """Mistakes in a form, each at its place (`components.0.components.1.label`), told all at once."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}

    def add(self, path: str, code: str, message: str) -> None:
        """One mistake; the empty path is the form itself."""
        node = self._tree
        for part in path.split(".") if path else []:
            node = node.setdefault(part, {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def required(self, path: str) -> None:
        """Something is missing."""
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required")

    def length(self, path: str, value: object, most: int, least: int = 0) -> None:
        """Text must have between `least` and `most` characters; anything but text is no text."""
        if not isinstance(value, str):
            self.add(path, "STRING_TYPE_CONVERT", "Could not interpret value as string.")
        elif len(value) > most:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
        elif len(value) < least:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def count(self, path: str, found: int, most: int, least: int = 0) -> None:
        """A list must have between `least` and `most` entries."""
        if not least <= found <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def raise_if_any(self) -> None:
        """Refuse the form if anything was found.

        Raises:
            ApiError: 400 with code 50035.
        """
        if self._tree:
            raise ApiError(400, 50035, "Invalid Form Body", {"errors": self._tree})


def unauthorized() -> ApiError:
    """401: no bot has this token."""
    return ApiError(401, 0, "401: Unauthorized")


def not_found() -> ApiError:
    """404: no such address."""
    return ApiError(404, 0, "404: Not Found")


def unknown(what: str) -> ApiError:
    """404: there is no such thing, or the bot may not know of it."""
    codes = {
        "Channel": 10003,
        "Guild": 10004,
        "Message": 10008,
        "User": 10013,
        "Emoji": 10014,
        "Webhook": 10015,
        "interaction": 10062,
        "application command": 10063,
    }
    return ApiError(404, codes[what], f"Unknown {what}")


def missing_access() -> ApiError:
    """403: the bot cannot see that."""
    return ApiError(403, 50001, "Missing Access")


def missing_permissions() -> ApiError:
    """403: the bot sees it and may not do that there."""
    return ApiError(403, 50013, "Missing Permissions")


def closed_to_bots() -> ApiError:
    """403: the person takes no private messages of this bot."""
    return ApiError(403, 50007, "Cannot send messages to this user")


def not_the_author() -> ApiError:
    """403: only who wrote a message edits it."""
    return ApiError(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> ApiError:
    """400: there is nothing in it."""
    return ApiError(400, 50006, "Cannot send an empty message")


def already_acknowledged() -> ApiError:
    """400: an interaction is answered once."""
    return ApiError(400, 40060, "Interaction has already been acknowledged.")


def thread_exists() -> ApiError:
    """400: a message has one thread."""
    return ApiError(400, 160004, "A thread has already been created for this message")


def thread_archived() -> ApiError:
    """400: nothing is said in a thread that sleeps."""
    return ApiError(400, 50083, "Thread is archived")


def wrong_token() -> ApiError:
    """401: the token of an interaction is over after 15 minutes."""
    return ApiError(401, 50027, "Invalid Webhook Token")


def too_large() -> ApiError:
    """413: a file or a request over the limit."""
    return ApiError(413, 40005, "Request entity too large")


def too_many_requests(seconds: float, *, everywhere: bool) -> ApiError:
    """429: wait `seconds`, then try the same again."""
    return ApiError(429, 0, "You are being rate limited.", {"retry_after": seconds, "global": everywhere})
