"""What an adapter may be able to do besides what it must: a Protocol for each ability, asked for when it is wanted.

They belong to the contract in `channels.base`. Each says what happens without it.
"""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from channels.base import ChatRef, Form, InboundAttachment, MessageRef, OutboundMessage, Press, Update
from commands.menus import NativeMenu


@runtime_checkable
class Completes(Protocol):
    """An app that names people and rooms by ids alone. Without it: what was stored is all that is known."""

    async def complete(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was stored, with what had to be asked for: its names. `parse` finds the same chat in both.

        Asked for after the app was told "got it", so it may take a moment; what is not found is left out.
        """
        ...


@runtime_checkable
class Edits(Protocol):
    """An app whose messages can be changed later. Without it: a message says what it said."""

    async def edit(self, message: MessageRef, new: OutboundMessage) -> None:
        """Make the message say something else; no change counts as success."""
        ...

    async def delete(self, message: MessageRef) -> None:
        """Take the message away; one that is gone already counts as success."""
        ...


@runtime_checkable
class Drafts(Protocol):
    """An app that can show an answer while it is written. Without it: typing."""

    def drafts_in(self, chat: ChatRef) -> bool:
        """Whether this chat can show one."""
        ...

    async def draft(self, chat: ChatRef, draft_id: int, text: str, fallback: str) -> None:
        """Show `text` (the app's markup) as what is being written; the final message takes its place.

        `draft_id` is a positive number, the same for one answer.
        """
        ...


@runtime_checkable
class Streams(Protocol):
    """An app where an answer is written into the message that it will be. Without it: `Drafts`, else typing."""

    def streams_in(self, chat: ChatRef) -> bool:
        """Whether this chat can have one now."""
        ...

    async def open_stream(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        """Begin the message with what there is of it; what ends it is `Channel.send` with `into`.

        Raises:
            TryLater, MaybeDone, Refused: as for `Channel.send`; no answer is lost by it.
        """
        ...

    async def stream(self, message: MessageRef, text: str, fallback: str) -> None:
        """Show this as what is written so far: all of it, or its newest `Capabilities.preview_newest` characters.

        Raises:
            TryLater, Refused: as for `Channel.send`; the next one may work, and the final message does not need it.
        """
        ...


@runtime_checkable
class Marks(Protocol):
    """An app where a sign on a person's message says that it is being answered. Without it: nothing is shown there."""

    async def mark(self, message: MessageRef) -> None:
        """Put the sign on; one that is there already counts as success."""
        ...

    async def unmark(self, message: MessageRef) -> None:
        """Take it away; one that is gone already counts as success."""
        ...


@runtime_checkable
class Typing(Protocol):
    """An app that can show that the bot is writing. Without it: nothing is shown."""

    async def typing(self, chat: ChatRef) -> None:
        """Show it for a few seconds; repeated by the caller."""
        ...


@runtime_checkable
class Presses(Protocol):
    """An app with buttons. Without it: numbered replies."""

    async def answer_press(self, press: Press, note: str | None = None) -> None:
        """Tell the app that the press arrived, and the person the note. Too late counts as success."""
        ...


@runtime_checkable
class Forms(Protocol):
    """An app where a button opens a form. Without it: one field after another.

    The adapter itself answers the press of a button with `form`: it asks `Sink.form` and opens what it gets, within the
    app's time for that and whatever else is going on.
    """

    async def open_form(self, press: Press, form: Form) -> None:
        """Answer the press with this form.

        Raises:
            Refused: the app does not want it, its time for that being over, say.
        """
        ...


@runtime_checkable
class FormMessages(Protocol):
    """An app where a message itself can have fields to fill in. Without it: `Forms`, else one field after another."""

    def holds(self, form: Form) -> bool:
        """Whether a message can hold all of it."""
        ...


@runtime_checkable
class Threads(Protocol):
    """An app where asking the bot in a group opens a thread. Without it: a group is one room."""

    @property
    def reads_on(self) -> bool:
        """Whether what is said in such a thread comes in without a mention of the bot."""
        ...


@runtime_checkable
class Files(Protocol):
    """An app that files come from. Without it: one line says that files are not read."""

    def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        """The file's bytes, from the app's own hosts only.

        Raises:
            FileTooLarge: there are more than `Capabilities.max_download`.
            TryLater, Refused: as for `send`.
        """
        ...


@runtime_checkable
class NativeMenus(Protocol):
    """An app with a menu of commands of its own. Without it: `/help` says them."""

    async def set_menu(self, menu: NativeMenu) -> None:
        """Make the app's menus say this.

        Raises:
            TryLater, MaybeDone, Refused: as for `Channel.send`.
        """
        ...


@runtime_checkable
class PrivateChats(Protocol):
    """An app whose private chat with a person follows from who they are. Without it: the one they last wrote in."""

    def private_chat(self, person_id: str) -> ChatRef:
        """That chat; whether the bot may write there shows when it does."""
        ...


@runtime_checkable
class History(Protocol):
    """An app whose missed messages can be read later. Without it: the app itself keeps them for us."""

    def missed(self, chat: ChatRef, since: datetime) -> AsyncIterator[Update]:
        """What was written in the chat after `since`, oldest first, with the ids that it has on every other road.

        Raises:
            TryLater, Refused: as for `Channel.send`.
        """
        ...
