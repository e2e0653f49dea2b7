"""One turn's dealings with its people: what it asks goes into the log, and what comes back goes to the engine.

Whether a call has to be asked about is decided in `core.host`; the waiting itself is `core.asking`'s.
"""

import asyncio
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from core.asking import Asking
from core.attendance import Attendance, attendance
from core.cards import OfferKind, Question, ReplySuggestion
from core.clock import Clock
from core.conversation_state import ConversationState
from core.engines.base import EXIT_PLAN_MODE
from core.events import EventData, Notice, PermissionRequested, PermissionResolved, QuestionAnswered, QuestionAsked
from core.offers.desk import Drop, OfferDesk
from core.patience import patiently, until_stored
from core.replies import Suggested
from core.safety.permissions import Ask
from core.safety.summaries import summary
from core.store.database import Database
from core.store.log import Append, Decide, EventLog
from core.turn import Opened

START_THIS: Final = "Start this plan?"
OWNER_ASKED: Final = "That is for the owner to allow, so I asked them. I go on as soon as they answer."


class TurnDesk:
    """The desk of one turn (`core.tools.tool.Desk`)."""

    def __init__(
        self,
        opened: Opened,
        asking: Asking,
        offers: OfferDesk,
        database: Database,
        clock: Clock,
        suggested: Suggested | None = None,
    ) -> None:
        self._opened = opened
        self._offers = offers
        self._conversation_id = opened.conversation_id
        self._asking = asking
        self._database = database
        self._log = EventLog(database)
        self._clock = clock
        self._one_question = asyncio.Lock()
        self._suggested = suggested or Suggested()
        self.here: Attendance = attendance(opened.message)

    @property
    def attended(self) -> bool:
        """Whether somebody is there to press."""
        return self.here.attended

    async def state(self) -> ConversationState:
        """The conversation as it is now."""
        return await patiently(partial(self._log.state, self._conversation_id), self._clock)

    async def record(self, *events: EventData) -> None:
        """Write into the log."""
        await until_stored(self._database, self._clock, Append(self._conversation_id, events))

    async def ask(self, question: Question) -> QuestionAnswered:
        """Put a question under an id of our own: an engine's may come again in its next turn."""
        own = question.model_copy(update={"question_id": uuid.uuid4().hex})
        async with self._one_question:
            return await self._asking.question(self._conversation_id, QuestionAsked(question=own))

    def suggest(self, replies: tuple[ReplySuggestion, ...]) -> None:
        """Keep them until the turn ends."""
        self._suggested.replies = replies

    async def offer(self, kind: OfferKind, target: str, why: str) -> Drop | None:
        """Show an offer, if the desk for them lets it: looked at in the transaction that writes it."""
        show = self._offers.wish(self._opened, kind, target, why)
        decided = await until_stored(self._database, self._clock, Decide(self._conversation_id, show))
        return None if decided[0].events else show.dropped(decided[0].before)

    async def approve(self, plan: str) -> PermissionResolved:
        """Put a plan."""
        requested = PermissionRequested(
            permission_id=uuid.uuid4().hex,
            tool_name=EXIT_PLAN_MODE,
            input={"plan": plan},
            summary=START_THIS,
            once=True,
        )
        return await self._asking.permission(self._conversation_id, requested)

    async def permission(self, title: str, args: Mapping[str, Any], ask: Ask) -> PermissionResolved:
        """Ask whether a call may run. What the chat took in makes it the owner's to decide, whoever's chat it is."""
        asks_owner = ask.reason is not None and not self.here.owners
        requested = PermissionRequested(
            permission_id=uuid.uuid4().hex,
            tool_name=title,
            input=dict(args),
            summary=summary(title, args),
            reason=ask.reason,
            once=ask.once,
            asks_owner=asks_owner,
        )
        if asks_owner:
            await self.record(Notice(code="owner-asked", message=OWNER_ASKED))
        return await self._asking.permission(self._conversation_id, requested, attended=self.here.attended)
