"""What goes on right now: committed events, and the words of an answer while it is written.

Deltas are live only and never stored. Who joins late takes a snapshot of the running message first and goes on from its
length. Listeners are plain functions, called in the order of what happened; they must be quick and must not raise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from core.events import Address, Event

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


@dataclass(frozen=True, slots=True)
class Dropped:
    """The words of a message so far are taken back: no event with them follows."""

    conversation_id: str
    turn_seq: int
    message_id: str


@dataclass(frozen=True, slots=True)
class Folding:
    """What an engine remembers is being folded because somebody asked, or (`goes_on` is False) not any more."""

    conversation_id: str
    address: Address | None
    goes_on: bool


LiveItem = Event | Delta | Written | Dropped | Folding
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
