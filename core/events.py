"""What happened in a conversation: the envelope and the data of every type of event.

Events are facts. Their names and meanings never change once stored; a type or field that this release does not know is
kept and skipped, never an error. What a conversation *is* (goal, memory start, mode, open cards) is a fold over its
events, in `core.projections`. Platform payloads and SQL have no place here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core.cards import Offer, PlanStep, Question, ReplySuggestion, ToolView
from core.participants import Address as Address
from core.participants import Attachment as Attachment
from core.participants import ChatKind as ChatKind
from core.participants import Origin as Origin


class EventData(BaseModel):
    """The data of one event. `type` is its name in the log."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str


class Mode(StrEnum):
    """How much may happen without asking; power in this order."""

    PLAN = "plan"
    ASK = "ask"
    EDIT = "edit"
    AUTO = "auto"
    FULL = "full"


class Effort(StrEnum):
    """How hard a model thinks."""

    AUTO = "auto"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class UserMessage(EventData):
    """What a person said. Logged when it goes to an engine, not while it waits in the queue."""

    type: Literal["user.message"] = "user.message"
    message_id: str
    text: str
    origin: Origin
    attachments: tuple[Attachment, ...] = ()
    client_id: str | None = None
    others_words: bool = False
    """Somebody else's words are in it (forwarded, quoted, a group member's)."""


class AssistantMessage(EventData):
    """What the assistant said: final, or what there was at a stop or error."""

    type: Literal["assistant.message"] = "assistant.message"
    message_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


class ToolStarted(EventData):
    """A tool call began."""

    type: Literal["tool.started"] = "tool.started"
    tool_use_id: str
    name: str
    input: dict[str, Any] = {}


class ToolFinished(EventData):
    """A tool call ended."""

    type: Literal["tool.finished"] = "tool.finished"
    tool_use_id: str
    name: str
    status: Literal["ok", "error", "stopped"]
    output: str = ""
    duration_ms: int = 0
    view: ToolView | None = None


class PermissionRequested(EventData):
    """A tool call waits for a person's yes."""

    type: Literal["permission.requested"] = "permission.requested"
    permission_id: str
    tool_name: str
    input: dict[str, Any] = {}
    summary: str
    reason: str | None = None
    """Why it is asked though the mode or an earlier yes would let it run, for people; no "always" then."""
    once: bool = False
    """It can be allowed for this one time only."""
    asks_owner: bool = False
    """It is the owner's to decide, not the person's whose chat it is."""


class PermissionResolved(EventData):
    """A waiting tool call was decided."""

    type: Literal["permission.resolved"] = "permission.resolved"
    permission_id: str
    decision: Literal["allow", "allow-always", "deny", "expired"]
    by: str | None = None


class QuestionAsked(EventData):
    """The assistant waits for an answer."""

    type: Literal["question"] = "question"
    question: Question


class QuestionAnswered(EventData):
    """A question was answered, or skipped: then there are no `words`.

    `answer` holds the exact values by field; it is None where the person typed words that are no field's value.
    """

    type: Literal["question.answered"] = "question.answered"
    question_id: str
    answer: dict[str, Any] | None = None
    words: str | None = None
    """The answer as people read it; typed words as they were typed."""
    by: str | None = None
    """Who answered or skipped it, in words for people; None where its time was over or the turn ended."""
    expired: bool = False
    """Nobody answered in time."""


class OfferShown(EventData):
    """An offer stands under the reply."""

    type: Literal["offer"] = "offer"
    offer: Offer


class OfferResolved(EventData):
    """What became of an offer."""

    type: Literal["offer.resolved"] = "offer.resolved"
    offer_id: str
    outcome: Literal["accepted", "dismissed", "expired"]
    by: str | None = None


class Replies(EventData):
    """Chips to send next; an empty list takes earlier ones back."""

    type: Literal["replies"] = "replies"
    replies: tuple[ReplySuggestion, ...] = Field(max_length=3)
    by: Literal["assistant", "conch"] = "assistant"


class PlanUpdated(EventData):
    """The whole plan; a later one replaces it."""

    type: Literal["plan"] = "plan"
    steps: tuple[PlanStep, ...] = Field(max_length=30)


class ContextCleared(EventData):
    """Memory starts after this."""

    type: Literal["context.cleared"] = "context.cleared"


class ContextRestored(EventData):
    """A clear was taken back; `cleared_seq` names it."""

    type: Literal["context.restored"] = "context.restored"
    cleared_seq: int


class ContextCompacted(EventData):
    """Everything before `before_seq` was folded into `summary`; an empty one: dropped, as no summary was to be had."""

    type: Literal["context.compacted"] = "context.compacted"
    summary: str
    before_seq: int
    engine: str
    model: str | None = None
    turns: int = 0
    asked: bool = False
    by: str | None = None
    """The person who asked for it."""
    address: Address | None = None
    """Where it is told when somebody asked; else where the running turn's words go."""


class GoalSet(EventData):
    """The chat's goal (1–500 characters), or None when it was taken away."""

    type: Literal["goal"] = "goal"
    goal: str | None = Field(max_length=500)


class OptionsSet(EventData):
    """The whole set of options; None means the default."""

    type: Literal["options"] = "options"
    engine: str | None = None
    model: str | None = None
    effort: Effort | None = None
    fast: bool | None = None
    mode: Mode | None = None


class Tainted(EventData):
    """Something from outside came in for the first time."""

    type: Literal["taint"] = "taint"
    source: Literal["web", "download", "app", "person"]
    label: str
    tool_use_id: str | None = None


class SkillUsed(EventData):
    """A skill was used; its holds apply from here on."""

    type: Literal["skill.used"] = "skill.used"
    skill_id: str
    name: str
    title: str
    by: str
    permissions: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()


class SkillHoldEnded(EventData):
    """A person ended a skill's hold."""

    type: Literal["skill.hold.ended"] = "skill.hold.ended"
    skill_id: str
    reason: str


class ArtifactChanged(EventData):
    """A chart, table, drawing or document was made or changed."""

    type: Literal["artifact"] = "artifact"
    artifact_id: str
    title: str
    kind: Literal["chart", "table", "mermaid", "svg", "document"]
    version: int
    action: str


class Trigger(StrEnum):
    """Why a turn started."""

    MESSAGE = "message"
    CARRY_ON = "carry-on"
    ROUTINE = "routine"
    BACKGROUND = "background"
    RETRY = "retry"


class TurnStarted(EventData):
    """A turn began. Its id is the seq of this event."""

    type: Literal["turn.started"] = "turn.started"
    engine: str
    model: str | None = None
    trigger: Trigger = Trigger.MESSAGE
    address: Address | None = None
    """Where its words go besides the console; None for a turn that nobody follows in a chat app."""


class Usage(BaseModel):
    """What a turn used, in tokens; `cost` in US dollars where it is known."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    input: int = 0
    output: int = 0
    cached: int = 0
    context_used: int | None = None
    context_size: int | None = None
    cost: float | None = None


class Problem(StrEnum):
    """Why a turn ended in an error."""

    REFUSED = "refused"
    CONTEXT_FULL = "context_full"
    AUTH = "auth"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    REJECTED = "rejected"
    BUDGET = "budget"
    CRASHED = "crashed"


class TurnCompleted(EventData):
    """A turn ended. `error` is a plain sentence for the person, with what to do."""

    type: Literal["turn.completed"] = "turn.completed"
    outcome: Literal["success", "interrupted", "error"]
    engine: str
    model: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    error: str | None = None
    problem: Problem | None = None
    cut_off_by: Literal["stop", "restart"] | None = None
    """Why it was interrupted: a person stopped it, or the program ended under it."""


class TurnHeld(EventData):
    """No engine can answer now; the message is kept and goes when one is ready."""

    type: Literal["turn.held"] = "turn.held"
    reason: Literal["offline", "no-engine"]
    address: Address | None = None
    """Where it is told."""


class TurnRouted(EventData):
    """Another engine took over, for this turn. `reason` is how the first one ended; titles are names for people."""

    type: Literal["turn.routed"] = "turn.routed"
    from_engine: str
    to_engine: str
    reason: str
    from_title: str | None = None
    to_title: str | None = None
    to_model: str | None = None


class AppNeedsSignIn(EventData):
    """A connected app wants its person to sign in again."""

    type: Literal["app.needs_sign_in"] = "app.needs_sign_in"
    app_id: str
    name: str


class RoutineDrafted(EventData):
    """A routine stands ready to be switched on."""

    type: Literal["routine.drafted"] = "routine.drafted"
    routine_id: str
    title: str
    schedule: str


class TitleSet(EventData):
    """The conversation's title."""

    type: Literal["title"] = "title"
    title: str


class Notice(EventData):
    """A plain sentence to the people of this conversation. `code` is stable, `message` is for reading."""

    type: Literal["notice"] = "notice"
    code: str
    message: str
    address: Address | None = None
    """Where it is told when no turn runs; a running turn's notice goes where the turn's words go."""


class Status(StrEnum):
    """What a conversation is doing."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING = "waiting"


class StatusChanged(EventData):
    """The conversation's status, for lists and screens."""

    type: Literal["status"] = "status"
    status: Status


class Unknown(EventData):
    """An event that this release does not know, exactly as it was stored."""

    raw: Mapping[str, Any]


KnownEvent = Annotated[
    UserMessage
    | AssistantMessage
    | ToolStarted
    | ToolFinished
    | PermissionRequested
    | PermissionResolved
    | QuestionAsked
    | QuestionAnswered
    | OfferShown
    | OfferResolved
    | Replies
    | PlanUpdated
    | ContextCleared
    | ContextRestored
    | ContextCompacted
    | GoalSet
    | OptionsSet
    | Tainted
    | SkillUsed
    | SkillHoldEnded
    | ArtifactChanged
    | TurnStarted
    | TurnCompleted
    | TurnHeld
    | TurnRouted
    | AppNeedsSignIn
    | RoutineDrafted
    | TitleSet
    | Notice
    | StatusChanged,
    Field(discriminator="type"),
]

_KNOWN: TypeAdapter[Any] = TypeAdapter(KnownEvent)


_TAGGED = (QuestionAsked, ToolFinished)
"""Events with parts that are told apart by their `kind`, which is a default and must be written all the same."""


def encode(data: EventData) -> str:
    """The JSON text that is stored beside the type; fields at their defaults are left out."""
    if isinstance(data, Unknown):
        return TypeAdapter(dict[str, Any]).dump_json(dict(data.raw)).decode()
    return data.model_dump_json(exclude={"type"}, exclude_defaults=not isinstance(data, _TAGGED), by_alias=True)


def decode(event_type: str, raw: Mapping[str, Any]) -> EventData:
    """The data of a stored event; what cannot be read becomes `Unknown`, never an error."""
    try:
        known: EventData = _KNOWN.validate_python({**raw, "type": event_type})
    except ValidationError:
        return Unknown(type=event_type, raw=raw)
    return known


@dataclass(frozen=True, slots=True)
class Event:
    """One event in its envelope.

    `seq` counts from 0, without gaps, per conversation. `at` is UTC with millisecond precision.
    """

    conversation_id: str
    seq: int
    at: datetime
    data: EventData

    @property
    def type(self) -> str:
        """The name of the event's type."""
        return self.data.type
