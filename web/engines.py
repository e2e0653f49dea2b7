"""What the owner's commands can ask about engines: the protocol and its data. None of it holds a key."""

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import SecretStr

from web.views import View

EngineState = Literal["ready", "not-ready", "broken"]


class EngineView(View):
    """An engine, connected or found. `source` says by what it is here, for people.

    `model` is the one that answers where a chat names none, where that is known; `models` counts what there is to
    choose from (None: it could not be asked). `trouble` is a sentence where something is wrong.
    """

    id: str
    title: str
    standing: Literal["connected", "found", "built-in"]
    source: str
    state: EngineState
    is_default: bool = False
    is_fallback: bool = False
    model: str | None = None
    models: int | None = None
    trouble: str | None = None


class EnginesView(View):
    """Every engine, the preferred first. `remarks` are sentences about what is set and not there, or cannot be used."""

    engines: tuple[EngineView, ...]
    remarks: tuple[str, ...] = ()


class ModelView(View):
    """A model. `window` is its context in tokens; None and empty where nothing is known."""

    id: str
    title: str
    window: int | None = None
    efforts: tuple[str, ...] = ()
    fast: bool = False
    images: bool = False


class ModelsView(View):
    """What an engine offers, its default first."""

    engine: str
    title: str
    models: tuple[ModelView, ...]
    trouble: str | None = None


class NewEngine(View):
    """What the owner gives to connect an engine. `pasted` holds the key; None is a server that takes none."""

    kind: str | None = None
    pasted: SecretStr | None = None
    url: str | None = None
    name: str | None = None
    model: str | None = None


class AddedView(View):
    """An engine was connected. `updated`: it was before, and has a new key or address now."""

    engine: EngineView
    updated: bool


class RemovedView(View):
    """An engine was forgotten. `answers` is the title of the one that answers by default now."""

    id: str
    title: str
    answers: str


class TrialView(View):
    """What came of one small question. `problem` is a sentence where no answer came; `cost` is in US dollars."""

    engine: str
    title: str
    model: str | None
    answer: str
    seconds: float
    input: int = 0
    output: int = 0
    cost: float | None = None
    problem: str | None = None


class EngineCommands(Protocol):
    """Connecting and choosing engines.

    Raises:
        UsageError, NotFound: the words fit nothing; the message says what there is.
        Refused, TryLater: the server does not take the key, or could not be reached; nothing was stored.
        StoreUnavailable: nothing was changed.
    """

    async def list(self) -> EnginesView:
        """Every engine. Asks each for its models, side by side."""
        ...

    async def add(self, new: NewEngine) -> AddedView:
        """Connect an engine, after its server said which models it has."""
        ...

    async def remove(self, engine: str) -> RemovedView:
        """Forget a connected engine and its key; chats that chose it get the default."""
        ...

    async def models(self, engine: str | None) -> Sequence[ModelsView]:
        """What one engine offers, or all."""
        ...

    async def make_default(self, engine: str, model: str | None) -> EngineView:
        """Let it answer where a chat names none, with this model (None: its own default)."""
        ...

    async def make_fallback(self, engine: str | None) -> EngineView | None:
        """Let it take over for one reply when another cannot answer; None: nothing does."""
        ...

    async def test(self, engine: str) -> TrialView:
        """Ask it one small question. It counts as used."""
        ...
