"""How a chat is answered, as commands and menus look at it and change it: in its conversation, or waiting on its seat.

What a choice is called and who may make it is not decided here.
"""

from dataclasses import dataclass, replace
from typing import Final

from channels.arrivals import Arrivals
from channels.commands.call import CommandCall
from channels.seating import Seating
from commands.values import MODES
from core.conversation_state import ConversationState, SkillHold
from core.conversations import Conversations
from core.decisions import Configure, EndHold, why_no_plan
from core.engines.base import Engine, ModelInfo
from core.engines.catalogue import EngineChoice
from core.errors import Busy
from core.events import Effort, Mode, OptionsSet
from core.options import OptionsChange
from core.preferences import Preferences
from core.settings import Settings
from core.store.seats import Seat, SeatRecord

WAITS: Final = "It waits and goes with your first message."

POWER: Final = (Mode.PLAN, Mode.ASK, Mode.EDIT, Mode.AUTO, Mode.FULL)
"""Modes by how much is done without asking."""


WHAT_MODES_DO: Final = {
    Mode.EDIT: "changes files in its folder without asking",
    Mode.AUTO: "changes files and runs sealed-off commands without asking",
    Mode.FULL: "does everything without asking: sending, posting, deleting, running commands",
}
"""Of the modes that do more without asking than others."""


@dataclass(frozen=True, slots=True)
class Answering:
    """How a chat is answered now: what it chose itself, and the settings for the rest.

    `default_engine` answers where a chat names none. `waits`: there is no conversation yet, so what is chosen goes with
    the first message. `why_no_plan` is a sentence where the engine cannot be kept to planning.
    """

    chosen: OptionsSet
    engine: str
    engine_title: str
    default_engine: str
    settings: Settings
    waits: bool = False
    why_no_plan: str | None = None
    holds: tuple[SkillHold, ...] = ()
    """What used skills hold back in this chat until a person ends it."""

    @property
    def effort(self) -> Effort | None:
        """None leaves it to the engine."""
        return self.chosen.effort or self.settings.default_effort

    @property
    def fast(self) -> bool:
        """Whether quick answers are preferred."""
        return bool(self.settings.default_fast if self.chosen.fast is None else self.chosen.fast)

    @property
    def mode(self) -> Mode:
        """What it may do without asking."""
        return self.chosen.mode or self.settings.default_mode

    @property
    def named_model(self) -> str | None:
        """The model that is named for the engine that answers; None leaves it to the engine."""
        own = self.chosen.model if self.chosen.engine in (None, self.engine) else None
        return own or (self.settings.default_model if self.engine == self.default_engine else None)

    def model(self, offered: tuple[EngineChoice, ...]) -> ModelInfo | None:
        """The model that answers, as far as its engine says; None where it has none, or does not say."""
        models = next((choice.models for choice in offered if choice.engine == self.engine), ())
        named = self.named_model
        if named is None:
            return models[0] if models else None
        return next((model for model in models if model.id == named), ModelInfo(named, named))

    def to_model(self, engine: str, model: ModelInfo | None) -> OptionsChange:
        """The choice of a model (None: the engine's own), without an effort or a speed that it does not have."""
        chosen: dict[str, object] = {"engine": engine, "model": model.id if model else None}
        if self.chosen.effort and not (model and self.chosen.effort in efforts_of(model)):
            chosen["effort"] = None
        if self.chosen.fast and not (model and model.fast):
            chosen["fast"] = None
        return OptionsChange.model_validate(chosen)

    def is_stronger(self, mode: Mode) -> bool:
        """Whether a mode does more without asking than is done now, and more than just reading."""
        return POWER.index(mode) > max(POWER.index(self.mode), POWER.index(Mode.ASK))


def done(words: str, after: Answering) -> str:
    """What is said of a choice that was made."""
    return f"{words} {WAITS}" if after.waits else words


def mode_question(mode: Mode) -> str:
    """Whether a mode that does more without asking is meant."""
    return f"**{MODES.title(mode.value)}** {WHAT_MODES_DO[mode]}. Switch to it?"


def efforts_of(model: ModelInfo | None) -> tuple[Effort, ...]:
    """What a model can be told; empty where there is nothing to choose."""
    if model is None or not model.efforts:
        return ()
    return (Effort.AUTO, *(effort for effort in Effort if effort in model.efforts and effort is not Effort.AUTO))


class ChatOptions:
    """Looks at how chats are answered, and changes it."""

    def __init__(
        self, *, conversations: Conversations, seating: Seating, arrivals: Arrivals, preferences: Preferences
    ) -> None:
        self._conversations = conversations
        self._seating = seating
        self._arrivals = arrivals
        self._preferences = preferences

    async def look(self, seat: Seat) -> Answering:
        """How a seat's messages are answered now.

        Raises:
            NotFound: its conversation is not there any more.
        """
        async with self._seating.alone(seat) as record:
            pass
        if record is None or record.conversation_id is None:
            return self._of_seat(record)
        overview = await self._conversations.overview(record.conversation_id)
        return replace(self._answering(overview.state.options, overview.engine), holds=overview.state.holds)

    async def expect_quiet(self, seat: Seat) -> None:
        """Make sure that nothing is being answered here.

        Raises:
            Busy: an answer is being written, or a message is on its way to one.
            NotFound: the conversation is not there any more.
        """
        async with self._seating.alone(seat) as record:
            pass
        if self._arrivals.busy(seat):
            raise Busy("A message is on its way.")
        if record is not None and record.conversation_id is not None:
            overview = await self._conversations.overview(record.conversation_id)
            # what is held for want of an engine that can answer is no reason: another engine may be the way out
            if overview.state.turn is not None or (overview.waiting and not overview.held):
                raise Busy("A turn runs.")

    async def change(self, call: CommandCall, change: OptionsChange) -> Answering:
        """Answer a seat's messages so from now on; a call that is seen through a second time changes nothing again.

        Raises:
            Busy: an answer is being written; nothing was changed.
            NotFound: the conversation is not there any more.
        """
        await self.expect_quiet(call.seat)
        async with self._seating.alone(call.seat) as record:
            if record is None or record.conversation_id is None:
                waiting = _waiting(record or SeatRecord(call.seat, call.message.chat.kind.value), change)
                await self._seating.hold(waiting)
                return self._of_seat(waiting)
        decided = await self._conversations.decide(record.conversation_id, Configure(change), call.client_id)
        return self._answering(decided.after.options, self._conversations.engine_for(decided.after))

    async def end_hold(self, call: CommandCall, skill_id: str) -> bool:
        """Let go of what a used skill holds back in this chat; False where it held nothing (any more).

        Raises:
            NotFound: the conversation is not there any more.
        """
        async with self._seating.alone(call.seat) as record:
            if record is None or record.conversation_id is None:
                return False
        by = call.origin.person_name or "the owner"
        decided = await self._conversations.decide(record.conversation_id, EndHold(skill_id, by), call.client_id)
        return bool(decided.events)

    def _of_seat(self, record: SeatRecord | None) -> Answering:
        chosen = OptionsSet()
        if record is not None and record.pending_options is not None:
            chosen = record.pending_options.applied_to(chosen)
        if record is not None and record.pending_plan:
            chosen = chosen.model_copy(update={"mode": Mode.PLAN})
        engine = self._conversations.engine_for(ConversationState(options=chosen))
        return replace(self._answering(chosen, engine), waits=True)

    def _answering(self, chosen: OptionsSet, engine: Engine) -> Answering:
        default = self._conversations.engine_for(ConversationState())
        refused = why_no_plan(engine.title, engine.capabilities)
        settings = self._preferences.current
        return Answering(chosen, engine.id, engine.title, default.id, settings, why_no_plan=refused)


def _waiting(record: SeatRecord, change: OptionsChange) -> SeatRecord:
    """What waits on a seat after a choice. Plan mode waits beside the rest, and leaving it goes back to that."""
    plan = record.pending_plan if "mode" not in change.model_fields_set else change.mode is Mode.PLAN
    if change.mode is Mode.PLAN:
        rest = change.model_dump(exclude_unset=True, exclude={"mode"})
        change = OptionsChange(**rest)
    options = record.pending_options.then(change) if record.pending_options else change
    return replace(record, pending_plan=plan, pending_options=options if options.model_fields_set else None)
