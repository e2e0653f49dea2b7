"""What somebody decides about a conversation besides saying something: each is data that says what it adds to the log.

Pure. What a decision meets is looked at in the transaction that writes it (`core.store.log.Decide`), so that two of
them, or one and a turn that begins, never go by the same picture. Who may decide what is not asked here.
"""

from dataclasses import dataclass
from typing import Final

from core.conversation_state import ConversationState
from core.engines.base import EngineCapabilities, OwnTools
from core.errors import UsageError
from core.events import ContextCleared, ContextRestored, EventData, Mode, OptionsSet, SkillHoldEnded, TitleSet
from core.options import OptionsChange
from core.plain import plain
from core.projections import expired_offers, goal_change

MAX_TITLE: Final = 120
"""Characters."""


@dataclass(frozen=True, slots=True)
class Clear:
    """Let memory start anew. Nothing while a turn runs, or where nothing was said since the last time."""

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """Open offers end with it: nothing from before is carried on."""
        if state.turn is not None or not state.said_since_clear:
            return ()
        return (*expired_offers(state), ContextCleared())


@dataclass(frozen=True, slots=True)
class RestoreContext:
    """Take back the newest clear; nothing when anything was said after it, or when `cleared_seq` names another."""

    cleared_seq: int | None = None

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """Several clears are taken back one at a time."""
        newest = state.undoable_clear
        if newest is None or self.cleared_seq not in (None, newest):
            return ()
        return (ContextRestored(cleared_seq=newest),)


@dataclass(frozen=True, slots=True)
class SetGoal:
    """Work toward this from the next turn on; None takes the goal away.

    Raises:
        UsageError: it is blank, or over 500 characters after trimming.
    """

    goal: str | None

    def __post_init__(self) -> None:
        goal_change(ConversationState(), self.goal)

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The same goal again is nothing new."""
        change = goal_change(state, self.goal)
        return (change,) if change else ()


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """Go into plan mode (True), back to the mode before it (False), or to the one of the two that is not now (None).

    `default` is the mode where a chat names none.
    """

    on: bool | None = None
    default: Mode = Mode.ASK

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The whole set of options with the other mode."""
        options = plan_switched(state, self.on, self.default)
        return (options,) if options else ()


@dataclass(frozen=True, slots=True)
class Configure:
    """Answer this chat so from the next turn on."""

    change: OptionsChange

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The whole set of options; nothing where it is the same."""
        options = self.change.applied_to(state.options)
        return () if options == state.options else (options,)


@dataclass(frozen=True, slots=True)
class EndHold:
    """A person lets go of what a used skill holds back; nothing where it holds nothing (any more)."""

    skill_id: str
    by: str

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """From here on the chat asks as its mode says."""
        held = any(hold.skill_id == self.skill_id for hold in state.holds)
        return (SkillHoldEnded(skill_id=self.skill_id, reason=f"ended by {self.by}"),) if held else ()


@dataclass(frozen=True, slots=True)
class SetTitle:
    """Call this chat so.

    Raises:
        UsageError: nothing is left of it in one line, or it is over 120 characters.
    """

    title: str

    def __post_init__(self) -> None:
        if not 1 <= len(_line(self.title)) <= MAX_TITLE:
            raise UsageError(f"A name has 1 to {MAX_TITLE} characters; this one has {len(_line(self.title))}.")

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The same name again is nothing new."""
        title = _line(self.title)
        return () if title == state.title else (TitleSet(title=title),)


def _line(text: str) -> str:
    return plain(text, max(1, len(text)))


def plan_switched(state: ConversationState, on: bool | None, default: Mode = Mode.ASK) -> OptionsSet | None:
    """The options after `SwitchPlan(on, default)`; None when that changes nothing."""
    planning = (state.options.mode or default) is Mode.PLAN
    wanted = not planning if on is None else on
    if wanted == planning:
        return None
    mode = Mode.PLAN if wanted else state.mode_before_plan(default)
    return state.options.model_copy(update={"mode": mode})


Decision = Clear | RestoreContext | SetGoal | SwitchPlan | Configure | EndHold | SetTitle


def why_no_plan(title: str, able: EngineCapabilities) -> str | None:
    """Why an engine of this name cannot be kept to planning, as a sentence for the person; None when it can."""
    if able.own_tools is OwnTools.UNCONTROLLED:
        return f"{title} has tools of its own that nobody can hold back, so it cannot be kept from changing things."
    if able.plan_approval == "none":
        return f"{title} has no plan mode."
    return None
