"""Turns from the outside: opened in the log, given what they need, run to their end whatever breaks, and closed when
nobody runs them any more.

What happens inside a turn is in `core.turn`, which turn is due in `core.conversations`.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce

import structlog

from core import problems
from core.asking import Asking
from core.briefing import Briefing, Briefings
from core.budget import Budget
from core.checkpoints import Checkpoint, Checkpoints
from core.chosen import Chosen
from core.clock import Clock
from core.decisions import plan_switched
from core.engines.base import Ended, EndReason, Engine
from core.engines.registry import Engines, is_ready
from core.events import Mode, OptionsSet, Origin, Problem, TurnCompleted, TurnStarted, UserMessage
from core.files import FileStore
from core.framing import Framing
from core.host import Hosts, TurnHosts
from core.live import LiveFeed
from core.offers.carrying import carried_on, once
from core.offers.desk import OfferDesk
from core.opened import Opened
from core.patience import patiently, until_stored
from core.preferences import Preferences
from core.projections import ConversationState, advance, closing_events, loose_ends, opening_events
from core.replies import Suggested
from core.skills.skill import Skill
from core.skills.skills import Skills
from core.spending import Spending
from core.spent import Spent
from core.store.changes import Change
from core.store.database import Database
from core.store.log import AlreadySent, Append, Decide, EventLog
from core.store.queue import Dequeue, QueuedItem, QueuedMessage
from core.tools.tool import Tool
from core.turn import Turn

_log = structlog.get_logger(__name__)


class Turns:
    """Opens, runs and closes turns of any conversation."""

    def __init__(
        self,
        *,
        database: Database,
        engines: Engines,
        chosen: Chosen,
        spending: Spending,
        files: FileStore,
        feed: LiveFeed,
        preferences: Preferences,
        asking: Asking,
        offers: OfferDesk,
        skills: Skills,
        app_tools: Callable[[], Sequence[Tool]],
        clock: Clock,
        checkpoints: Checkpoints,
    ) -> None:
        self._database = database
        self._log = EventLog(database)
        self._engines = engines
        self._chosen = chosen
        self._preferences = preferences
        self._spending = spending
        self._offers = offers
        self._skills = skills
        framing = Framing(preferences, offers, app_tools)
        self._hosts: Hosts = TurnHosts(framing, asking, offers, database, clock)
        self._briefings = Briefings(database)
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
        options, gone = self._options(state, message)
        model = self._chosen.model(options or state.options, engine)
        started = TurnStarted(engine=engine.id, model=model, trigger=message.trigger, address=message.origin.address)
        whose = message.words_of or message.origin.person_name or "someone else"
        told = (problems.engine_gone(gone, engine.title, message.origin.address),) if gone else ()
        before = _before_plan(state, message)
        called, at_hand = await self._skills_of(message)
        used = tuple(skill.used(by=message.origin.person_name or "owner") for skill in called)
        if message.carries is None:
            ids = () if taken else message.client_ids
            opening = opening_events(
                state, user, started, goal=message.goal, options=options, skills=used, words_of=whose
            )
        else:
            ids, (*shown, begun) = once(message.carries), carried_on(state, message, started, options)
            opening = (*shown, *used, begun)
        append = Append(conversation_id, (*told, *((before,) if before else ()), *opening), ids)
        dequeue = (Dequeue(conversation_id, tuple(item.id for item in taken)),) if taken else ()
        events = (await self._database.commit(append, *dequeue, *also))[0]
        if isinstance(events, AlreadySent):
            return None
        await self._checkpoints.reach(Checkpoint.CARRIED_ON if message.carries else Checkpoint.RECORDED)
        after = reduce(advance, events, state)
        first, last = events[0].seq, events[-1].seq
        opened = Opened(conversation_id, first, last, engine, model, after, message, called=called, skills=at_hand)
        return Turn(opened, self, database=self._database, files=self._files, feed=self._feed, clock=self._clock)

    async def _skills_of(self, message: QueuedMessage) -> tuple[tuple[Skill, ...], tuple[Skill, ...]]:
        """The skills that a message asks for, and those that the assistant may use for it by itself."""
        await self._skills.keep_up()
        return self._skills.called(message), self._skills.automatic(message.origin)

    async def run(self, turn: Turn) -> None:
        """See an opened turn through to its end in the log."""
        try:
            await turn.run()
        except Exception:  # noqa: BLE001 - whatever breaks, the turn is closed and the next one starts
            _log.exception("a turn failed", conversation=turn.opened.conversation_id)
            await self._close_broken(turn)
        finally:
            self._spending.forget(turn)
            turn.ended.set()
        await self._spending.look(turn.opened.conversation_id, turn.opened.message.origin)

    # ---- what a turn needs (core.turn.Backing) ---------------------------------------------------------------------

    async def brief(self, opened: Opened, used: Spent) -> Briefing | Budget:
        """What the engine is given, as soon as it can be read; a budget, where nothing is left of it."""
        allowed = await patiently(partial(self._spending.allowed, used), self._clock)
        if isinstance(allowed, Budget):
            return allowed
        await self._offer_what_is_meant(opened)
        suggested, options = Suggested(), self._chosen.options(opened.state.options, opened.engine)
        host = self._hosts.host_of(opened, suggested)
        briefing = await patiently(partial(self._briefings.prepare, opened, host, options, allowed), self._clock)
        await self._checkpoints.reach(Checkpoint.TURN_RUNNING)
        return replace(briefing, suggested=suggested)

    async def _offer_what_is_meant(self, opened: Opened) -> None:
        """Show the one offer that the owner's words bring about; before the engine answers, so that it is told."""
        show = None if opened.instead_of else self._offers.cue(opened)
        if show is not None:
            await until_stored(self._database, self._clock, Decide(opened.conversation_id, show))

    async def relief(self, opened: Opened) -> Opened | None:
        """The same turn on the fallback engine, where it can answer now, may, and is not the one that failed."""
        state = await patiently(partial(self._log.state, opened.conversation_id), self._clock)
        other = self._fallback(opened.engine, state, opened.message.origin)
        if opened.instead_of is not None or other is None or not await is_ready(other):
            return None
        model = self._chosen.model(state.options, other)
        return replace(opened, engine=other, model=model, state=state, instead_of=opened.engine)

    def note(self, turn: Turn, used: Spent) -> None:
        """Count it against the day for turns that begin meanwhile."""
        self._spending.note(turn, used)

    async def can_answer(self, engine: Engine, state: ConversationState, origin: Origin) -> bool:
        """Whether an engine, or the one that would take over from it, could answer this person now."""
        if await is_ready(engine):
            return True
        other = self._fallback(engine, state, origin)
        return other is not None and await is_ready(other)

    def _fallback(self, engine: Engine, state: ConversationState, origin: Origin) -> Engine | None:
        mode = state.options.mode or self._preferences.current.default_mode
        return self._engines.fallback_for(engine, words_only=origin.role == "guest", plan=mode is Mode.PLAN)

    # ---- turns that do not end by themselves -----------------------------------------------------------------------

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

    def _options(self, state: ConversationState, message: QueuedMessage) -> tuple[OptionsSet | None, str | None]:
        """The options that the message brings, plan mode last; None where it brings none.

        With them the engine that this chat chose and that is not connected any more: the choice is forgotten, so that
        the chat is told once.
        """
        chosen = message.options.applied_to(state.options) if message.options else state.options
        if message.plan:
            chosen = plan_switched(state.model_copy(update={"options": chosen}), on=True) or chosen
        gone = chosen.engine if chosen.engine and self._engines.get(chosen.engine) is None else None
        if gone is not None:
            chosen = chosen.model_copy(update={"engine": None, "model": None})
        return None if chosen == state.options else chosen, gone

    async def _close_broken(self, turn: Turn) -> None:
        """Close a turn that something of ours broke, by what the log knows of it."""
        opened = turn.opened
        completed = TurnCompleted(
            outcome="error",
            engine=opened.engine.id,
            model=opened.model,
            error=problems.told(opened, Ended(EndReason.CRASHED)),
            problem=Problem.CRASHED,
        )
        try:
            state = await patiently(partial(self._log.state, opened.conversation_id), self._clock)
            if state.turn_seq == opened.seq:
                closing = (*loose_ends(state, "error"), completed)
                closed = Append(opened.conversation_id, closing)
                await until_stored(self._database, self._clock, closed, *turn.uncounted)
        except Exception:  # noqa: BLE001 - the next turn supersedes it, and so does the next start
            _log.exception("a turn could not be closed", conversation=opened.conversation_id)


def _before_plan(state: ConversationState, message: QueuedMessage) -> OptionsSet | None:
    """The options that the message brings besides plan mode, where the way out of that leads back to their mode."""
    if not message.plan or message.options is None or state.options.mode is Mode.PLAN:
        return None
    chosen = message.options.applied_to(state.options)
    return chosen if chosen.mode not in (state.options.mode, Mode.PLAN) else None
