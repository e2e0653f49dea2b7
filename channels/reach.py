"""How a chat app reaches us, and what it says about that: abilities that belong to the contract in `channels.base`.

None is needed; without them an adapter asks its app for everything, and nobody looks at more than a bot's key.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from channels.base import Identity
from core.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Pushed:
    """A request that came to an address of ours and may be the app's. `headers` have lower-case names.

    `body` is only read when it is asked for; what reads it refuses more than the app ever sends.
    """

    headers: Mapping[str, str]
    body: Callable[[], Awaitable[bytes]]


@runtime_checkable
class Pushes(Protocol):
    """An app that can bring what comes in to an address of ours. Without it: the adapter asks for it by itself."""

    async def pushed(self, request: Pushed) -> Mapping[str, Any] | None:
        """Come back when what was brought is stored: only then may the app be told "got it".

        What comes back is JSON that the app is to be told with that, where it asked for something; None for nothing.

        Raises:
            Unproven, NotAllowed: nothing proves that the app sent this; nothing of it was looked at.
            ValueError: it is not what the app sends; nothing was stored.
            TryLater: nothing was stored, and the app must try again.
        """
        ...


class Unproven(NotAllowed):
    """The app shows by a token who it is (`Authorization`), and this one proves nothing: it is told 401."""


class Notebook(Protocol):
    """What an adapter notes down, by names of its own choice, to know again after a restart. It goes with the bot.

    Every method raises `TryLater` where the store takes nothing now.
    """

    async def recall(self) -> Mapping[str, str]:
        """All notes, by their names."""
        ...

    async def note(self, name: str, words: str) -> None:
        """Note this down, in place of what stood there under this name."""
        ...

    async def forget(self, name: str) -> None:
        """Take a note away."""
        ...


@runtime_checkable
class Remembers(Protocol):
    """An adapter that must know things again after a restart that are in no message. Without it: nothing is kept."""

    def remember_in(self, notebook: Notebook) -> None:
        """Where to; said before `Channel.start`."""
        ...


@dataclass(frozen=True, slots=True)
class Probe:
    """What an app says about a bot at this moment.

    `clock` is the app's own time and `waiting` how many updates it keeps for us, where it says so. `troubles` are
    sentences for the owner about what keeps messages from coming in, each with what to do.
    """

    identity: Identity
    clock: datetime | None = None
    waiting: int | None = None
    troubles: tuple[str, ...] = ()


@runtime_checkable
class Probes(Protocol):
    """A kind whose app says more about a bot than whose key it is. Without it: `ChannelKind.check`."""

    async def probe(self, channel_id: str, credentials: Mapping[str, str]) -> Probe:
        """Ask the app, without changing anything and without getting in the way of a running channel.

        Raises:
            TryLater, Refused: as for `ChannelKind.check`.
        """
        ...


@runtime_checkable
class Endpoints(Protocol):
    """A kind whose bots must be told where to bring messages, in the app itself. Without it: nothing is to be set."""

    def endpoint(self, channel_id: str) -> str | None:
        """The address to set there; None where we have none from outside."""
        ...


@runtime_checkable
class Invites(Protocol):
    """A kind whose bots are brought by a link to where people can write to them. Without it: they are found by name."""

    def invite_link(self, identity: Identity) -> str:
        """The address at which the owner brings the bot there, with everything that it needs."""
        ...
