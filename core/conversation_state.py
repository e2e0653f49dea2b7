"""What is known of a conversation after its newest event, kept small enough to be written with every append.

Texts are cut, lists are capped, and whoever needs the whole thing reads the event at the remembered seq. Everything
that only lives while a turn runs (open tools, a waiting question or permission) is kept inside the turn, so that the
end of the turn ends it. How events change it is in `core.conversation_changes`.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from core import events as ev
from core.cards import Offer, PlanStep, Question, ReplySuggestion

MAX_CLEARS = 32
"""Clears that can be taken back. `/clear` is refused when nothing was said since the last one, and only a clear that
nothing was said after can be undone, so two are enough for any log of ours; one pushed out stays in force for good."""
MAX_OFFERS = 8
"""Open offers; a turn shows one and a message expires them, so the oldest of more is a leftover."""
MAX_OFFERED = 200
"""Things that were offered here before; one that is pushed out may be offered once more."""
MAX_OPEN_CALLS = 64
"""Tools and permissions open at once in one turn."""
MAX_TAINT_MARKS = 12
MAX_ALWAYS = 100
"""Actions that were allowed for good; one that is pushed out is asked about once more."""
MAX_TEXT = 300
"""Of a remembered text that people read; the event itself has the whole."""


class Kept(BaseModel):
    """A part of the state."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class OpenTool(Kept):
    """A tool call that has not ended."""

    tool_use_id: str
    name: str


class WaitingQuestion(Kept):
    """A question that nobody answered yet, and where it stands."""

    seq: int
    asked_at: datetime
    question: Question


class WaitingPermission(Kept):
    """A tool call that waits for a yes. Its input is in the event at `seq`: it has no upper size."""

    seq: int
    asked_at: datetime
    permission_id: str
    tool_name: str
    summary: str
    reason: str | None = None
    once: bool = False
    asks_owner: bool = False
    action: str = ""
    """Which exact action it is, as `core.safety.permissions.action_of` names it."""


class RunningTurn(Kept):
    """The turn that runs, and all that ends with it. `engine` is the one at work now, also after a change of engine."""

    seq: int
    engine: str
    model: str | None = None
    trigger: ev.Trigger = ev.Trigger.MESSAGE
    address: ev.Address | None = None
    said_seq: int | None = None
    """The newest `user.message` when it began; a typed answer to its question is no message to answer again."""
    open_tools: tuple[OpenTool, ...] = ()
    question: WaitingQuestion | None = None
    permissions: tuple[WaitingPermission, ...] = ()
    offered: bool = False
    """An offer was shown in it."""
    read_outside: bool = False
    """Something from outside came in while it ran."""


class SkillHold(Kept):
    """What a used skill holds back until a person ends it."""

    skill_id: str
    title: str
    holds: tuple[str, ...]


class TaintMark(Kept):
    """Something from outside that came in."""

    source: Literal["web", "download", "app", "person"]
    label: str


class StandingPlan(Kept):
    """The newest plan and where it stands."""

    seq: int
    steps: tuple[PlanStep, ...]


class ConversationState(Kept):
    """A conversation after its event `last_seq`; without arguments, one in which nothing has happened.

    A seq of -1 lies before every event.
    """

    last_seq: int = -1
    title: str | None = None
    turn: RunningTurn | None = None
    last_user_seq: int | None = None
    last_said_seq: int = -1
    """The newest `user.message` or `turn.started`."""
    clears: tuple[int, ...] = ()
    """Clears in force that can still be taken back, oldest first."""
    settled_clear: int = -1
    """The newest clear that was pushed out of `clears`."""
    goal: str | None = None
    options: ev.OptionsSet = ev.OptionsSet()
    mode_at_plan: ev.Mode | None = None
    """The mode that the newest switch into plan mode left; None for the default."""
    open_offers: tuple[Offer, ...] = ()
    offered: tuple[str, ...] = ()
    """What was ever offered here (`offered_key`), whatever became of it; a clear does not touch it."""
    replies: tuple[ReplySuggestion, ...] = ()
    latest_plan: StandingPlan | None = None
    summary_seq: int = -1
    """The newest `context.compacted` that has a summary."""
    holds: tuple[SkillHold, ...] = ()
    """One entry a skill, so bounded by the skills there are; never cut, for a forgotten hold would be an open door."""
    taint: tuple[TaintMark, ...] = ()
    always: tuple[str, ...] = ()
    """The exact actions that were allowed for good in this chat, the newest last; a clear does not touch them."""

    @property
    def status(self) -> ev.Status:
        """From the facts; a `status` event only announces what they say."""
        if self.turn is None:
            return ev.Status.IDLE
        return ev.Status.WAITING if self.turn.question or self.turn.permissions else ev.Status.RUNNING

    @property
    def turn_seq(self) -> int | None:
        """The seq of the running turn's `turn.started`: the turn's id."""
        return self.turn.seq if self.turn else None

    @property
    def turn_engine(self) -> str | None:
        """The engine at work."""
        return self.turn.engine if self.turn else None

    @property
    def turn_address(self) -> ev.Address | None:
        """Where the running turn's words go besides the console."""
        return self.turn.address if self.turn else None

    @property
    def open_tools(self) -> tuple[OpenTool, ...]:
        """Tool calls of the running turn that have not ended."""
        return self.turn.open_tools if self.turn else ()

    @property
    def waiting_question(self) -> WaitingQuestion | None:
        """The one question that waits for an answer."""
        return self.turn.question if self.turn else None

    @property
    def waiting_permissions(self) -> tuple[WaitingPermission, ...]:
        """Tool calls that wait for a yes, oldest first."""
        return self.turn.permissions if self.turn else ()

    @property
    def memory_start(self) -> int:
        """The newest clear in force: memory is what has a greater seq."""
        return self.clears[-1] if self.clears else self.settled_clear

    @property
    def said_since_clear(self) -> bool:
        """Whether a clear would forget anything."""
        return self.last_said_seq > self.memory_start

    @property
    def undoable_clear(self) -> int | None:
        """The newest clear, while nothing was said after it."""
        return self.clears[-1] if self.clears and not self.said_since_clear else None

    @property
    def current_plan(self) -> StandingPlan | None:
        """The newest plan that is not before the memory start, and not an empty one."""
        plan = self.latest_plan
        return plan if plan and plan.steps and plan.seq > self.memory_start else None

    @property
    def current_summary(self) -> int | None:
        """The seq of the newest summary that is not from before the memory start."""
        return self.summary_seq if self.summary_seq > self.memory_start else None

    @property
    def tainted(self) -> bool:
        """Whether anything from outside ever came in."""
        return bool(self.taint)

    def mode_before_plan(self, default: ev.Mode) -> ev.Mode:
        """The mode to go back to: never plan itself. `default` is the mode of a conversation that names none."""
        mode = self.mode_at_plan or default
        return ev.Mode.ASK if mode is ev.Mode.PLAN else mode


def offered_key(offer: Offer) -> str:
    """What names the thing that is offered, whichever card offers it."""
    return f"{offer.kind.value}:{offer.target}"
