"""What the promises need of an app to hold an adapter to them: somebody to write, press and look, and some trouble.

An author of an adapter writes one `Rig` over a pretend app, and runs every promise of `channels.conformance.promises`.
What only some apps have is a Protocol of its own here, too: a rig that lacks one that its adapter needs is told so.
"""

import asyncio
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from channels.base import Channel, ChatRef, Form, Inbound, Press, Sender, Update
from commands.values import ValueItem
from core.errors import TryLater


class Trouble(StrEnum):
    """What can be made of the bot's next send."""

    REFUSED_FOR_NOW = "refused for now"
    """The app is busy, and says for how long."""
    NEVER = "never"
    """The app will never take it: the person blocked the bot, say."""
    RECEIPT_LOST = "receipt lost"
    """The app takes it, and the connection breaks before it says so."""


class Rig(Protocol):
    """One adapter, started, and one person in a private chat with its bot."""

    @property
    def channel(self) -> Channel:
        """The adapter under test."""
        ...

    @property
    def chat(self) -> ChatRef:
        """The person's private chat with the bot."""
        ...

    @property
    def secret(self) -> str:
        """The part of the bot's key that must never show."""
        ...

    async def say(self, text: str) -> None:
        """The person writes to the bot."""
        ...

    async def press(self, label: str) -> None:
        """The person presses the button of the newest message that has it."""
        ...

    def seen(self) -> Sequence[str]:
        """The words of the bot's messages as the person sees them, oldest first."""
        ...

    def labels(self) -> Sequence[Sequence[str]]:
        """What can be pressed or picked under each of these messages, by what stands on it; as many as `seen` has."""
        ...

    def own_message(self) -> Mapping[str, Any] | None:
        """A payload in which the app tells the bot of its own message; None where the app never does."""
        ...

    def trouble(self, trouble: Trouble) -> None:
        """Make something of the next send."""
        ...

    def revoke(self) -> None:
        """The bot's key works no more, for anything."""
        ...

    async def cut(self) -> None:
        """Break the open connections; the app cannot be reached until `mend`."""
        ...

    async def mend(self) -> None:
        """Let the app be reached again."""
        ...


@runtime_checkable
class WritesInThreads(Protocol):
    """A rig whose person also writes in a thread of a group. An adapter with `Threads` calls for it."""

    async def say_in_thread(self, text: str) -> None:
        """The person says this to the bot where a thread is, or where one opens for the answer."""
        ...

    def seen_in_thread(self) -> Sequence[str]:
        """The words of the bot's messages in that thread."""
        ...

    def seen_beside(self) -> Sequence[str]:
        """The words of the bot's messages in the group, outside of the thread."""
        ...


@runtime_checkable
class FillsIn(Protocol):
    """A rig whose person fills in forms. An adapter with `Forms` or `FormMessages` calls for it."""

    async def open_form(self, label: str | None) -> Sequence[str]:
        """What stands on the fields of a form, in order.

        `label` is the button of the newest message that opens it; None: the message itself has the fields.
        """
        ...

    async def fill_in(self, values: Mapping[str, str]) -> None:
        """Send that form with these values, by what stands on its fields; an option by its label."""
        ...


@runtime_checkable
class ShowsMenu(Protocol):
    """A rig whose person sees the app's own menu of commands. An adapter with `NativeMenus` calls for it."""

    def menu(self) -> Sequence[str]:
        """The names of the commands in it, without a slash."""
        ...


class Ear:
    """A sink that keeps what came in; it can refuse to store, as a full disk does."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._more = asyncio.Condition()
        self.offered: list[Update] = []
        self.stored: list[Update] = []
        self.heard: list[Inbound] = []
        self.is_online = asyncio.Event()
        self.was_offered = asyncio.Event()
        self.full = 0
        self.forms: dict[str, Form] = {}
        self.wrong: dict[str, Mapping[str, str]] = {}
        self.words: dict[str, Sequence[ValueItem]] = {}

    async def store(self, updates: Sequence[Update]) -> None:
        """Keep them, or refuse as long as `full` is above 0."""
        async with self._more:
            self.offered += updates
            if updates:
                self.was_offered.set()
            if self.full > 0 and updates:
                self.full -= 1
                raise TryLater("The disk is full.")
            self.stored += updates
            for update in updates:
                self.heard += self._channel.parse(update.payload)
            self._more.notify_all()

    def online(self) -> None:
        """Note it."""
        self.is_online.set()

    async def form(self, press: Press) -> Form | None:
        """What the test has put there for this token."""
        return self.forms.get(press.token)

    async def faults(self, press: Press) -> Mapping[str, str]:
        """What the test finds wrong with whatever is sent with this token."""
        return self.wrong.get(press.token, {})

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        """What the test has put there for this command."""
        return self.words.get(command, ())

    async def until_heard(self, kind: type[Inbound], count: int = 1) -> list[Inbound]:
        """Come back with everything of this kind, once there are so many."""
        async with self._more:
            await self._more.wait_for(lambda: len(self._of(kind)) >= count)
        return self._of(kind)

    def _of(self, kind: type[Inbound]) -> list[Inbound]:
        return [item for item in self.heard if isinstance(item, kind)]
