"""Conversations: which there are, beginning one, saying something, stopping, forgetting, trying again."""

import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import Query

from core.conversation_state import ConversationState
from core.decisions import Clear, RestoreContext
from core.events import Status
from core.outcomes import SendOutcome, Sent
from core.store.log import ConversationSummary
from core.store.queue import QueuedMessage
from web.api import schemas, views
from web.api.choosing import Choosing, expect_plan
from web.api.document import Section, refusals
from web.api.parts import By, Parts, Unmet
from web.callers import Caller

_BEGUN: Final = uuid.UUID("6f1d0f2e-8f64-4c0f-9f7a-52f2f6b0c1a7")
"""The namespace of conversations begun through the API: the same first message again begins the same one."""

Limit = Annotated[int, Query(ge=1, le=100, description="How many at most")]
Cursor = Annotated[str | None, Query(max_length=400, description="`next` of the page before")]


class ConversationRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._conversations = parts.conversations
        self._choosing = Choosing(parts.engines, parts.catalogue)

    def add_to(self, api: Section) -> None:
        """Register them."""
        every, there, quiet = refusals(), refusals(404), refusals(404, 409)
        route, one = api.add_api_route, "/conversations/{conversation_id}"
        route("/conversations", self.list_conversations, responses=every, summary="List conversations")
        route(
            "/conversations",
            self.start_conversation,
            methods=["POST"],
            status_code=202,
            responses=refusals(409),
            summary="Begin a conversation with its first message",
        )
        route(one, self.get_conversation, responses=there, summary="A conversation as it is now")
        route(
            f"{one}/messages",
            self.send_message,
            methods=["POST"],
            status_code=202,
            responses=quiet,
            summary="Say something",
        )
        route(f"{one}/stop", self.stop, methods=["POST"], responses=there, summary="Stop the answer and what waits")
        route(f"{one}/clear", self.clear, methods=["POST"], responses=quiet, summary="Forget what was said")
        route(
            f"{one}/restore_context",
            self.restore_context,
            methods=["POST"],
            responses=there,
            summary="Take the newest clear back",
        )
        route(f"{one}/compact", self.compact, methods=["POST"], responses=quiet, summary="Sum up what is remembered")
        route(
            f"{one}/retry",
            self.retry,
            methods=["POST"],
            status_code=202,
            responses=quiet,
            summary="Have the newest message answered again",
        )

    async def list_conversations(self, limit: Limit = 50, after: Cursor = None) -> schemas.ConversationsPage:
        """Of every channel, the one that changed last first."""
        found = await self._parts.log.page(limit + 1, None if after is None else _place(after))
        page = found[:limit]
        following = _cursor(page[-1]) if len(found) > limit else None
        return schemas.ConversationsPage(conversations=tuple(map(views.conversation, page)), next=following)

    async def start_conversation(self, message: schemas.FirstMessage, by: By) -> schemas.SentView:
        """The answer is in the events, and comes word by word in the stream."""
        client_id = message.client_id or uuid.uuid4().hex
        conversation_id = uuid.uuid5(_BEGUN, f"{by.id}:{client_id}").hex
        options = None
        if message.options is not None:
            options = await self._choosing.change(message.options, ConversationState())
        if message.plan:
            expect_plan(self._parts.engines.for_chat(options.engine if options else None))
        first = _queued(message, client_id, by)
        first = first.model_copy(update={"goal": message.goal, "plan": message.plan, "options": options})
        return _sent(conversation_id, client_id, await self._conversations.send(conversation_id, first))

    async def get_conversation(self, conversation_id: str) -> schemas.OverviewView:
        """What a screen needs to begin with."""
        now = await self._conversations.overview(conversation_id)
        model = self._conversations.model_for(now.state)
        return views.overview(conversation_id, now, model, self._parts.preferences.current.default_mode)

    async def send_message(self, conversation_id: str, message: schemas.Message, by: By) -> schemas.SentView:
        """While an answer is being given, the message waits and goes next. Its answer is told here, not in an app."""
        await self._conversations.overview(conversation_id)  # there is such a conversation
        client_id = message.client_id or uuid.uuid4().hex
        sent = await self._conversations.send(conversation_id, _queued(message, client_id, by))
        return _sent(conversation_id, client_id, sent)

    async def stop(self, conversation_id: str) -> schemas.StoppedView:
        """Comes back when it has ended, in a few seconds at most."""
        await self._conversations.overview(conversation_id)
        stopped = await self._conversations.stop(conversation_id)
        return schemas.StoppedView(turn=stopped.turn, waiting=stopped.waiting)

    async def clear(self, conversation_id: str) -> schemas.ClearedView:
        """Nothing is deleted. Goal, options and what came from outside stay. Not while something goes on."""
        decided = await self._conversations.decide(conversation_id, Clear())
        outcome: Literal["cleared", "nothing"] = "cleared" if decided.events else "nothing"
        return schemas.ClearedView(outcome=outcome, seq=decided.after.undoable_clear)

    async def restore_context(self, conversation_id: str, clearing: schemas.Clearing) -> schemas.RestoredView:
        """Only as long as nothing was said since; several clears are taken back one at a time."""
        decided = await self._conversations.decide(conversation_id, RestoreContext(clearing.cleared_seq))
        return schemas.RestoredView(outcome="restored" if decided.events else "nothing")

    async def compact(self, conversation_id: str, folding: schemas.Folding, by: By) -> schemas.FoldingView:
        """Comes back when it has begun; what comes of it is in the events. Not while something goes on."""
        outcome = await self._conversations.compact(conversation_id, folding.focus, by.origin)
        return schemas.FoldingView(outcome=outcome.value)

    async def retry(self, conversation_id: str, again: schemas.Again, by: By) -> schemas.SentView:
        """As a new message, with its files. Not while something goes on."""
        client_id = again.client_id or uuid.uuid4().hex
        sent = await self._conversations.retry(conversation_id, by.origin, client_id, of_turn=again.of_turn)
        if sent is None:
            raise Unmet(409, "nothing-to-retry")
        return _sent(conversation_id, client_id, sent)


def _queued(message: schemas.Message, client_id: str, by: Caller) -> QueuedMessage:
    return QueuedMessage(text=message.text, origin=by.origin, client_ids=(client_id,))


def _sent(conversation_id: str, client_id: str, sent: Sent) -> schemas.SentView:
    outcome = sent.outcome
    if outcome is SendOutcome.FULL:
        raise Unmet(409, "queue-full", f"{sent.waiting} messages wait already, so this one was not kept. Try later.")
    return schemas.SentView(
        conversation_id=conversation_id, client_id=client_id, outcome=outcome.value, waiting=sent.waiting
    )


# ---- pages -----------------------------------------------------------------------------------------------------------


def _cursor(last: ConversationSummary) -> str:
    return urlsafe_b64encode(f"{last.updated_at.isoformat()} {last.id}".encode()).decode()


def _place(cursor: str) -> ConversationSummary:
    """Where a page begins; of the conversation only that matters which the order is made of."""
    try:
        moment, _, conversation_id = urlsafe_b64decode(cursor).decode("ascii").partition(" ")
        at = datetime.fromisoformat(moment)
        if at.tzinfo is None or not conversation_id.isprintable():
            raise ValueError("no place")
    except ValueError:
        raise Unmet(422, "invalid", "“after” is no “next” of a page before.") from None
    return ConversationSummary(conversation_id, None, Status.IDLE, 0, at, at)
