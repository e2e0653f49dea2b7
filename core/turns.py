"""Turns from the outside: opened in the log, run to their end whatever breaks, closed when nobody runs them any more.

What happens inside a turn is in `core.turn`, which turn is due in `core.conversations`.
"""

import uuid
from collections.abc import Sequence
from functools import partial, reduce

import structlog

from core import problems
from core.asking import Asking
from core.briefing import Briefings, model_options
from core.checkpoints import Checkpoint, Checkpoints
from core.clock import Clock
from core.decisions import plan_switched
from core.engines.base import Ended, EndReason, Engine
from core.events import OptionsSet, Problem, TurnCompleted, TurnStarted, UserMessage
from core.files import FileStore
from core.framing import Framing
from core.host import Hosts, TurnHosts
from core.live import LiveFeed
from core.patience import patiently, until_stored
from core.preferences import Preferences
from core.projections import ConversationState, advance, closing_events, loose_ends, opening_events
from core.store.changes import Change
from core.store.database import Database
from core.store.log import AlreadySent, Append, EventLog
from core.store.queue import Dequeue, QueuedItem, QueuedMessage
from core.turn import Opened, Turn

_log = structlog.get_logger(__name__)


class Turns:
    """Opens, runs and closes turns of any conversation."""

    def __init__(
        self,
        *,
        database: Database,
        files: FileStore,
        feed: LiveFeed,
        preferences: Preferences,
        asking: Asking,
        clock: Clock,
        checkpoints: Checkpoints,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        framing = Framing(preferences)
        self._hosts: Hosts = TurnHosts(framing, asking, database, clock)
        self._briefings = Briefings(database, framing)
        self._files = files
        self._feed = feed
        self._clock = clock
        self._checkpoints = checkpoints

    async def open(
        self,
        conversation_id: str,
        state: ConversationState,
        engine: Engine,
        message: QueuedMessage,
        taken: Sequence[QueuedItem] = (),
        also: tuple[Change, ...] = (),
    ) -> Turn | None:
        """Write the opening of a turn; None when the message was sent before.

        `taken` are the queued messages that go with it: their client ids are known already. `also` is stored with it,
        even when there is no turn.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        user = UserMessage(
            message_id=uuid.uuid4().hex,
            text=message.text,
            origin=message.origin,
            attachments=message.attachments,
            client_id=message.client_ids[0] if message.client_ids else None,
            others_words=message.others_words,
        )
        model = model_options(state.options, engine).model
        started = TurnStarted(engine=engine.id, model=model, trigger=message.trigger, address=message.origin.address)
        whose = message.words_of or message.origin.person_name or "someone else"
        options = _options(state, message)
        data = opening_events(state, user, started, goal=message.goal, options=options, words_of=whose)
        append = Append(conversation_id, data, () if taken else message.client_ids)
        dequeue = (Dequeue(conversation_id, tuple(item.id for item in taken)),) if taken else ()
        events = (await self._database.commit(append, *dequeue, *also))[0]
        if isinstance(events, AlreadySent):
            return None
        await self._checkpoints.reach(Checkpoint.RECORDED)
        after = reduce(advance, events, state)
        opened = Opened(conversation_id, events[0].seq, events[-1].seq, engine, model, after, message)
        host = self._hosts.host_of(opened)
        return Turn(opened, host, database=self._database, files=self._files, feed=self._feed, clock=self._clock)

    async def run(self, turn: Turn) -> None:
        """See an opened turn through to its end in the log."""
        opened = turn.opened
        try:
            briefing = await patiently(partial(self._briefings.prepare, opened), self._clock)
            await self._checkpoints.reach(Checkpoint.TURN_RUNNING)
            await turn.run(briefing.turn, briefing.memory)
        except Exception:  # noqa: BLE001 - whatever breaks, the turn is closed and the next one starts
            _log.exception("a turn failed", conversation=opened.conversation_id)
            await self._close_broken(opened)
        finally:
            turn.ended.set()

    async def close_cut_off(self) -> None:
        """Close every turn that an earlier life of the program left open; it never runs again.

        Raises:
            StoreUnavailable: it cannot be seen now which there are.
        """
        closings = [
            Append(conversation_id, closing_events(await self._log.state(conversation_id), "restart"))
            for conversation_id in await self._log.running()
        ]
        if closings:
            await until_stored(self._database, self._clock, *closings)

    async def _close_broken(self, opened: Opened) -> None:
        """Close a turn that something of ours broke, by what the log knows of it."""
        ended = Ended(EndReason.CRASHED)
        completed = TurnCompleted(
            outcome="error",
            engine=opened.engine.id,
            model=opened.model,
            error=problems.sentence(ended, opened.engine.title),
            problem=Problem.CRASHED,
        )
        try:
            state = await patiently(partial(self._log.state, opened.conversation_id), self._clock)
            if state.turn_seq == opened.seq:
                closing = (*loose_ends(state, "error"), completed)
                await until_stored(self._database, self._clock, Append(opened.conversation_id, closing))
        except Exception:  # noqa: BLE001 - the next turn supersedes it, and so does the next start
            _log.exception("a turn could not be closed", conversation=opened.conversation_id)


def _options(state: ConversationState, message: QueuedMessage) -> OptionsSet | None:
    """The options that the message brings, plan mode last; None where it brings none."""
    chosen = message.options.applied_to(state.options) if message.options else state.options
    if message.plan:
        chosen = plan_switched(state.model_copy(update={"options": chosen}), on=True) or chosen
    return None if chosen == state.options else chosen
