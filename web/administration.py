"""What the owner's commands can ask of Conch, the same with a running server and without one.

The protocol and its data only: the program does it, the local socket carries it (`web.control`). All data can be shown
to the owner; none of it holds a key.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.errors import (
    Busy,
    ConchError,
    MaybeDone,
    NotAllowed,
    NotFound,
    Refused,
    RefusedReason,
    StoreUnavailable,
    TryLater,
    UsageError,
)
from web.apps import AppCommands
from web.diagnosis import Diagnosis
from web.engines import EngineCommands
from web.preferences import SettingCommands, UsageView
from web.tokens import TokenCommands
from web.views import View


class ChannelView(View):
    """A connected bot. `state` is a `HealthState` while a server runs; `detail` says what to do, where something is.

    `last_event` is when its app last brought something useful, in this life of the server.
    """

    id: str
    kind: str
    name: str
    username: str | None
    enabled: bool
    state: str | None = None
    detail: str | None = None
    last_event: datetime | None = None


class HelloView(View):
    """How the owner, or someone they let in, says hello to a bot. `link` is None for an app without such links."""

    channel: ChannelView
    link: str | None
    expires_at: datetime


class ConnectedView(View):
    """A bot was connected. `updated`: it was connected before and has a new key now.

    `invite` is the link that brings it to where people can write to it, in an app where that is needed,
    `endpoint` where the app must be told to bring messages, where it must.
    """

    channel: ChannelView
    updated: bool
    hello: HelloView | None
    invite: str | None = None
    endpoint: str | None = None


class PersonView(View):
    """Someone who is let in or blocked, by the app's own `id`; names can be set by anyone."""

    channel: ChannelView
    id: str
    name: str
    username: str | None
    role: str
    since: datetime
    last_seen: datetime | None


class RequestView(View):
    """A stranger who wrote; `preview` is the beginning of what they wrote."""

    channel: ChannelView
    person_id: str
    name: str
    username: str | None
    preview: str
    at: datetime


class PeopleView(View):
    """Everyone the bots know."""

    people: tuple[PersonView, ...]
    requests: tuple[RequestView, ...]


class GroupView(View):
    """A group that a bot is in, by the app's own `id`; its title can be set by whoever runs it."""

    channel: ChannelView
    id: str
    title: str
    on: bool
    last_heard: datetime


_ERRORS: dict[str, type[ConchError]] = {
    error.__name__: error
    for error in (StoreUnavailable, Busy, TryLater, MaybeDone, NotAllowed, NotFound, UsageError, ConchError)
}


class ErrorView(View):
    """An error on its way from the server to a command, which raises the same one."""

    error: str
    message: str
    retry_after: float | None = None
    reason: RefusedReason | None = None

    @classmethod
    def of(cls, error: ConchError) -> "ErrorView":
        """The error as data; a class of its own below one of ours travels as ours."""
        name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _ERRORS), "ConchError")
        if isinstance(error, Refused):
            return cls(error="Refused", message=str(error), reason=error.reason)
        return cls(error=name, message=str(error), retry_after=getattr(error, "retry_after", None))

    def to_error(self) -> ConchError:
        """The error again."""
        if self.reason is not None:
            return Refused(self.message, self.reason)
        kind = _ERRORS.get(self.error, ConchError)
        if issubclass(kind, TryLater):
            return kind(self.message, retry_after=self.retry_after)
        return kind(self.message)


class Administration(Protocol):
    """The owner's commands. `channel` is an id or a bot's username; None where there is only one.

    Raises:
        UsageError, NotFound: the words fit nothing, or more than one thing; the message says which there are.
        Refused, TryLater: the chat app said no, or could not be reached.
        StoreUnavailable: nothing was changed.
    """

    @property
    def engines(self) -> EngineCommands:
        """What can be asked about engines."""
        ...

    @property
    def settings(self) -> SettingCommands:
        """What can be asked about settings."""
        ...

    @property
    def tokens(self) -> TokenCommands:
        """What can be asked about tokens of the API."""
        ...

    @property
    def apps(self) -> AppCommands:
        """What can be asked about apps."""
        ...

    async def usage(self, days: int) -> UsageView:
        """What was used of models in the last days, today among them."""
        ...

    async def channels(self) -> Sequence[ChannelView]:
        """Every connected bot."""
        ...

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        """Connect the bot whose key is somewhere in `pasted`."""
        ...

    async def link_channel(self, channel: str | None) -> HelloView:
        """A new hello link; earlier ones that were not used still work until they expire."""
        ...

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        """Turn a bot on or off."""
        ...

    async def remove_channel(self, channel: str) -> ChannelView:
        """Forget a bot and its key."""
        ...

    async def people(self, channel: str | None) -> PeopleView:
        """Who is let in, blocked or asking, of one bot or of all."""
        ...

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        """Let someone in by the app's own id."""
        ...

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        """Never hear of someone again."""
        ...

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        """Take back what someone was allowed."""
        ...

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        """The groups that a bot is in, or all bots, the one heard of last first."""
        ...

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        """Answer in a group, by the app's own id, or not any more. Without a bot, the one that is in it."""
        ...

    async def diagnose(self) -> Diagnosis:
        """Ask every bot's app, every engine and the database. Takes as long as the slowest app, a minute at most.

        Raises:
            StoreUnavailable: the database cannot even be read.
        """
        ...

    async def console_link(self) -> str:
        """A new one-time link to the web side.

        Raises:
            UsageError: no server runs.
        """
        ...
