"""What goes on right now: committed events, and the words of an answer while it is written.

Deltas are live only and never stored. Who joins late takes a snapshot of the running message first and goes on from its
length. Listeners are plain functions, called in the order of what happened; they must be quick and must not raise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from core.events import Event

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Delta:
    """The next words of a message that is being written. `offset` counts the characters before them."""

    conversation_id: str
    turn_seq: int
    message_id: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """A message has all its words; the event with them follows as soon as it is stored."""

    conversation_id: str
    turn_seq: int
    message_id: str


LiveItem = Event | Delta | Written
Listener = Callable[[LiveItem], None]


class LiveFeed:
    """Hands what happens to everyone who listens."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` from now on; the returned function ends it."""
        seat = object()
        self._listeners[seat] = listener

        def leave() -> None:
            self._listeners.pop(seat, None)

        return leave

    def publish_events(self, events: Sequence[Event]) -> None:
        """Committed events, in order."""
        for event in events:
            self.publish(event)

    def publish(self, item: LiveItem) -> None:
        """One thing, to everyone."""
        for listener in tuple(self._listeners.values()):
            try:
                listener(item)
            except Exception:  # noqa: BLE001 - one screen's fault is not another's
                _log.exception("a live listener failed")
