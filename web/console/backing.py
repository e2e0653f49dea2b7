"""What the owner's pages need of the program beyond `web.administration.Administration`: protocols and their data."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.skills.skill import Skill, SkillMode
from core.store.audit import AuditLine
from web.views import View


class FindingView(View):
    """One thing that was looked at: `ok`, `warn` or `fail`. `todo` says what to do, where there is anything to do."""

    subject: str
    verdict: str
    said: str
    todo: str | None = None


class DeliveryView(View):
    """A message that did not arrive for certain: `unknown`, `failed` or `expired`.

    `words` is its beginning, `why` what the app or the sender said.
    """

    id: int
    bot: str
    words: str
    state: str
    why: str | None
    at: datetime


class LevelView(View):
    """How much of something there is at this moment."""

    title: str
    count: int


class Checkup(Protocol):
    """Looking at everything, and at what could not be delivered.

    Raises:
        StoreUnavailable: the database cannot be read, or nothing was changed.
    """

    async def findings(self) -> Sequence[FindingView]:
        """Everything that can be asked now. Takes as long as the slowest app, a minute at most."""
        ...

    async def findings_of(self, channel: str) -> Sequence[FindingView]:
        """One bot alone, by its id.

        Raises:
            NotFound: there is no such bot.
        """
        ...

    async def levels(self) -> Sequence[LevelView]:
        """What waits at this moment."""
        ...

    async def deliveries(self, most: int) -> Sequence[DeliveryView]:
        """What did not arrive for certain, the newest first."""
        ...

    async def resend(self, delivery: int) -> bool:
        """Send it again; False where it is not in trouble any more."""
        ...

    async def drop(self, delivery: int) -> bool:
        """Leave it unsent for good; False where it is not in trouble any more."""
        ...


class SkillCommands(Protocol):
    """The owner's skills and when they are used."""

    async def list(self) -> Sequence[Skill]:
        """Every skill, with when it is used."""
        ...

    async def use(self, name: str, mode: SkillMode) -> Skill:
        """Have it used so from now on.

        Raises:
            NotFound: there is none of that name.
            UsageError: the lists are set where Conch was started.
        """
        ...


class Manifests(Protocol):
    """What a chat app makes its side of a bot from."""

    @property
    def reached(self) -> bool:
        """Whether there is a public address to which an app can bring messages."""
        ...

    def slack(self) -> str:
        """JSON to paste."""
        ...

    def teams(self, app_id: str) -> bytes:
        """A package to upload, as a ZIP.

        Raises:
            UsageError: there is no public address, or that is no id of an app.
        """
        ...


class Activity(Protocol):
    """What was done.

    Raises:
        StoreUnavailable: it cannot be read now.
    """

    async def page(self, most: int, before: int | None = None, what: Sequence[str] = ()) -> Sequence[AuditLine]:
        """The newest first, those before the line `before`; of these deeds, where any are named."""
        ...


class Backing(Protocol):
    """All of it."""

    @property
    def checkup(self) -> Checkup:
        """How everything is."""
        ...

    @property
    def skills(self) -> SkillCommands:
        """The skills."""
        ...

    @property
    def manifests(self) -> Manifests:
        """The manifests."""
        ...

    @property
    def activity(self) -> Activity:
        """What was done."""
        ...
