"""Waiting for people: what the assistant asks of them stands in the log, and its turn goes on once they replied.

    (asked) ──a reply──▶ answered, allowed, denied
       ├──its time is over──▶ skipped, expired
       ├──the turn ends (stop, error)──▶ skipped, expired
       └──the program ends──▶ skipped, expired, by the next start (`core.projections.closing_events`)

The first reply wins, by the look at the log that `core.replying` takes in the transaction. A reply that this process
wrote is heard at once; one of another process on the same database is found by a slow look, which goes on only while
something waits. What may be asked and who is asked are decided elsewhere.
"""

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal

from core.checkpoints import Checkpoint, Checkpoints
from core.clock import Clock
from core.errors import StoreUnavailable
from core.events import (
    Event,
    EventData,
    PermissionRequested,
    PermissionResolved,
    QuestionAnswered,
    QuestionAsked,
    UserMessage,
)
from core.live import LiveFeed, LiveItem
from core.outcomes import Answered, Resolved
from core.patience import patiently, until_stored
from core.preferences import Preferences
from core.projections import taint_of
from core.replying import AnswerQuestion, ResolvePermission, answer_to, waiting_permission
from core.store.database import Database
from core.store.log import Append, Decide, EventLog
from core.store.queue import QueuedMessage

ATTENDED_WAIT: Final = timedelta(hours=24)
"""How long a question or a permission waits where somebody is there."""
UNATTENDED_WAIT: Final = timedelta(hours=1)

LOOK: Final = 2.0
"""Seconds between looks for a reply that another process wrote …"""
SLOWEST_LOOK: Final = 60.0
"""… but the longer it waits, the fewer: who let something wait for hours does not count the seconds."""
_SHARE: Final = 0.01

_REMEMBERED: Final = 200
"""Replies of a conversation among which an earlier one is looked for."""

NOT_WAITING: Final = "That question is not open any more."

Reply = QuestionAnswered | PermissionResolved


@dataclass(frozen=True, slots=True)
class _Asked:
    """What waits: its id, and the reply that nobody gave."""

    id: str
    request: QuestionAsked | PermissionRequested
    unanswered: Reply
    checkpoint: Checkpoint


class Asking:
    """Everything that waits for a person in the turns of this process, and the doors for replies."""

    def __init__(
        self, *, database: Database, feed: LiveFeed, preferences: Preferences, clock: Clock, checkpoints: Checkpoints
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._preferences = preferences
        self._clock = clock
        self._checkpoints = checkpoints
        self._waiting: dict[tuple[str, str], asyncio.Future[Reply]] = {}
        feed.listen(self._hear)

    def waits_in(self, conversation_id: str) -> bool:
        """Whether a turn of this process waits there for a person."""
        return any(conversation == conversation_id for conversation, _ in self._waiting)

    # ---- the turn's side -------------------------------------------------------------------------------------------

    async def question(self, conversation_id: str, asked: QuestionAsked) -> QuestionAnswered:
        """Put a question and come back with what became of it: at most a day later.

        One at a time per conversation: that is the caller's to see to. Whoever is cancelled meanwhile comes back once
        it is skipped in the log.
        """
        question_id = asked.question.question_id
        unanswered = QuestionAnswered(question_id=question_id)
        what = _Asked(question_id, asked, unanswered, Checkpoint.QUESTION_WAITING)
        reply = await self._ask(conversation_id, what, ATTENDED_WAIT)
        return reply if isinstance(reply, QuestionAnswered) else unanswered

    async def permission(
        self, conversation_id: str, requested: PermissionRequested, *, attended: bool = True
    ) -> PermissionResolved:
        """Ask whether a tool call may run, and come back with the decision: at most a day later, unattended an hour."""
        expired = PermissionResolved(permission_id=requested.permission_id, decision="expired")
        what = _Asked(requested.permission_id, requested, expired, Checkpoint.PERMISSION_WAITING)
        reply = await self._ask(conversation_id, what, ATTENDED_WAIT if attended else UNATTENDED_WAIT)
        return reply if isinstance(reply, PermissionResolved) else expired

    async def _ask(self, conversation_id: str, asked: _Asked, within: timedelta) -> Reply:
        key = (conversation_id, asked.id)
        reply = self._waiting[key] = asyncio.get_running_loop().create_future()
        look = asyncio.create_task(self._look(conversation_id, asked, within, reply), name="look for a reply")
        try:
            return await asyncio.shield(reply)
        except asyncio.CancelledError:
            look.cancel()  # first, so that nothing is asked after it was taken back
            with suppress(StoreUnavailable):  # then the turn's own end closes it
                await self._database.commit_one(Decide(conversation_id, self._decision(asked.unanswered)))
            raise
        finally:
            look.cancel()
            del self._waiting[key]

    async def _look(self, conversation_id: str, asked: _Asked, within: timedelta, reply: asyncio.Future[Reply]) -> None:
        """Write down what is asked, and look now and then what became of it."""
        try:
            await until_stored(self._database, self._clock, Append(conversation_id, (asked.request,)))
            await self._checkpoints.reach(asked.checkpoint)
            began = self._clock.monotonic()
            while not reply.done():
                waited = self._clock.monotonic() - began
                if waited >= within.total_seconds():
                    over = Decide(conversation_id, self._decision(_out_of_time(asked.unanswered)))
                    await until_stored(self._database, self._clock, over)
                else:
                    pause = min(SLOWEST_LOOK, max(LOOK, waited * _SHARE))
                    await self._clock.sleep(min(pause, within.total_seconds() - waited))
                found = await patiently(lambda: self._reply(conversation_id, asked), self._clock)
                if found is not None and not reply.done():
                    reply.set_result(found)
        except Exception as fault:  # noqa: BLE001 - it is the asker's, who waits for nothing else
            if not reply.done():
                reply.set_exception(fault)

    async def _reply(self, conversation_id: str, asked: _Asked) -> Reply | None:
        """What became of it by the log; None while it waits."""
        state = await self._log.state(conversation_id)
        question = state.waiting_question
        if waiting_permission(state, asked.id) or (question and question.question.question_id == asked.id):
            return None
        return await self._earlier(conversation_id, asked.unanswered) or asked.unanswered

    def _hear(self, item: LiveItem) -> None:
        if isinstance(item, Event) and isinstance(item.data, QuestionAnswered | PermissionResolved):
            reply = self._waiting.get((item.conversation_id, _id_of(item.data)))
            if reply is not None and not reply.done():
                reply.set_result(item.data)

    # ---- the people's side -----------------------------------------------------------------------------------------

    async def answer(
        self,
        conversation_id: str,
        question_id: str,
        answer: Mapping[str, Any] | str | None,
        by: str,
        message: QueuedMessage | None = None,
    ) -> Answered:
        """See `core.conversations.Conversations.answer_question`."""
        state = await self._log.state(conversation_id)
        answered = answer_to(state, question_id, answer, by)
        if isinstance(answered, str):
            return Answered("invalid", answered)
        said = None if message is None else _as_said(message)
        taint = taint_of(state, message.words_of or by) if message and message.others_words else None
        client_id = message.client_ids[0] if message and message.client_ids else None
        decision = AnswerQuestion(answered, said, taint)
        decided = await self._database.commit_one(Decide(conversation_id, decision, client_id, spares_id=True))
        if decided.events or decided.again:
            return Answered("answered", answered.words)
        earlier = await self._earlier(conversation_id, answered)
        return Answered("not-found", NOT_WAITING, earlier if isinstance(earlier, QuestionAnswered) else None)

    async def resolve(
        self, conversation_id: str, permission_id: str, decision: Literal["allow", "allow-always", "deny"], by: str
    ) -> Resolved:
        """See `core.conversations.Conversations.resolve_permission`."""
        resolved = PermissionResolved(permission_id=permission_id, decision=decision, by=by)
        decided = await self._database.commit_one(Decide(conversation_id, self._decision(resolved)))
        if decided.events:
            return Resolved("resolved")
        earlier = await self._earlier(conversation_id, resolved)
        return Resolved("not-found", earlier if isinstance(earlier, PermissionResolved) else None)

    def _decision(self, reply: Reply) -> AnswerQuestion | ResolvePermission:
        if isinstance(reply, QuestionAnswered):
            return AnswerQuestion(reply)
        return ResolvePermission(reply, self._preferences.current.default_mode)

    async def _earlier(self, conversation_id: str, reply: Reply) -> Reply | None:
        """The reply that came first, where it is among the newest."""
        for event in await self._log.newest(conversation_id, reply.type, _REMEMBERED):
            data: EventData = event.data
            if isinstance(data, QuestionAnswered | PermissionResolved) and _id_of(data) == _id_of(reply):
                return data
        return None


def _id_of(reply: Reply) -> str:
    return reply.question_id if isinstance(reply, QuestionAnswered) else reply.permission_id


def _out_of_time(unanswered: Reply) -> Reply:
    return unanswered.model_copy(update={"expired": True}) if isinstance(unanswered, QuestionAnswered) else unanswered


def _as_said(message: QueuedMessage) -> UserMessage:
    return UserMessage(
        message_id=uuid.uuid4().hex,
        text=message.text,
        origin=message.origin,
        attachments=message.attachments,
        client_id=message.client_ids[0] if message.client_ids else None,
        others_words=message.others_words,
    )
