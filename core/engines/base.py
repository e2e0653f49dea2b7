"""The contract of an engine: it turns one turn into events, and nothing else.

The core owns people, permissions, waiting questions, the log and the tool list; an engine never knows a host tool by
name. No library's type leaves its adapter file. Capabilities are data, never `isinstance` or a name.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, runtime_checkable

from core.cards import PlanStep, Question, ToolView
from core.events import Attachment, Effort, Mode, Usage

EXIT_PLAN_MODE = "exit_plan_mode"
"""How a plan is put to the person, with `{"plan": Markdown}` as arguments: a host tool of this name, which fails unless
they press Start; or, where the engine asks natively, `Host.permit` with this title and `PLAN_OPTIONS`."""

START = "Start"
KEEP_PLANNING = "Keep planning"
PLAN_OPTIONS = (START, KEEP_PLANNING)


class OwnTools(StrEnum):
    """How far an engine's own tools can be held."""

    NONE = "none"
    CAN_BE_OFF = "can-be-off"
    ASKS_FIRST = "asks-first"
    UNCONTROLLED = "uncontrolled"


@dataclass(frozen=True, slots=True)
class EngineCapabilities:
    """What an engine can do; the core decides by these."""

    host_tools: Literal["inline", "mcp", "none"] = "none"
    own_tools: OwnTools = OwnTools.NONE
    own_plan: bool = False
    modes: tuple[Mode, ...] = ()
    plan_approval: Literal["native", "host", "none"] = "none"
    resume: Literal["history", "session"] = "history"
    keeps_transcript: bool = False
    """Its memory is a transcript that we keep, so it folds its own when that grows too long (`Compacts`)."""
    steer: bool = False
    native_ask: bool = False
    attachments: bool = False
    reaches: tuple[str, ...] = ()
    """Catalog ids of apps that the engine uses by itself."""


@dataclass(frozen=True, slots=True)
class HostTool:
    """A tool of ours that an engine may call. `schema` is a JSON schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]
    writes: bool = False
    hidden_in_plan: bool = False


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model and how; None means the engine's default."""

    model: str | None = None
    effort: Effort | None = None
    fast: bool | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that an engine can use. `window` is its context in tokens, `efforts` the ones it can be told.

    None and empty say that it is not known or that there is nothing to choose.
    """

    id: str
    title: str
    window: int | None = None
    efforts: tuple[Effort, ...] = ()
    fast: bool = False
    images: bool = False


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a turn may use at most, in tokens (in and out together) and US dollars; None is no limit.

    Looked at before each call of a model: once it is used up, no further call is made and the turn ends with
    `EndReason.BUDGET`. A call that was begun is not cut off.
    """

    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What holds while a turn runs and may change inside it: plan mode can end in the middle of an answer."""

    instructions: str = ""
    """The system text."""
    mode: Mode = Mode.ASK
    tools: tuple[HostTool, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnInput:
    """One turn, as an engine gets it. Instructions, mode and tools are as at its start; `Host.frame` has them now."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    instructions: str = ""
    """The system text."""
    mode: Mode = Mode.ASK
    tools: tuple[HostTool, ...] = ()
    words_only: bool = False
    """Somebody asks who may only be talked with: tools of the engine's own are off, or each call is put to the host,
    reading too, which says no."""
    options: ModelOptions = field(default_factory=ModelOptions)
    handoff: str | None = None
    """What happened since this engine last took part, framed as context."""
    first_seq: int = 0
    """Where the turn begins in the log; a compaction names by it the oldest turn that stays as it was."""
    allowance: Allowance = field(default_factory=Allowance)


@dataclass(frozen=True, slots=True)
class Text:
    """The next words of the answer."""

    delta: str


@dataclass(frozen=True, slots=True)
class Thought:
    """The next words of the model's thinking: never sent to a chat app."""

    delta: str


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """The message being written is complete; further text begins a new one."""


@dataclass(frozen=True, slots=True)
class FileMade:
    """A file that belongs to the message being written; `content` is its bytes."""

    name: str
    mime: str
    content: bytes
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool call began; `origin` says whether it is one of ours."""

    id: str
    name: str
    args: Mapping[str, Any]
    origin: Literal["host", "agent"]


@dataclass(frozen=True, slots=True)
class ToolCallEnded:
    """A tool call ended."""

    id: str
    status: Literal["ok", "error", "stopped"]
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The engine's own plan; replaces the earlier one."""

    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The engine switched its mode by itself."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class Used:
    """What the turn used so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Compacted:
    """The engine folded the older part of its transcript into a summary (empty: it was dropped without one).

    `before_seq` is the `first_seq` of the oldest turn that stays; `turns` counts those that were folded, `model` wrote
    the summary. `usage` is what it took where somebody asked; inside a turn it is part of the turn's own.
    """

    summary: str
    before_seq: int
    turns: int
    model: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Noticed:
    """A plain sentence for the person."""

    code: str
    message: str


class EndReason(StrEnum):
    """Why a turn ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    LENGTH = "length"
    REFUSED = "refused"
    CONTEXT_FULL = "context_full"
    AUTH = "auth"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    REJECTED = "rejected"
    BUDGET = "budget"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event of every turn, exactly once. `message` is a plain sentence with what to do."""

    reason: EndReason
    message: str | None = None
    retry_after: float | None = None


EngineEvent = (
    Text
    | Thought
    | MessageEnd
    | FileMade
    | ToolCallStarted
    | ToolCallEnded
    | Plan
    | ModeChanged
    | Used
    | Compacted
    | Noticed
    | Ended
)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a host tool tells the model."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class HostToolResult(ToolAnswer):
    """What a host tool comes to: `text` for the model, and what the person is shown instead of it.

    An engine gets the answer alone; the view goes into the log with the end of the call (`core.engines.calls`).
    """

    view: ToolView | None = None


class Host(Protocol):
    """What an engine may call while a turn runs.

    Each call may take minutes (a person is asked) and is cancelled when the turn ends for any reason. What the engine
    yielded before a call stands in the log before the call is carried out.
    """

    def frame(self) -> Frame:
        """Instructions, mode and tools as they are now. An engine that can asks before each call of its model."""
        ...

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Run one of the host tools."""
        ...

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """Ask whether a tool of the engine's own may run: one of `options`, of which the first is the yes, or None."""
        ...

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """Put an agent's own question to the person; None when it was skipped."""
        ...


class Session(Protocol):
    """An engine's own memory of one conversation."""

    def run(self, turn: TurnInput, host: Host) -> AsyncIterator[EngineEvent]:
        """Answer one turn. Ends with exactly one `Ended`, whatever happens."""
        ...

    async def cancel(self) -> None:
        """End the running turn soon, with `Ended(cancelled)`. Harmless when none runs."""
        ...

    def state(self) -> Mapping[str, Any]:
        """What to hand to `open` to go on later: JSON, saved after every turn."""
        ...

    async def close(self) -> None:
        """Let go of everything the session holds."""
        ...


@runtime_checkable
class Compacts(Protocol):
    """A session whose transcript can be folded when somebody asks. Without it: there is nothing to fold."""

    async def compact(self, focus: str | None, options: ModelOptions) -> Compacted | None:
        """Fold all but the newest turn; None when there is nothing to fold. Only while no turn runs.

        Raises:
            TryLater: no summary is to be had now, and nothing was folded.
        """
        ...


class Engine(Protocol):
    """Something that can answer."""

    @property
    def id(self) -> str:
        """Its name in options and events, for example `demo`."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def capabilities(self) -> EngineCapabilities:
        """What it can do."""
        ...

    async def ready(self) -> bool:
        """Whether it could answer now (a key, a server, a program is there). Cheap; never calls a model."""
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """What there is to choose from, the default first; empty where there is nothing. May ask a server.

        Raises:
            TryLater: the server could not be reached.
            Refused: it does not take the key.
        """
        ...

    def default_model(self) -> str | None:
        """The id of the model that answers where none is named, where it is known by now; never asks a server."""
        ...

    def window(self, model: str | None) -> int | None:
        """The context of a model (None: the default one) in tokens, where it is known by now."""
        ...

    async def open(self, state: Mapping[str, Any] | None) -> Session:
        """A session that goes on from `state`, or a new one."""
        ...


class WithoutModels:
    """The part of an engine that has no models to choose from."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """None."""
        return ()

    def default_model(self) -> str | None:
        """None."""
        return None

    def window(self, model: str | None) -> int | None:
        """Of none."""
        return None
