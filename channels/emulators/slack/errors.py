"""How the Web API refuses: HTTP 200 with `ok: false` and a word, sometimes with what is wrong where.

Belongs here: the error and its JSON. Which call is refused with which word belongs to the methods.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class ApiError(Exception):
    """A refusal. `code` is Slack's word, `messages` explain it, `more` are further fields of the answer."""

    def __init__(self, code: str, messages: Sequence[str] = (), **more: Any) -> None:  # noqa: ANN401 JSON is anything
        super().__init__(code)
        self.code = code
        self.messages = tuple(messages)
        self.more = more

    def answer(self) -> Mapping[str, Any]:
        """The body of the answer."""
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.more}
        if self.messages:
            body["response_metadata"] = {"messages": [f"[ERROR] {words}" for words in self.messages]}
        return body


def invalid_arguments(*messages: str) -> ApiError:
    """Something is missing, or of the wrong kind."""
    return ApiError("invalid_arguments", messages)


def strict(words: str) -> ApiError:
    """What the real Slack would ignore or repair, and what is a mistake all the same."""
    return ApiError("invalid_arguments", [f"strict: {words}"])
