"""A turn that stands in the log, as everybody who has to do with it is told of it."""

from dataclasses import dataclass

from core.conversation_state import ConversationState
from core.engines.base import Engine
from core.skills.skill import Skill
from core.store.queue import QueuedMessage


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn, and the message that it answers.

    `seq` is the seq of its `turn.started`, which is its id; `first_seq` of the first event that opened it. `state` is
    the conversation as it was when `engine` took it: at its opening, or when it took over.
    """

    conversation_id: str
    first_seq: int
    seq: int
    engine: Engine
    model: str | None
    """The one that answers, also where nobody chose it; None where it is not known."""
    state: ConversationState
    message: QueuedMessage
    instead_of: Engine | None = None
    """The engine that could not answer, where this one took over."""
    called: tuple[Skill, ...] = ()
    """The skills that the message asks for by name."""
    skills: tuple[Skill, ...] = ()
    """Those that the assistant may use by itself in this turn."""

    @property
    def for_guest(self) -> bool:
        """Whether somebody is answered who is not let in."""
        return self.message.origin.role == "guest"
