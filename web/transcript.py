"""What stands in a chat, top to bottom: a fold of its events into items that a screen shows one below the other.

Pure. An item keeps its id for as long as it stands, and what happens later changes it in place. What is drawn of it is
in `web.cards`; which events a person sees nothing of is decided here.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from channels.cards.decided import Ended, end_of
from channels.formatting.parts import literal
from channels.summaries import told_of
from commands.values import EFFORTS, MODES
from core import events as ev
from core import problems
from core.cards import Offer, PlanStep, Question, ReplySuggestion

# ---- what stands there ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """What a person wrote."""

    message: ev.UserMessage


@dataclass(frozen=True, slots=True)
class Answer:
    """What the assistant wrote."""

    message: ev.AssistantMessage


@dataclass(frozen=True, slots=True)
class ToolRow:
    """Something the assistant did. `finished` is None while it goes on, and where its turn ended over it."""

    started: ev.ToolStarted
    finished: ev.ToolFinished | None = None
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question. `ended`: why the turn ended, where nobody answered."""

    question: Question
    answered: ev.QuestionAnswered | None = None
    ended: Ended | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can be answered."""
        return self.answered is None and self.ended is None


@dataclass(frozen=True, slots=True)
class PermissionCard:
    """Something that waits for a yes, or a plan that waits for a start."""

    asked: ev.PermissionRequested
    resolved: ev.PermissionResolved | None = None
    ended: Ended | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can be decided."""
        return self.resolved is None and self.ended is None


@dataclass(frozen=True, slots=True)
class OfferCard:
    """Something that could be turned on."""

    offer: Offer
    resolved: ev.OfferResolved | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can be taken."""
        return self.resolved is None


@dataclass(frozen=True, slots=True)
class Checklist:
    """The plan of a turn; `is_over` once the turn has ended."""

    steps: tuple[PlanStep, ...]
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Chips:
    """What could be said next."""

    replies: tuple[ReplySuggestion, ...]


@dataclass(frozen=True, slots=True)
class Cleared:
    """Memory starts anew below. `undoable` until something is said, `undone` when it was taken back."""

    seq: int
    undoable: bool = True
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of ours, with what can be unfolded below it; both are Markdown, in which others' names are literal."""

    words: str
    tone: Literal["plain", "trouble"] = "plain"
    more: str = ""
    retry: bool = False
    """It was cut off, and can be tried again as long as it stands last."""


Body = Said | Answer | ToolRow | QuestionCard | PermissionCard | OfferCard | Checklist | Chips | Cleared | Line


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that stands in a chat. `changed` is the seq of the event that made it what it is, `at` when it began.

    `id` is fit for an attribute of HTML, whatever an engine or an app called the thing.
    """

    id: str
    changed: int
    at: datetime
    body: Body


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one item: it comes at the end, is another in its place, or goes (then `item` is None)."""

    item_id: str
    how: Literal["append", "morph", "remove"]
    item: Item | None = None


LONGEST_ID: Final = 80
_ODD: Final = re.compile(r"[^A-Za-z0-9_-]")


def item_id(kind: str, given: str) -> str:
    """An id for HTML from one that somebody else made; different for different ones."""
    plain = _ODD.sub(lambda found: f".{ord(found[0]):x}.", given)
    if len(plain) > LONGEST_ID:
        plain = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}-{plain}"


# ---- the fold ------------------------------------------------------------------------------------------------------


class Transcript:
    """Everything that stands there so far. What an event changes that stands further up than it begins is left out."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._open: dict[str, None] = {}
        """Of the running turn: tools, cards, the checklist."""
        self._calls: dict[str, str] = {}
        """Items of tool calls that go on, by the engine's id, which an engine may give again later."""
        self._turn: int | None = None
        self._chips: str | None = None
        self._undoable: str | None = None
        self._retry: str | None = None

    @property
    def items(self) -> Sequence[Item]:
        """From the top."""
        return tuple(self._items.values())

    def add(self, event: ev.Event) -> tuple[Change, ...]:
        """What an event changes, in order. The events must come in the order of the log."""
        does = _DOES.get(type(event.data))
        return tuple(does(self, event, event.data)) if does else ()

    # ---- parts of a change -----------------------------------------------------------------------------------------

    def _put(self, event: ev.Event, name: str, body: Body) -> Change:
        known = self._items.get(name)
        item = Item(name, event.seq, known.at if known else event.at, body)
        self._items[name] = item
        return Change(name, "morph" if known else "append", item)

    def _remove(self, name: str) -> Change:
        del self._items[name]
        return Change(name, "remove")

    def _line(self, event: ev.Event, words: str, **more: Any) -> Change:  # noqa: ANN401 - the fields of `Line`
        return self._put(event, f"m-{event.seq}", Line(words, **more))

    def _quieted(self, event: ev.Event) -> Iterable[Change]:
        """Something newer stands below: chips go, a clear stays, what was cut off is over."""
        if self._chips is not None:
            name, self._chips = self._chips, None
            yield self._remove(name)
        if self._undoable is not None:
            name, self._undoable = self._undoable, None
            body = self._items[name].body
            if isinstance(body, Cleared):
                yield self._put(event, name, replace(body, undoable=False))
        if self._retry is not None:
            name, self._retry = self._retry, None
            body = self._items[name].body
            if isinstance(body, Line):
                yield self._put(event, name, replace(body, retry=False))

    # ---- what is said ----------------------------------------------------------------------------------------------

    def _said(self, event: ev.Event, data: ev.UserMessage) -> Iterable[Change]:
        yield from self._quieted(event)
        yield self._put(event, f"m-{event.seq}", Said(data))

    def _answered(self, event: ev.Event, data: ev.AssistantMessage) -> Iterable[Change]:
        yield self._put(event, f"m-{event.seq}", Answer(data))

    def _turn_started(self, event: ev.Event, data: ev.TurnStarted) -> Iterable[Change]:
        self._turn = event.seq
        yield from self._quieted(event)
        if data.trigger is ev.Trigger.CARRY_ON:
            yield self._line(event, "Carrying on with what you asked")

    def _turn_completed(self, event: ev.Event, data: ev.TurnCompleted) -> Iterable[Change]:
        ended = end_of(data)
        for name in self._open:
            body = _over(self._items[name].body, ended)
            if body is not None:
                yield self._put(event, name, body)
        self._open.clear()
        self._calls.clear()
        self._turn = None
        if data.outcome == "error":
            yield self._line(event, data.error or "Something went wrong.", tone="trouble")
        elif data.outcome == "interrupted" and data.cut_off_by == "restart":
            self._retry = f"m-{event.seq}"
            yield self._line(event, problems.CUT_OFF, retry=True)
        elif data.outcome == "interrupted":
            yield self._line(event, "Stopped.")

    # ---- what is done ----------------------------------------------------------------------------------------------

    def _tool_started(self, event: ev.Event, data: ev.ToolStarted) -> Iterable[Change]:
        name = item_id(f"tool-{event.seq}", data.tool_use_id)
        self._calls[data.tool_use_id] = name
        self._open[name] = None
        yield self._put(event, name, ToolRow(data))

    def _tool_finished(self, event: ev.Event, data: ev.ToolFinished) -> Iterable[Change]:
        name = self._calls.pop(data.tool_use_id, None) or item_id(f"tool-{event.seq}", data.tool_use_id)
        self._open.pop(name, None)
        known = self._items.get(name)
        started = known.body.started if known and isinstance(known.body, ToolRow) else None
        yield self._put(
            event,
            name,
            ToolRow(started or ev.ToolStarted(tool_use_id=data.tool_use_id, name=data.name), data, is_over=True),
        )

    def _planned(self, event: ev.Event, data: ev.PlanUpdated) -> Iterable[Change]:
        name = f"plan-{self._turn if self._turn is not None else event.seq}"
        if data.steps:
            self._open[name] = None
            yield self._put(event, name, Checklist(data.steps))
        elif name in self._items:
            self._open.pop(name, None)
            yield self._remove(name)

    # ---- cards -----------------------------------------------------------------------------------------------------

    def _question(self, event: ev.Event, data: ev.QuestionAsked) -> Iterable[Change]:
        name = item_id("question", data.question.question_id)
        self._open[name] = None
        yield self._put(event, name, QuestionCard(data.question))

    def _question_answered(self, event: ev.Event, data: ev.QuestionAnswered) -> Iterable[Change]:
        known = self._items.get(item_id("question", data.question_id))
        if known and isinstance(known.body, QuestionCard):
            yield self._put(event, known.id, replace(known.body, answered=data))

    def _permission(self, event: ev.Event, data: ev.PermissionRequested) -> Iterable[Change]:
        name = item_id("permission", data.permission_id)
        self._open[name] = None
        yield self._put(event, name, PermissionCard(data))

    def _permission_resolved(self, event: ev.Event, data: ev.PermissionResolved) -> Iterable[Change]:
        known = self._items.get(item_id("permission", data.permission_id))
        if known and isinstance(known.body, PermissionCard):
            yield self._put(event, known.id, replace(known.body, resolved=data))

    def _offer(self, event: ev.Event, data: ev.OfferShown) -> Iterable[Change]:
        yield self._put(event, item_id("offer", data.offer.offer_id), OfferCard(data.offer))

    def _offer_resolved(self, event: ev.Event, data: ev.OfferResolved) -> Iterable[Change]:
        known = self._items.get(item_id("offer", data.offer_id))
        if known and isinstance(known.body, OfferCard):
            yield self._put(event, known.id, replace(known.body, resolved=data))

    def _replies(self, event: ev.Event, data: ev.Replies) -> Iterable[Change]:
        if self._chips is not None:
            name, self._chips = self._chips, None
            yield self._remove(name)
        if data.replies:
            self._chips = f"replies-{event.seq}"
            yield self._put(event, self._chips, Chips(data.replies))

    # ---- memory ----------------------------------------------------------------------------------------------------

    def _cleared(self, event: ev.Event, data: ev.ContextCleared) -> Iterable[Change]:
        yield from self._quieted(event)
        self._undoable = f"cleared-{event.seq}"
        yield self._put(event, self._undoable, Cleared(event.seq))

    def _restored(self, event: ev.Event, data: ev.ContextRestored) -> Iterable[Change]:
        name = f"cleared-{data.cleared_seq}"
        if self._undoable == name:
            self._undoable = None
        known = self._items.get(name)
        if known and isinstance(known.body, Cleared):
            yield self._put(event, name, replace(known.body, undoable=False, undone=True))

    def _compacted(self, event: ev.Event, data: ev.ContextCompacted) -> Iterable[Change]:
        yield self._line(event, told_of(data), more=data.summary)

    # ---- sentences -------------------------------------------------------------------------------------------------

    def _goal(self, event: ev.Event, data: ev.GoalSet) -> Iterable[Change]:
        yield self._line(event, f"The goal is now “{literal(data.goal)}”." if data.goal else "The goal was taken away.")

    def _options(self, event: ev.Event, data: ev.OptionsSet) -> Iterable[Change]:
        yield self._line(event, options_line(data))

    def _tainted(self, event: ev.Event, data: ev.Tainted) -> Iterable[Change]:
        yield self._line(event, _SOURCES[data.source].format(literal(data.label)))

    def _skill_used(self, event: ev.Event, data: ev.SkillUsed) -> Iterable[Change]:
        yield self._line(event, f"Used the skill “{literal(data.title)}”")

    def _hold_ended(self, event: ev.Event, data: ev.SkillHoldEnded) -> Iterable[Change]:
        yield self._line(event, "What a skill held back is let go of.")

    def _artifact(self, event: ev.Event, data: ev.ArtifactChanged) -> Iterable[Change]:
        yield self._line(event, f"{literal(data.title)}, {data.kind}, version {data.version}")

    def _held(self, event: ev.Event, data: ev.TurnHeld) -> Iterable[Change]:
        yield self._line(event, HELD, tone="trouble")

    def _routed(self, event: ev.Event, data: ev.TurnRouted) -> Iterable[Change]:
        yield self._line(event, problems.took_over(data))

    def _needs_sign_in(self, event: ev.Event, data: ev.AppNeedsSignIn) -> Iterable[Change]:
        yield self._line(event, f"{literal(data.name)} wants you to sign in again.", tone="trouble")

    def _drafted(self, event: ev.Event, data: ev.RoutineDrafted) -> Iterable[Change]:
        yield self._line(event, f"A routine stands ready: {literal(data.title)}, {literal(data.schedule)}")

    def _notice(self, event: ev.Event, data: ev.Notice) -> Iterable[Change]:
        yield self._line(event, data.message)


def folded(events: Iterable[ev.Event]) -> Transcript:
    """What stands in the chat after these."""
    transcript = Transcript()
    for event in events:
        transcript.add(event)
    return transcript


HELD: Final = "Nothing can answer right now. The message is kept, and answered as soon as something can."

_SOURCES: Final = {
    "web": "Read a page from outside: {}",
    "download": "Read a file from outside: {}",
    "app": "Read content of {}",
    "person": "Read words of {}",
}


def options_line(options: ev.OptionsSet) -> str:
    """How a chat is answered from here on, where it says anything itself."""
    said = [f"mode {MODES.title(options.mode.value)}"] if options.mode else []
    said += [f"engine {literal(options.engine)}"] if options.engine else []
    said += [f"model {literal(options.model)}"] if options.model else []
    said += [f"effort {EFFORTS.title(options.effort.value)}"] if options.effort else []
    said += [f"fast answers {'on' if options.fast else 'off'}"] if options.fast is not None else []
    return f"From here on: {', '.join(said)}" if said else "From here on: as in every chat"


def _over(body: Body, ended: Ended) -> Body | None:
    """What an open thing is once its turn has ended; None where that changes nothing."""
    match body:
        case ToolRow(is_over=False):
            return replace(body, is_over=True)
        case QuestionCard(ended=None) if body.answered is None or _by_nobody(body.answered):
            return replace(body, ended=ended)
        case PermissionCard(ended=None) if body.resolved is None or body.resolved.decision == "expired":
            return replace(body, ended=ended)
        case Checklist(is_over=False):
            return replace(body, is_over=True)
    return None


def _by_nobody(answered: ev.QuestionAnswered) -> bool:
    return answered.by is None and answered.words is None and not answered.expired


_Does = Callable[[Transcript, ev.Event, Any], Iterable[Change]]

_DOES: Final[Mapping[type[ev.EventData], _Does]] = {
    ev.UserMessage: Transcript._said,
    ev.AssistantMessage: Transcript._answered,
    ev.ToolStarted: Transcript._tool_started,
    ev.ToolFinished: Transcript._tool_finished,
    ev.PermissionRequested: Transcript._permission,
    ev.PermissionResolved: Transcript._permission_resolved,
    ev.QuestionAsked: Transcript._question,
    ev.QuestionAnswered: Transcript._question_answered,
    ev.OfferShown: Transcript._offer,
    ev.OfferResolved: Transcript._offer_resolved,
    ev.Replies: Transcript._replies,
    ev.PlanUpdated: Transcript._planned,
    ev.ContextCleared: Transcript._cleared,
    ev.ContextRestored: Transcript._restored,
    ev.ContextCompacted: Transcript._compacted,
    ev.GoalSet: Transcript._goal,
    ev.OptionsSet: Transcript._options,
    ev.Tainted: Transcript._tainted,
    ev.SkillUsed: Transcript._skill_used,
    ev.SkillHoldEnded: Transcript._hold_ended,
    ev.ArtifactChanged: Transcript._artifact,
    ev.TurnStarted: Transcript._turn_started,
    ev.TurnCompleted: Transcript._turn_completed,
    ev.TurnHeld: Transcript._held,
    ev.TurnRouted: Transcript._routed,
    ev.AppNeedsSignIn: Transcript._needs_sign_in,
    ev.RoutineDrafted: Transcript._drafted,
    ev.Notice: Transcript._notice,
}

UNSEEN: Final[Sequence[type[ev.EventData]]] = (ev.TitleSet, ev.StatusChanged, ev.Unknown)
"""Events of which nothing stands among the messages."""
