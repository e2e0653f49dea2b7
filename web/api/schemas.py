"""What goes in and out of the API, as models: they are its documentation too, so their words are for who uses it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.cards import Offer, PlanStep, Question, ReplySuggestion
from core.events import Effort, Mode, Status, Trigger

MOST_WORDS = 100_000
"""Characters of one message."""

LARGEST = 2**31 - 1


def _whole(text: str) -> str:
    """JSON can hold half a character (`"\\ud800"`); nothing of ours can."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half a character")
    return text


Text = Annotated[str, AfterValidator(_whole)]
Words = Annotated[Text, Field(min_length=1, max_length=MOST_WORDS, pattern=r"\S")]
ClientId = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[!-~]+$")]


class Given(BaseModel):
    """What is sent; a field that does not belong there is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Told(BaseModel):
    """What is answered."""

    model_config = ConfigDict(frozen=True)


class Problem(Told):
    """What went wrong (RFC 9457). `code` is stable; `detail` is a sentence for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str


# ---- what is sent ----------------------------------------------------------------------------------------------------


class OptionsGiven(Given):
    """How a conversation is answered. Only fields that are given count; null goes back to the default."""

    engine: Text | None = Field(None, description="An id of `GET /api/engines`", max_length=200)
    model: Text | None = Field(None, description="An id of `GET /api/models`", max_length=200)
    effort: Effort | None = None
    fast: bool | None = None
    mode: Mode | None = Field(None, description="What it may do without asking")


class Message(Given):
    """A message of the owner's."""

    text: Words
    client_id: ClientId | None = Field(
        None, description="Yours, new for each message: the same one again is not sent twice, so that you can retry"
    )


class FirstMessage(Message):
    """The message that a new conversation begins with, and how it is answered."""

    goal: Text | None = Field(None, min_length=1, max_length=500)
    plan: bool = Field(False, description="Plan first, and change nothing")
    options: OptionsGiven | None = None


class Again(Given):
    """What is to be answered once more."""

    client_id: ClientId | None = Field(None, description="As for a message")
    of_turn: int | None = Field(None, description="Only if nothing was said since this turn", ge=0, le=LARGEST)


class Clearing(Given):
    """Which clear is taken back."""

    cleared_seq: int | None = Field(
        None, description="The clear's seq; the newest where it is not given", ge=0, le=LARGEST
    )


class Goal(Given):
    """What the conversation works toward; null takes the goal away."""

    goal: Text | None = Field(max_length=1_000, description="1 to 500 characters")


class Planning(Given):
    """Plan mode on or off; null is the other one of the two."""

    on: bool | None


class Folding(Given):
    """What should be kept when memory is summed up."""

    focus: Text | None = Field(None, max_length=500)


Value = Text | bool | int | float | Sequence[Text] | None


class Values(Given):
    """An answer, field by field: an option's id (or several), a date `2026-12-24`, a time `18:30`, a number, words."""

    values: Mapping[Text, Value]


class Typed(Given):
    """An answer in words: the value of the only field where it can be, else an answer of its own."""

    text: Words


class Deciding(Given):
    """What is decided about a tool call that waits. For a plan, `allow` is Start and `deny` is Keep planning."""

    decision: Literal["allow", "allow-always", "deny"]


class Taking(Given):
    """How a skill is taken: `on` has it used automatically from now on, `once` for the one request. No app needs it."""

    skill: Literal["on", "once"] | None = None


class Dismissing(Given):
    """With `mute` it is never suggested again, in any conversation."""

    mute: bool = False


# ---- what is answered ------------------------------------------------------------------------------------------------


class ConversationView(Told):
    """A conversation as lists show it."""

    id: str
    title: str | None
    status: Status
    last_seq: int
    created_at: datetime
    updated_at: datetime


class ConversationsPage(Told):
    """Conversations, the one changed last first. `next` is the `after` of the next page; null: this is the last."""

    conversations: tuple[ConversationView, ...]
    next: str | None


class EventView(Told):
    """Something that happened, as it stands in the log. `seq` counts from 0 without gaps, per conversation.

    Which fields `data` has, `type` says. There may be types and fields that you do not know: skip them.
    """

    conversation_id: str
    seq: int
    at: datetime
    type: str
    data: dict[str, Any]


class EventsPage(Told):
    """Events, the oldest first. Where the last one's `seq` is less than `last_seq`, go on after it."""

    events: tuple[EventView, ...]
    last_seq: int


class SentView(Told):
    """What became of a message. `duplicate`: it was sent before, and nothing happened; `waiting` counts with it."""

    conversation_id: str
    client_id: str
    outcome: Literal["started", "queued", "held", "duplicate"]
    waiting: int = 0


class StoppedView(Told):
    """What was stopped: an answer (or a summing up), and how many messages waited."""

    turn: bool
    waiting: int


class ClearedView(Told):
    """`seq` is what `restore_context` takes. `nothing`: nothing was said since the last clear."""

    outcome: Literal["cleared", "nothing"]
    seq: int | None


class RestoredView(Told):
    """`nothing`: there is no such clear, or something was said since."""

    outcome: Literal["restored", "nothing"]


class OptionsView(Told):
    """What the conversation itself chose; null is the default."""

    engine: str | None
    model: str | None
    effort: Effort | None
    fast: bool | None
    mode: Mode | None


class GoalView(Told):
    """The goal now. It counts from the next answer on."""

    goal: str | None


class PlanningView(Told):
    """Whether it plans first now, and the mode."""

    on: bool
    mode: Mode


class FoldingView(Told):
    """`nothing`: there is nothing to sum up; `own-memory`: the engine keeps its memory to itself."""

    outcome: Literal["started", "nothing", "own-memory"]


class AnsweredView(Told):
    """The answer counts. `words` are how people read it; null: it was skipped."""

    outcome: Literal["answered"] = "answered"
    words: str | None


class ResolvedView(Told):
    """The decision counts."""

    outcome: Literal["resolved"] = "resolved"


class TakenView(Told):
    """The assistant carries on now, or (`queued`) when what runs has ended. `done`: the offer was taken before."""

    outcome: Literal["started", "queued", "done"]


class DismissedView(Told):
    """Now or before."""

    outcome: Literal["dismissed"] = "dismissed"


# ---- a conversation as it is now -------------------------------------------------------------------------------------


class EngineNow(Told):
    """What answers the next message."""

    id: str
    title: str
    model: str | None


class TurnNow(Told):
    """The answer that is being given; `seq` is its id."""

    seq: int
    engine: str
    model: str | None
    trigger: Trigger


class QuestionNow(Told):
    """A question that waits, and where it stands in the log."""

    seq: int
    asked_at: datetime
    question: Question


class PermissionNow(Told):
    """A tool call that waits. What exactly it would do is in the event at `seq`."""

    seq: int
    asked_at: datetime
    permission_id: str
    tool_name: str
    summary: str
    reason: str | None
    always: bool = Field(description="Whether `allow-always` is offered")


class TaintNow(Told):
    """Something from outside that came in."""

    source: Literal["web", "download", "app", "person"]
    label: str


class QueueNow(Told):
    """Messages that wait; `held`: for an engine that can answer."""

    waiting: int
    held: bool


class MemoryNow(Told):
    """Where memory starts: everything up to `cleared_seq` is forgotten. `undoable_seq` is a clear to take back."""

    cleared_seq: int | None
    undoable_seq: int | None
    summary: str | None
    folding: bool


class OverviewView(Told):
    """A conversation as it is now: take up its events after `last_seq` to follow it."""

    id: str
    title: str | None
    status: Status
    last_seq: int
    engine: EngineNow
    options: OptionsView
    mode: Mode = Field(description="In force: the conversation's own or the default one")
    goal: str | None
    taint: tuple[TaintNow, ...]
    turn: TurnNow | None
    question: QuestionNow | None
    permissions: tuple[PermissionNow, ...]
    offers: tuple[Offer, ...]
    plan: tuple[PlanStep, ...]
    replies: tuple[ReplySuggestion, ...]
    queue: QueueNow
    memory: MemoryNow


# ---- settings --------------------------------------------------------------------------------------------------------


class SettingNow(Told):
    """A setting. One that is `fixed` can only be changed where it comes from, which `source` names."""

    name: str
    value: str | bool | int | float | tuple[str, ...] | None
    source: str
    fixed: bool
    description: str


class SettingsView(Told):
    """Every setting that can be changed while Conch runs."""

    settings: tuple[SettingNow, ...]


class ActivityLine(Told):
    """Something that was done. `what` is a stable code (you may not know all of them), `by` and `about` are words.

    `address` is where it was asked from, where that is known.
    """

    id: int
    at: datetime
    what: str
    by: str
    about: str
    address: str | None


class ActivityPage(Told):
    """What was done, the newest first. `next` is the `before` of the next page; null: this is the last."""

    lines: tuple[ActivityLine, ...]
    next: int | None
