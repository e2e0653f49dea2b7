"""Who is there while a turn runs, by the message that it answers. Pure."""

from dataclasses import dataclass

from core.events import Trigger
from core.store.queue import QueuedMessage


@dataclass(frozen=True, slots=True)
class Attendance:
    """Whose turn it is, and whether somebody can press a button in it."""

    guest: bool
    """Somebody in a group who is not let in."""
    attended: bool
    """Somebody can be asked: at the console, through the API, or a let-in person, in a group through their own chat."""
    owners: bool
    """The owner's own turn."""
    own_words: bool
    """The owner is there, and what is answered are their own words and nobody else's."""


def attendance(message: QueuedMessage) -> Attendance:
    """Who is there for the turn that answers this message."""
    origin = message.origin
    guest = origin.role == "guest"
    reachable = origin.kind in ("console", "api") or (origin.kind == "channel" and origin.role in ("owner", "let-in"))
    scheduled = origin.kind == "routine" or message.trigger in (Trigger.ROUTINE, Trigger.BACKGROUND)
    attended = reachable and not scheduled and not guest
    owners = not guest and (origin.kind in ("console", "api", "routine") or origin.role == "owner")
    # A program's words through the API may be anybody's.
    own = attended and owners and origin.kind != "api" and not message.others_words
    return Attendance(guest, attended, owners, own)
