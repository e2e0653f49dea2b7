"""What is only good for a while, in memory: where to answer a slash command, and in which thread somebody wrote.

A slash command that was given where the bot is not can be answered there through its `response_url`, 5 times within 30
minutes, and after a restart no more. Times are of the monotonic clock.
"""

from dataclasses import dataclass
from typing import Final, TypeVar

from channels.slack import limits
from core.clock import Clock

Value = TypeVar("Value")

_REMEMBERED: Final = 2_000


@dataclass(slots=True)
class Response:
    """A `response_url` and what is left of it."""

    url: str
    until: float
    uses: int = limits.RESPONSE_USES


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wrote a message; Slack wants to know when an answer to it is written bit by bit."""

    person_id: str
    team_id: str | None


class Responses:
    """What was heard lately."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._urls: dict[str, Response] = {}
        self._asked: dict[str, Asked] = {}
        self._threaded: dict[str, None] = {}
        self._moved: dict[str, None] = {}

    def heard_slash(self, message_id: str, url: str) -> None:
        """A command can be answered there."""
        _keep(self._urls, message_id, Response(url, self._clock.monotonic() + limits.RESPONSE_SECONDS))

    def to(self, message_id: str | None) -> Response | None:
        """Where a command can still be answered; None where that is over, or nobody knows any more."""
        response = self._urls.get(message_id or "")
        if response is None or response.uses <= 0 or self._clock.monotonic() >= response.until:
            return None
        return response

    def move(self, message_id: str) -> bool:
        """The answers to a command go to the private chat from here on; True the first time."""
        first = message_id not in self._moved
        _keep(self._moved, message_id, None)
        return first

    def is_moved(self, message_id: str) -> bool:
        """Whether the answers to a command go to the private chat."""
        return message_id in self._moved

    def heard(self, ts: str, asked: Asked, *, private: bool, in_thread: bool) -> None:
        """Somebody wrote a message."""
        _keep(self._asked, ts, asked)
        if private and in_thread:
            _keep(self._threaded, asked.person_id, None)
        elif private:
            self._threaded.pop(asked.person_id, None)

    def asked(self, ts: str) -> Asked | None:
        """Who wrote a message."""
        return self._asked.get(ts)

    def writes_in_thread(self, person_id: str) -> bool:
        """Whether a person wrote in a thread of their private chat last."""
        return person_id in self._threaded


def _keep(known: dict[str, Value], name: str, value: Value) -> None:
    """Keep it, and of all only the newest."""
    known.pop(name, None)
    known[name] = value
    if len(known) > _REMEMBERED:
        del known[next(iter(known))]
