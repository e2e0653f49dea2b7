"""A desk for a tool that is run by itself: nobody is there, and what it records can be looked at."""

from core.cards import OfferKind, Question, ReplySuggestion
from core.conversation_state import ConversationState
from core.events import EventData, PermissionResolved, QuestionAnswered
from core.offers.desk import Drop


class SilentDesk:
    attended = False

    def __init__(self) -> None:
        self.recorded: list[EventData] = []

    async def state(self) -> ConversationState:
        return ConversationState()

    async def record(self, *events: EventData) -> None:
        self.recorded += events

    async def ask(self, question: Question) -> QuestionAnswered:
        raise AssertionError("nobody is there to be asked")

    def suggest(self, replies: tuple[ReplySuggestion, ...]) -> None:
        raise AssertionError("a tool of an app suggests nothing")

    async def offer(self, kind: OfferKind, target: str, why: str) -> Drop | None:
        raise AssertionError("a tool of an app offers nothing")

    async def approve(self, plan: str) -> PermissionResolved:
        raise AssertionError("a tool of an app plans nothing")
