"""What a look at everything finds: facts only, for the doctor. What is right or wrong about them is its to say."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from web.engines import EngineView


class Facts(BaseModel):
    """Something that was found."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Answer(StrEnum):
    """What came of asking a bot's app whether its key works."""

    WORKS = "works"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    """The stored key cannot be opened, or nobody here knows the app any more."""
    AWAY = "away"
    """The app could not be asked."""


class AppSays(Facts):
    """What a bot's app says at this moment; `words` where the key does not work.

    `clock_ahead` is by how many seconds the app's clock is ahead of ours, `waiting` how many updates it keeps for us.
    """

    answer: Answer
    words: str = ""
    clock_ahead: float | None = None
    waiting: int | None = None
    troubles: tuple[str, ...] = ()


class BotFacts(Facts):
    """One bot: what its app says, and what is known here.

    `state`, a `HealthState`, and what goes with it is there only while a server runs and the bot is on. `pending`
    counts updates that are stored and not seen through, `oldest` is the age of the oldest in seconds; `poisoned` counts
    those that were given up.
    """

    name: str
    kind: str
    enabled: bool
    app: AppSays
    state: str | None = None
    detail: str | None = None
    since: datetime | None = None
    last_event: datetime | None = None
    pending: int = 0
    oldest: float = 0.0
    poisoned: int = 0


class ConnectedApp(Facts):
    """An app that the owner connected, and whether there is a key of it that can be used now."""

    id: str
    name: str
    answer: Answer


class Diagnosis(Facts):
    """Everything. `running`: a server gave it, and not a command beside no server. `unsent` counts by outbox state."""

    running: bool
    can_store: bool
    bots: tuple[BotFacts, ...] = ()
    engines: tuple[EngineView, ...] = ()
    apps: tuple[ConnectedApp, ...] = ()
    remarks: tuple[str, ...] = ()
    """Sentences about engines that are set and not there, or found and not to be used."""
    unsent: Mapping[str, int] = {}
