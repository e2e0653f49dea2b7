"""The published list of Slack's methods as a judge: names of parameters, what is required, words of refusal.

Belongs here: reading `slack_methods.json`. It is used in tests only; what Slack refuses is in the methods.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE_NAME = "slack_methods.json"

ANY_METHOD = frozenset(
    {
        "access_denied",
        "account_inactive",
        "fatal_error",
        "internal_error",
        "invalid_arguments",
        "invalid_auth",
        "missing_scope",
        "not_allowed_token_type",
        "not_authed",
        "ratelimited",
        "token_revoked",
    }
)
"""Refusals that every method has, which the list does not repeat."""


class SchemaCheck:
    """Each method returns what is wrong; empty is right.

    Raises:
        OSError: no file there.
    """

    def __init__(self, path: Path) -> None:
        described = json.loads(path.read_text(encoding="utf-8"))
        self._methods: dict[str, Any] = {name: m for name, m in described.items() if isinstance(m, Mapping)}

    def parameters(self) -> dict[str, set[str]]:
        """What each method takes besides the token, by the method's name."""
        return {name: set(m["args"]["properties"]) - {"token"} for name, m in self._methods.items()}

    def tier(self, method: str) -> int | None:
        """How often a method may be called, as a number from 1 to 5."""
        tier: str | None = self._methods[method].get("rate_limits")
        return int(tier.removeprefix("t")) if tier is not None else None

    def request(self, method: str, values: Mapping[str, Any]) -> list[str]:
        """A call with its values read."""
        described = self._methods.get(method)
        if described is None:
            return [f"{method}: no such method"]
        known, wanted = described["args"]["properties"], described["args"].get("required") or []
        found = [f"{method}: no parameter {name}" for name in values if name not in known]
        return found + [f"{method}: {name} is missing" for name in wanted if self._misses(name, values)]

    def refusal(self, method: str, error: str) -> list[str]:
        """A word with which a call was refused."""
        described = self._methods.get(method)
        known = (described or {}).get("errors") or {}
        return [] if error in known or error in ANY_METHOD else [f"{method}: never refused with {error}"]

    def _misses(self, name: str, values: Mapping[str, Any]) -> bool:
        """Whether it is missing; `chunks` may stand for `markdown_text`, although the list wants that one."""
        if name == "token" or name in values:
            return False
        return not (name == "markdown_text" and "chunks" in values)
