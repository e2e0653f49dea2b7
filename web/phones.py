"""What the playground's page needs of a pretend chat app, and the data that goes between them.

Belongs here: the contract and its data. The routes are in `web.playground`; who keeps the contract is in `conch`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Shown in the page; everything else is only handed over as a file. No SVG: it can carry script."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """Something that can be broken: its name on the wire, and the words on its button."""

    name: str
    label: str
    about: str


@dataclass(frozen=True, slots=True)
class Abilities:
    """What people can do in the app. `replies` is `quote` or `thread`: how a message is answered there.

    `writes_to` calls the bot in a group, `command` is what a command of the bot's begins with.
    """

    replies: str
    writes_to: str
    forwards: bool = False
    likes: bool = False
    threads: bool = False
    command: str = "/"


@dataclass(frozen=True, slots=True)
class ScreenEvent:
    """Something that happened on a screen; `number` says where to go on after it."""

    number: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """A file of a chat."""

    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Spot:
    """Who is played, and where: the chat on their phone, and the message whose thread is open."""

    person: str
    place: str
    thread: str | None = None


class PretendApp(Protocol):
    """A pretend chat app, as the page needs it.

    Raises:
        UsageError: that cannot be done there (no such message, too long …).
        TryLater: the pretend app is not running now.
    """

    @property
    def name(self) -> str:
        """What it is called on the wire."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def abilities(self) -> Abilities:
        """What can be done in it."""
        ...

    @property
    def breakages(self) -> Sequence[Breakage]:
        """What can be broken."""
        ...

    async def state(self) -> Mapping[str, Any]:
        """Everything: `bot`, `people`, `places`, `screens` by person and place, `faults`, `after` to go on from."""
        ...

    def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        """What happens after that number, for ever."""
        ...

    async def say(self, spot: Spot, text: str) -> None:
        """Write a message, or give a command."""
        ...

    async def reply(self, spot: Spot, message: str, text: str) -> None:
        """Answer a message."""
        ...

    async def edit(self, spot: Spot, message: str, text: str) -> None:
        """Change one's own words."""
        ...

    async def like(self, spot: Spot, message: str, *, on: bool) -> None:
        """Put a thumb under a message, or take it away."""
        ...

    async def forward(self, spot: Spot, text: str, of: str) -> None:
        """Pass on what someone else wrote."""
        ...

    async def press(self, spot: Spot, message: str, labels: Sequence[str]) -> Mapping[str, Any]:
        """Press a button or pick from a list; gives a `line` that came, a `form` that opened."""
        ...

    async def fill_in(self, spot: Spot, form: str, values: Mapping[str, str | Sequence[str]]) -> Mapping[str, Any]:
        """Send a form; gives a `line` that came, and `errors` by field."""
        ...

    async def attach(self, spot: Spot, file: Content, caption: str) -> None:
        """Send a picture or a file."""
        ...

    async def file(self, file_id: str) -> Content:
        """A file that stands in a chat."""
        ...

    async def break_(self, name: str) -> None:
        """Let something go wrong once."""
        ...

    async def mend(self) -> None:
        """Let everything work again."""
        ...
