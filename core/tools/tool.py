"""The contract of a host tool, and what a tool may do for the turn that it is called in."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.cards import OfferKind, Question, ReplySuggestion
from core.conversation_state import ConversationState
from core.engines.base import HostTool, ToolAnswer
from core.events import EventData, PermissionResolved, QuestionAnswered
from core.offers.desk import Drop
from core.safety.permissions import ToolKind


class Desk(Protocol):
    """One turn's dealings with its people and its log."""

    @property
    def attended(self) -> bool:
        """Whether somebody is there to press."""
        ...

    async def state(self) -> ConversationState:
        """The conversation as it is now."""
        ...

    async def record(self, *events: EventData) -> None:
        """Write into the log."""
        ...

    async def ask(self, question: Question) -> QuestionAnswered:
        """Put a question and wait; one at a time, so a second one waits until the first is answered."""
        ...

    def suggest(self, replies: tuple[ReplySuggestion, ...]) -> None:
        """Have these stand under the answer when the turn ends well; they take the place of earlier ones."""
        ...

    async def offer(self, kind: OfferKind, target: str, why: str) -> Drop | None:
        """Show an offer under the reply; else why not."""
        ...

    async def approve(self, plan: str) -> PermissionResolved:
        """Put a plan and wait for Start (`allow`), which takes the chat out of plan mode."""
        ...


class Tool(Protocol):
    """Something that the core does when an engine calls it. Whether the call may run was decided before."""

    @property
    def spec(self) -> HostTool:
        """How an engine is told of it."""
        ...

    @property
    def kind(self) -> ToolKind:
        """What a call does at most."""
        ...

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        """Do it; what is wrong with the arguments is said to the model, with what to fix."""
        ...
