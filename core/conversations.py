"""The one door to conversations, for every chat app, the console and the API.

At most one turn runs per conversation; what is sent meanwhile waits in a durable queue and goes next. Nothing here
knows a chat app. What goes on from one turn to the next is in `core.workers`, how a turn runs in `core.turns`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from core import problems
from core.activities import Activities, Activity
from core.asking import Asking
from core.checkpoints import Checkpoint, Checkpoints
from core.chosen import Chosen
from core.clock import Clock
from core.compacting import Compaction, Compactions
from core.decisions import Clear, Decision
from core.engines.base import Engine
from core.engines.registry import Engines
from core.errors import Busy, NotAllowed, NotFound
from core.events import ContextCompacted, Origin, Status, UserMessage
from core.files import FileStore
from core.joining import as_chosen
from core.live import LiveFeed
from core.offers.carrying import Carrying, Dismissed, SkillUse, Taken
from core.offers.desk import NOTHING, OfferDesk, Shelf
from core.outcomes import Answered as Answered
from core.outcomes import FoldOutcome as FoldOutcome
from core.outcomes import Overview as Overview
from core.outcomes import Resolved as Resolved
from core.outcomes import SendOutcome as SendOutcome
from core.outcomes import Sent as Sent
from core.outcomes import Stopped as Stopped
from core.preferences import Preferences
from core.projections import ConversationState, goal_change
from core.repeat import repeated, seq_to_repeat
from core.skills.skills import Skills
from core.spending import Spending
from core.store.changes import Change
from core.store.database import Database
from core.store.deletion import DeleteConversation
from core.store.log import AlreadySent, Decide, Decided, EventLog
from core.store.queue import EmptyQueue, Enqueue, QueuedMessage, QueueFull
from core.tools.tool import Tool
from core.turn import Turn, TurnStop
from core.turns import Turns
from core.waiting import HELD_EXPIRES as HELD_EXPIRES
from core.waiting import Waiting
from core.workers import Workers


class Conversations:
    """Sends messages, runs turns, stops them; one instance per process."""

    def __init__(
        self,
        *,
        database: Database,
        engines: Engines,
        files: FileStore,
        feed: LiveFeed,
        preferences: Preferences,
        clock: Clock,
        checkpoints: Checkpoints,
        shelf: Shelf = NOTHING,
        skills: Skills | None = None,
        app_tools: Callable[[], Sequence[Tool]] = tuple,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._waiting = Waiting(database, clock)
        self._engines = engines
        self._clock = clock
        self._checkpoints = checkpoints
        self._asking = Asking(
            database=database, feed=feed, preferences=preferences, clock=clock, checkpoints=checkpoints
        )
        self._chosen = Chosen(engines, preferences)
        self._carrying = Carrying(database, shelf, preferences)
        spending = Spending(database, preferences)
        self._turns = Turns(
            database=database,
            engines=engines,
            chosen=self._chosen,
            spending=spending,
            files=files,
            feed=feed,
            preferences=preferences,
            asking=self._asking,
            offers=OfferDesk(shelf, preferences, engines),
            skills=skills or Skills(None, preferences),
            app_tools=app_tools,
            clock=clock,
            checkpoints=checkpoints,
        )
        self._compactions = Compactions(database, self._chosen, spending, feed, clock)
        self._activities = Activities()
        self._workers = Workers(
            database=database,
            engines=engines,
            turns=self._turns,
            compactions=self._compactions,
            waiting=self._waiting,
            activities=self._activities,
            asking=self._asking,
            clock=clock,
        )

    # ---- what others ask for ---------------------------------------------------------------------------------------

    async def send(self, conversation_id: str, message: QueuedMessage, *also: Change) -> Sent:
        """Have a message answered; `also` is stored in the same transaction as the message.

        Idempotent by the message's client ids: the same message again (a retry, a second device, a redelivered update)
        is one event; `also` is stored even so. A caller that is cancelled takes nothing back.

        Raises:
            StoreUnavailable: nothing was stored.
            UsageError: the message's goal is none; nothing was stored.
            NotAllowed: it is a guest's, and no engine here can be kept to words; nothing was stored.
        """
        if message.goal is not None:
            goal_change(ConversationState(), message.goal)
        return await asyncio.shield(self._workers.spawn(self._send(conversation_id, message, also)))

    async def replace_queued(self, conversation_id: str, client_id: str, text: str) -> bool:
        """A message that still waits was edited: it says this now. False when it does not wait (any more)."""
        async with self._activities.alone(conversation_id):
            return await self._waiting.edit(conversation_id, client_id, text)

    async def stop(self, conversation_id: str) -> Stopped:
        """Interrupt what runs and empty the queue; comes back when that has ended (at most a few seconds).

        Raises:
            StoreUnavailable: nothing was stopped.
        """
        return await asyncio.shield(self._workers.spawn(self._stop(conversation_id)))

    async def decide(self, conversation_id: str, decision: Decision, client_id: str | None = None) -> Decided:
        """Have the log say what somebody decided; with the same client id again, nothing is decided again.

        Raises:
            Busy: it is a clear, and something goes on here.
            NotFound: there is no such conversation (any more).
            StoreUnavailable: nothing was stored.
        """
        async with self._activities.alone(conversation_id) as activity:
            await self._look_for(conversation_id, activity)
            if isinstance(decision, Clear):
                _expect_quiet(activity)
            decided = await self._database.commit_one(Decide(conversation_id, decision, client_id))
            if activity.held_until and activity.worker is None and decided.events:
                self._workers.begin(conversation_id, activity, None)  # another engine may answer what is held
            return decided

    async def delete(self, conversation_id: str, last_seq: int) -> bool:
        """Delete a conversation whose log ends at `last_seq`; False where it is gone, or more was said since.

        Raises:
            Busy: something goes on here.
            StoreUnavailable: nothing was deleted.
        """
        async with self._activities.alone(conversation_id) as activity:
            _expect_quiet(activity)
            return await self._database.commit_one(DeleteConversation(conversation_id, last_seq))

    async def answer_question(
        self,
        conversation_id: str,
        question_id: str,
        answer: Mapping[str, Any] | str | None,
        by: str,
        *,
        message: QueuedMessage | None = None,
    ) -> Answered:
        """Answer a question that waits: with values by field, with typed words, or None to skip it. The first one wins.

        Whether this person may is the caller's to know; `by` names them for people (“Ada”, “the console”). `message`
        are the typed words as a message: it is logged with the answer and starts no turn. Where the question does not
        wait, nothing is stored of it, and it can still be sent.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        return await self._asking.answer(conversation_id, question_id, answer, by, message)

    async def resolve_permission(
        self, conversation_id: str, permission_id: str, decision: Literal["allow", "allow-always", "deny"], by: str
    ) -> Resolved:
        """Decide about a tool call that waits, or a plan (`allow` is Start); as for a question, the first one wins.

        "Always" where it is not offered (with a reason, once, a plan) counts for this one time.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        return await self._asking.resolve(conversation_id, permission_id, decision, by)

    async def accept_offer(
        self, conversation_id: str, offer_id: str, by: str, *, skill: SkillUse | None = None
    ) -> Taken:
        """Carry on with what was asked, now that what was offered is connected or on; exactly once.

        Whether this person may is the caller's to know; `by` names them for people. Nothing is connected or turned on
        here. Of a skill, `skill` says whether it is on for good or used for the one request.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        return await asyncio.shield(self._workers.spawn(self._accept(conversation_id, offer_id, by, skill)))

    async def dismiss_offer(self, conversation_id: str, offer_id: str, by: str, *, mute: bool = False) -> Dismissed:
        """Fold an offer up; with `mute` what it offers is never suggested again, in any chat.

        Raises:
            UsageError: what is muted is set where Conch is started; the offer is dismissed even so.
            StoreUnavailable: nothing was stored, or the offer is dismissed and not muted.
        """
        return await self._carrying.dismiss(conversation_id, offer_id, by, mute=mute)

    async def retry(
        self, conversation_id: str, origin: Origin, client_id: str, *also: Change, of_turn: int | None = None
    ) -> Sent | None:
        """Send the newest message since the newest clear once more, with its files, as a new message from `origin`.

        None: there is none, or something was said after the turn `of_turn`, and nothing was stored. As for `send`,
        `also` goes with the message.

        Raises:
            Busy: something goes on here.
            NotFound: there is no such conversation (any more).
            StoreUnavailable: nothing was stored.
        """
        return await asyncio.shield(self._workers.spawn(self._retry(conversation_id, origin, client_id, also, of_turn)))

    async def compact(self, conversation_id: str, focus: str | None, origin: Origin, *also: Change) -> FoldOutcome:
        """Fold what the engine that answers here remembers, all but the newest turn; the result is told at `origin`.

        Comes back when it has begun, or cannot; while it goes on, messages wait. `also` is stored with the result, or
        when somebody stops it; a fold that the end of the program cuts off leaves no trace and can be asked for again.

        Raises:
            Busy: something goes on here.
            NotFound: there is no such conversation (any more).
            StoreUnavailable: nothing was begun.
        """
        async with self._activities.alone(conversation_id) as activity:
            await self._look_for(conversation_id, activity)
            _expect_quiet(activity)
            if self._workers.closing:
                raise Busy("The program is about to end.")
            state = await self._log.state(conversation_id)
            engine = self.engine_for(state)
            prepared = await self._compactions.prepare(conversation_id, state, engine, focus, origin, also)
            if not isinstance(prepared, Compaction):
                return prepared
            self._workers.begin_to_fold(conversation_id, activity, prepared)
            return FoldOutcome.STARTED

    async def summary(self, conversation_id: str, seq: int) -> ContextCompacted | None:
        """The fold that the log has at `seq`; None where it has none (any more)."""
        return await self._compactions.at(conversation_id, seq)

    async def overview(self, conversation_id: str) -> Overview:
        """What this conversation is now.

        Raises:
            NotFound: there is no such conversation (any more).
        """
        async with self._activities.alone(conversation_id) as activity:
            await self._look_for(conversation_id, activity)
            state = await self._log.state(conversation_id)
            waiting = len(await self._waiting.of(conversation_id)) if activity.waiting else 0
            held, folding = activity.held_until is not None, activity.compaction is not None
            summary = await self._compactions.at(conversation_id, state.current_summary)
            return Overview(state, self.engine_for(state), waiting, held, folding, summary)

    def engine_for(self, state: ConversationState) -> Engine:
        """The engine that answers in a conversation that is so."""
        return self._engines.for_chat(state.options.engine)

    def model_for(self, state: ConversationState) -> str | None:
        """The model that answers there, as far as it is known without asking anybody."""
        return self._chosen.model(state.options, self.engine_for(state))

    async def waits_for_a_person(self, conversation_id: str) -> bool:
        """Whether a turn there goes on only once somebody replied to a question or a permission."""
        return (await self._log.state(conversation_id)).status is Status.WAITING

    def running(self, conversation_id: str) -> Turn | None:
        """The turn that runs in a conversation."""
        activity = self._activities.get(conversation_id)
        return activity.turn if activity else None

    def is_active(self, conversation_id: str) -> bool:
        """Whether a conversation answers, is about to, or holds messages."""
        return self._activities.get(conversation_id) is not None

    @property
    def active(self) -> int:
        """How many conversations answer, are about to, or hold messages; of all others nothing is kept in memory."""
        return len(self._activities)

    @property
    def turns(self) -> int:
        """How many turns run now."""
        return len(self._activities.turns())

    async def recover(self) -> None:
        """After a start, before anything is sent: close turns that were cut off, then answer what still waits.

        A turn that was cut off never runs again.

        Raises:
            StoreUnavailable: the database cannot be read now.
        """
        await self._workers.recover()

    async def drain(self, grace: float = 30.0) -> None:
        """Start no new turn, give running ones `grace` seconds, then interrupt them. What waits stays in the queue."""
        await self._workers.drain(grace)

    # ---- sending and stopping --------------------------------------------------------------------------------------

    async def _send(self, conversation_id: str, message: QueuedMessage, also: tuple[Change, ...]) -> Sent:
        async with self._activities.alone(conversation_id) as activity:
            return await self._send_alone(conversation_id, activity, message, also)

    async def _send_alone(
        self, conversation_id: str, activity: Activity, message: QueuedMessage, also: tuple[Change, ...]
    ) -> Sent:
        if self._workers.closing or activity.worker or activity.held_until:
            return await self._let_wait(conversation_id, activity, message, also)
        state = await self._log.state(conversation_id)
        chosen = as_chosen(state, message)
        engine = self._workers.engine_of(chosen, message.origin)
        if engine is None:
            raise NotAllowed(problems.not_for_guests(self.engine_for(state).title))
        if not await self._turns.can_answer(engine, chosen, message.origin):
            sent = await self._let_wait(conversation_id, activity, message, also)
            if sent.outcome is SendOutcome.HELD:
                self._workers.hold(conversation_id, activity, self._clock.now(), message.origin.address)
            return sent
        turn = await self._turns.open(conversation_id, state, engine, message, also=also)
        if turn is None:
            return Sent(SendOutcome.DUPLICATE)
        self._workers.begin(conversation_id, activity, turn)
        return Sent(SendOutcome.STARTED)

    async def _retry(
        self, conversation_id: str, origin: Origin, client_id: str, also: tuple[Change, ...], of_turn: int | None
    ) -> Sent | None:
        async with self._activities.alone(conversation_id) as activity:
            await self._look_for(conversation_id, activity)
            _expect_quiet(activity)
            state = await self._log.state(conversation_id)
            message = await self._message_at(conversation_id, seq_to_repeat(state, of_turn))
            if message is None:
                return None
            again = repeated(message, state, origin, client_id)
            return await self._send_alone(conversation_id, activity, again, also)

    async def _accept(self, conversation_id: str, offer_id: str, by: str, skill: SkillUse | None) -> Taken:
        async with self._activities.alone(conversation_id) as activity:
            taken = await self._carrying.take(conversation_id, offer_id, by, skill)
            if taken is not Taken.QUEUED:
                return taken
            activity.waiting = True
            await self._checkpoints.reach(Checkpoint.OFFER_ACCEPTED)
            if self._workers.closing or activity.worker or activity.held_until:
                return Taken.QUEUED
            self._workers.begin(conversation_id, activity, None)
            return Taken.STARTED

    async def _look_for(self, conversation_id: str, activity: Activity) -> None:
        """Raises NotFound where nothing was ever said, and nothing waits to be."""
        if not (activity.waiting or activity.worker) and not await self._log.exists(conversation_id):
            raise NotFound("This conversation is not there any more.")

    async def _message_at(self, conversation_id: str, seq: int | None) -> UserMessage | None:
        if seq is None:
            return None
        [event] = await self._log.read(conversation_id, after=seq - 1, limit=1)
        return event.data if isinstance(event.data, UserMessage) else None

    async def _let_wait(
        self, conversation_id: str, activity: Activity, message: QueuedMessage, also: tuple[Change, ...]
    ) -> Sent:
        result = (await self._database.commit(Enqueue(conversation_id, message), *also))[0]
        if isinstance(result, QueueFull):
            return Sent(SendOutcome.FULL, waiting=result.count)
        if isinstance(result, AlreadySent):
            return Sent(SendOutcome.DUPLICATE)
        activity.waiting = True
        await self._checkpoints.reach(Checkpoint.RECORDED)
        if not self._workers.closing and (activity.held_until or activity.worker is None):
            return Sent(SendOutcome.HELD, waiting=result)
        return Sent(SendOutcome.QUEUED, activity.first_to_wait(), result)

    async def _stop(self, conversation_id: str) -> Stopped:
        async with self._activities.alone(conversation_id) as activity:
            emptied = await self._database.commit_one(EmptyQueue(conversation_id))
            activity.waiting, activity.held_until = False, None
            running = activity.turn or activity.compaction
            if running is not None:
                running.stop(TurnStop.PERSON)
        if running is not None:
            await running.ended.wait()
        return Stopped(turn=running is not None, waiting=emptied)


def _expect_quiet(activity: Activity) -> None:
    """Raises Busy while a turn runs, or something waits for one."""
    if activity.worker or activity.waiting:
        raise Busy("Something goes on in this conversation.")
