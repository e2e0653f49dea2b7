"""One thing on its way to an app, and the order in which things happened on the wire.

Belongs here: the record that both ways of delivery share.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.slack.people import Bot

EVENTS, SLASH, INTERACTIVE = "events_api", "slash_commands", "interactive"


class Order:
    """Numbers what happens on the wire, calls, envelopes and acknowledgements alike."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def next(self) -> int:
        """The next number."""
        return next(self._numbers)


class NotTaken(Exception):
    """The app did not acknowledge. `reason` in Slack's words; `final`: it asked not to be tried again."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final


@dataclass(eq=False, slots=True)
class Envelope:
    """An attempt to deliver. Times are monotonic; `…_order` counts together with calls (`CallRecord.order`)."""

    id: str
    bot: Bot
    kind: str
    payload: Mapping[str, Any]
    attempt: int = 0
    reason: str = ""
    """Why it is an attempt again."""
    accepts: bool = False
    """Whether the acknowledgement may carry an answer."""
    sent_at: float = 0.0
    sent_order: int = 0
    acked_at: float | None = None
    acked_order: int | None = None
    answer: Mapping[str, Any] | None = None

    @property
    def acked(self) -> bool:
        """Whether the app has acknowledged it."""
        return self.acked_at is not None

    def to_json(self) -> dict[str, Any]:
        """As Socket Mode sends it."""
        json: dict[str, Any] = {
            "envelope_id": self.id,
            "type": self.kind,
            "accepts_response_payload": self.accepts,
            "payload": self.payload,
        }
        if self.kind == EVENTS:
            json |= {"retry_attempt": self.attempt, "retry_reason": self.reason}
        return json
