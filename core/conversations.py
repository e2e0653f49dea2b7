"""The one door to conversations, for every chat app, the console and the API.

At most one turn runs per conversation; what is sent meanwhile waits in a durable queue and goes next. Nothing here
knows a chat app. How a turn runs is in `core.turn`, what is in the log in `core.events`.
"""

import asyncio
import uuid
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import reduce
from itertools import takewhile
from typing import Any

import structlog

from core import problems
from core.checkpoints import Checkpoint, Checkpoints
from core.clock import Clock
from core.engines.base import Engine, ModelOptions, TurnInput
from core.engines.registry import Engines
from core.events import (
    Address,
    Attachment,
    Mode,
    Notice,
    Origin,
    Trigger,
    TurnHeld,
    TurnStarted,
    UserMessage,
)
from core.files import FileStore
from core.handoff import handoff
from core.host import NobodyToAsk
from core.live import LiveFeed
from core.patience import until_stored
from core.projections import ConversationState, advance, closing_events, opening_events
from core.prompt import Persona, Place, Role, instructions
from core.settings import Settings
from core.store.changes import Change
from core.store.database import Database
from core.store.log import AlreadySent, Append, EventLog
from core.store.queue import Dequeue, EmptyQueue, Enqueue, Queue, QueuedItem, QueuedMessage, QueueFull
from core.store.sessions import Sessions
from core.turn import Opened, Turn, TurnStop

_log = structlog.get_logger(__name__)

HELD_RETRY = 30.0
"""Seconds between looks whether an engine can answer what is held."""

HELD_EXPIRES = timedelta(hours=12)
"""A held message older than this is given up, with a word to its sender."""


class SendOutcome(StrEnum):
    """What became of a message."""

    STARTED = "started"
    """A turn answers it now."""
    QUEUED = "queued"
    """It waits for the running turn to end."""
    HELD = "held"
    """No engine can answer now; it goes when one can."""
    DUPLICATE = "duplicate"
    """It was sent before; nothing happened."""
    FULL = "full"
    """Too many wait already; it was not kept."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a message. `first_in_turn`: it is the first to wait in this turn. `waiting` counts with it."""

    outcome: SendOutcome
    first_in_turn: bool = False
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stop ended: the running turn, and how many messages were waiting."""

    turn: bool
    waiting: int


@dataclass(slots=True)
class _Busy:
    """A conversation that answers, or is about to."""

    turn: Turn | None = None
    stop_wanted: TurnStop | None = None
    told_to_wait: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self, why: TurnStop) -> None:
        self.stop_wanted = self.stop_wanted or why
        if self.turn is not None:
            self.turn.stop(why)


class Conversations:
    """Sends messages, runs turns, stops them; one instance per process."""

    def __init__(
        self,
        *,
        database: Database,
        engines: Engines,
        files: FileStore,
        feed: LiveFeed,
        settings: Settings,
        clock: Clock,
        checkpoints: Checkpoints,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._queue = Queue(database)
        self._sessions = Sessions(database)
        self._engines = engines
        self._files = files
        self._feed = feed
        self._settings = settings
        self._clock = clock
        self._checkpoints = checkpoints
        self._busy: dict[str, _Busy] = {}
        self._held: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        self._closing = False

    # ---- sending ---------------------------------------------------------------------------------------------------

    async def send(self, conversation_id: str, message: QueuedMessage, *also: Change) -> Sent:
        """Have a message answered; `also` is stored in the same transaction as the message.

        Idempotent by the message's client ids: the same message again (a retry, a second device, a redelivered update)
        is one event.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        if self._closing or conversation_id in self._busy or conversation_id in self._held:
            return await self._enqueue(conversation_id, message, also)
        busy = self._busy[conversation_id] = _Busy()
        try:
            state = await self._log.state(conversation_id)
            engine = self._engines.for_chat(state.options.engine)
            if not await engine.ready():
                return await self._hold(conversation_id, message, also)
            opened = await self._open(conversation_id, state, engine, message, (), also)
        except BaseException:
            self._release(conversation_id)
            raise
        if opened is None:
            self._release(conversation_id)
            await self._go_on(conversation_id)
            return Sent(SendOutcome.DUPLICATE)
        self._spawn(self._answer(opened, busy, message))
        return Sent(SendOutcome.STARTED)

    async def _enqueue(self, conversation_id: str, message: QueuedMessage, also: tuple[Change, ...]) -> Sent:
        result = (await self._database.commit(Enqueue(conversation_id, message), *also))[0]
        if isinstance(result, QueueFull):
            return Sent(SendOutcome.FULL, waiting=result.count)
        if isinstance(result, AlreadySent):
            return Sent(SendOutcome.DUPLICATE)
        await self._checkpoints.reach(Checkpoint.RECORDED)
        busy = self._busy.get(conversation_id)
        if busy is None:
            if conversation_id in self._held:
                return Sent(SendOutcome.HELD, waiting=result)
            await self._go_on(conversation_id)
            return Sent(SendOutcome.STARTED)
        first, busy.told_to_wait = not busy.told_to_wait, True
        return Sent(SendOutcome.QUEUED, first_in_turn=first, waiting=result)

    async def replace_queued(self, conversation_id: str, client_id: str, text: str) -> bool:
        """A message that still waits was edited: it says this now. False when it does not wait (any more)."""
        return await self._queue.edit(conversation_id, client_id, text)

    # ---- stopping --------------------------------------------------------------------------------------------------

    async def stop(self, conversation_id: str) -> Stopped:
        """Interrupt the turn and empty the queue; comes back when the turn has ended (at most a few seconds)."""
        (emptied,) = await self._database.commit(EmptyQueue(conversation_id))
        self._held.discard(conversation_id)
        busy = self._busy.get(conversation_id)
        if busy is not None:
            busy.stop(TurnStop.PERSON)
            await busy.done.wait()
        return Stopped(turn=busy is not None, waiting=emptied)

    def running(self, conversation_id: str) -> Turn | None:
        """The turn that runs in a conversation."""
        busy = self._busy.get(conversation_id)
        return busy.turn if busy else None

    @property
    def turns(self) -> int:
        """How many turns run now."""
        return len(self._busy)

    # ---- a turn from its opening to the next -----------------------------------------------------------------------

    async def _open(
        self,
        conversation_id: str,
        state: ConversationState,
        engine: Engine,
        message: QueuedMessage,
        taken: Sequence[int],
        also: tuple[Change, ...],
    ) -> Opened | None:
        """Write the opening of a turn; None when the message was sent before.

        `taken` are ids of queued messages that go with it: their client ids are known already.
        """
        origin = message.origin
        user = UserMessage(
            message_id=uuid.uuid4().hex,
            text=message.text,
            origin=origin,
            attachments=message.attachments,
            client_id=message.client_ids[0] if message.client_ids else None,
            others_words=message.others_words,
        )
        started = TurnStarted(
            engine=engine.id, model=state.options.model, trigger=Trigger.MESSAGE, address=origin.address
        )
        whose = origin.person_name or "someone else"
        data = opening_events(state, user, started, goal=message.goal, words_of=whose)
        new_ids = () if taken else message.client_ids
        dequeue = (Dequeue(conversation_id, tuple(taken)),) if taken else ()
        events = (await self._database.commit(Append(conversation_id, data, new_ids), *dequeue, *also))[0]
        if isinstance(events, AlreadySent):
            return None
        await self._checkpoints.reach(Checkpoint.RECORDED)
        return Opened(conversation_id, events[0].seq, events[-1].seq, engine, reduce(advance, events, state))

    async def _answer(self, opened: Opened, busy: _Busy, message: QueuedMessage) -> None:
        conversation_id = opened.conversation_id
        try:
            turn = Turn(
                opened,
                NobodyToAsk(),
                database=self._database,
                files=self._files,
                feed=self._feed,
                clock=self._clock,
            )
            given, state = await self._input(opened, message)
            busy.turn = turn
            if busy.stop_wanted:
                turn.stop(busy.stop_wanted)
            await self._checkpoints.reach(Checkpoint.TURN_RUNNING)
            await turn.run(given, state)
        except Exception:  # noqa: BLE001 - whatever breaks, the turn is closed and the next one starts
            _log.exception("a turn failed", conversation=conversation_id)
            await self._close_cut_off(conversation_id)
        finally:
            self._release(conversation_id)
        await self._go_on(conversation_id)

    async def _input(self, opened: Opened, message: QueuedMessage) -> tuple[TurnInput, Mapping[str, Any] | None]:
        """What the engine gets: its own memory, what it missed, and the new message."""
        conversation_id, engine = opened.conversation_id, opened.engine
        state = opened.state
        saved = await self._sessions.get(conversation_id, engine.id)
        if saved is not None and saved.seq <= state.memory_start:
            saved = None
        known, missed = saved.seq if saved else state.memory_start, None
        if known < opened.first_seq - 1:
            missed = handoff(await self._log.read(conversation_id, after=known), since=known, upto=opened.seq)
        return TurnInput(
            text=message.text,
            attachments=message.attachments,
            instructions=instructions(self._persona(), _place(message.origin), goal=state.goal),
            mode=state.options.mode or Mode.ASK,
            options=ModelOptions(state.options.model, state.options.effort, state.options.fast),
            handoff=missed,
        ), (saved.state if saved else None)

    def _persona(self) -> Persona:
        return Persona(self._settings.assistant_name, self._settings.voice)

    def _release(self, conversation_id: str) -> None:
        busy = self._busy.pop(conversation_id, None)
        if busy is not None:
            busy.done.set()

    async def _go_on(self, conversation_id: str) -> None:
        """Start a turn for what waits, if anything does and nothing runs."""
        if self._closing or conversation_id in self._busy:
            return
        busy = self._busy[conversation_id] = _Busy()
        started = False
        try:
            waiting = await self._queue.waiting(conversation_id)
            if not waiting or self._closing:
                return
            state = await self._log.state(conversation_id)
            engine = self._engines.for_chat(state.options.engine)
            if not await engine.ready():
                self._keep_held(conversation_id)
                return
            together = _together(waiting)
            message = _join(together)
            opened = await self._open(conversation_id, state, engine, message, [item.id for item in together], ())
            if opened is not None:
                started = True
                self._spawn(self._answer(opened, busy, message))
        finally:
            if not started:
                self._release(conversation_id)

    # ---- held: no engine can answer now ----------------------------------------------------------------------------

    async def _hold(self, conversation_id: str, message: QueuedMessage, also: tuple[Change, ...]) -> Sent:
        """Keep a message until an engine can answer, and tell the chat once."""
        told = Append(conversation_id, (TurnHeld(reason="no-engine", address=message.origin.address),))
        result = (await self._database.commit(Enqueue(conversation_id, message), told, *also))[0]
        self._keep_held(conversation_id)
        self._release(conversation_id)
        return Sent(SendOutcome.HELD, waiting=result if isinstance(result, int) else 0)

    def _keep_held(self, conversation_id: str) -> None:
        self._held.add(conversation_id)
        if self._watch is None or self._watch.done():
            self._watch = self._spawn(self._watch_held())

    async def _watch_held(self) -> None:
        """Look now and then whether held messages can go; give up on old ones."""
        while self._held and not self._closing:
            await self._clock.sleep(HELD_RETRY)
            for conversation_id in tuple(self._held):
                await self._expire_held(conversation_id)
                self._held.discard(conversation_id)
                await self._go_on(conversation_id)

    async def _expire_held(self, conversation_id: str) -> None:
        oldest = self._clock.now() - HELD_EXPIRES
        late = [item for item in await self._queue.waiting(conversation_id) if item.at < oldest]
        if late:
            notice = Notice(
                code="held-expired", message=problems.HELD_TOO_LONG, address=late[-1].message.origin.address
            )
            ids = tuple(item.id for item in late)
            await until_stored(
                self._database, self._clock, Dequeue(conversation_id, ids), Append(conversation_id, (notice,))
            )

    # ---- start and end of the process ------------------------------------------------------------------------------

    async def recover(self) -> None:
        """After a start: close turns that were cut off, and answer what still waits. Cut-off turns never run again."""
        for conversation_id in await self._log.running():
            await self._close_cut_off(conversation_id)
        for conversation_id in await self._queue.conversations_waiting():
            await self._go_on(conversation_id)

    async def _close_cut_off(self, conversation_id: str) -> None:
        closing = closing_events(await self._log.state(conversation_id), "restart")
        if closing:
            await until_stored(self._database, self._clock, Append(conversation_id, closing))

    async def drain(self, grace: float = 30.0) -> None:
        """Start no new turn, give running ones `grace` seconds, then interrupt them. What waits stays in the queue."""
        self._closing = True
        if self._watch is not None:
            self._watch.cancel()
        if self._busy:
            over = asyncio.create_task(self._clock.sleep(grace))
            ended = asyncio.create_task(self._all_ended())
            await asyncio.wait({over, ended}, return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
            for busy in tuple(self._busy.values()):
                busy.stop(TurnStop.SHUTDOWN)
            await asyncio.gather(over, ended, return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _all_ended(self) -> None:
        for busy in tuple(self._busy.values()):
            await busy.done.wait()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _place(origin: Origin) -> Place:
    """Where the words come from, for the prompt."""
    return Place(
        origin.kind,
        origin.address.chat_kind if origin.address else None,
        app=origin.app,
        person=origin.person_name,
        role=Role(origin.role) if origin.role else None,
    )


def _together(waiting: Sequence[QueuedItem]) -> list[QueuedItem]:
    """The messages that go as one: the oldest and those right after it from the same person and place."""
    first = waiting[0].message.origin
    return list(takewhile(lambda item: _same_seat(item.message.origin, first), waiting))


def _same_seat(one: Origin, other: Origin) -> bool:
    return (one.kind, one.person_id, _room(one.address)) == (other.kind, other.person_id, _room(other.address))


def _room(address: Address | None) -> tuple[str, str, str | None] | None:
    return (address.channel_id, address.chat_id, address.thread) if address else None


def _join(items: Sequence[QueuedItem]) -> QueuedMessage:
    """Several waiting messages as one, joined by blank lines; it answers to the newest."""
    messages = [item.message for item in items]
    attachments: list[Attachment] = [file for message in messages for file in message.attachments]
    return messages[-1].model_copy(
        update={
            "text": "\n\n".join(message.text for message in messages if message.text),
            "attachments": tuple(attachments),
            "client_ids": tuple(client_id for message in messages for client_id in message.client_ids),
            "others_words": any(message.others_words for message in messages),
            "goal": next((message.goal for message in reversed(messages) if message.goal), None),
        }
    )
