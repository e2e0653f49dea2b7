"""One room of the in-memory app as a person sees and uses it: what they say and press, and what the bot shows them."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from channels.base import Button, Form, Sender
from core.clock import Clock
from core.events import ChatKind

TYPING_LASTS = 5.0
"""Seconds that the app shows that the bot is writing."""


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that a person sends."""

    name: str
    content: bytes
    mime: str | None = None


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file that the bot sent; `path` is where it was taken from, `size` is in bytes."""

    name: str
    mime: str
    content: bytes
    path: Path

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.content)


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message as it stands in the room now. `key` is what the bot gave to tell a retry; a person's has none."""

    id: str
    author: Sender
    text: str
    buttons: tuple[Button, ...] = ()
    file: SeenFile | None = None
    reply_to: str | None = None
    silent: bool = False
    key: str | None = None
    edits: int = 0
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class OpenedForm:
    """A form that a button of this message opened, and what was wrong, by field, with what it was last sent with."""

    message_id: str
    form: Form
    faults: Mapping[str, str]


class Unseen(AssertionError):
    """What somebody waited for did not come to be seen."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a room has from its app. `keep`: how many of the newest messages it keeps."""

    bot: Sender
    clock: Clock
    keep: int
    new_id: Callable[[], str]
    tell: Callable[["MemoryChat", str, Sender, Mapping[str, Any]], None]
    """Tells the bot of what somebody did in a room."""
    keep_file: Callable[[SentFile], Mapping[str, Any]]


class MemoryChat:
    """A private chat or a group. The methods down to `block` are a person's, the others are the app's for the bot.

    `people` are its members, the first of whom does what nobody else is named for.
    """

    def __init__(
        self,
        app: Surroundings,
        chat_id: str,
        people: Sequence[Sender],
        *,
        kind: ChatKind = ChatKind.PRIVATE,
        title: str | None = None,
        thread: str | None = None,
    ) -> None:
        self.id, self.kind, self.title, self.thread = chat_id, kind, title, thread
        self.people = tuple(people)
        self.blocked = False
        self._app = app
        self._messages: deque[SeenMessage] = deque(maxlen=app.keep)
        self._notes: deque[str] = deque(maxlen=app.keep)
        self._form: OpenedForm | None = None
        self._marked: set[str] = set()
        self._draft: str | None = None
        self._typing_until = float("-inf")
        self._version = 0
        self._bell = asyncio.Event()

    # ---- what a person sees ----------------------------------------------------------------------------------------

    @property
    def messages(self) -> tuple[SeenMessage, ...]:
        """What stands in the room, oldest first."""
        return tuple(self._messages)

    @property
    def answers(self) -> tuple[SeenMessage, ...]:
        """What the bot said of it."""
        return tuple(message for message in self._messages if message.author == self._app.bot)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words of what the bot said."""
        return tuple(message.text for message in self.answers)

    @property
    def draft(self) -> str | None:
        """What the bot is writing, where it shows it."""
        return self._draft

    @property
    def typing(self) -> bool:
        """Whether it is shown that the bot is writing."""
        return self._app.clock.monotonic() < self._typing_until

    @property
    def notes(self) -> tuple[str, ...]:
        """What was said to presses, oldest first."""
        return tuple(self._notes)

    @property
    def form(self) -> OpenedForm | None:
        """The form that is open before the person."""
        return self._form

    @property
    def marked(self) -> frozenset[str]:
        """The ids of the messages that have the sign of being answered."""
        return frozenset(self._marked)

    @property
    def version(self) -> int:
        """Grows with every change of what is seen."""
        return self._version

    async def changed(self, since: int) -> int:
        """Come back with the version when it is not `since` (any more)."""
        while self._version == since:
            await self._bell.wait()
        return self._version

    async def wait_until(self, seen: Callable[["MemoryChat"], object], within: float = 10.0) -> None:
        """Come back when the person sees it.

        Raises:
            Unseen: it did not come within so many real seconds; only a test that fails ever waits that long.
        """
        try:
            async with asyncio.timeout(within):
                while not seen(self):
                    await self.changed(self._version)
        except TimeoutError:
            raise Unseen(f"not seen within {within} s; the bot said {self.texts}, and drafts {self._draft!r}") from None

    # ---- what a person does ----------------------------------------------------------------------------------------

    def say(
        self,
        text: str,
        *,
        by: Sender | None = None,
        files: Sequence[SentFile] = (),
        reply_to: SeenMessage | None = None,
        forwarded_from: str | None = None,
        mentioned: bool = False,
        album: str | None = None,
    ) -> SeenMessage:
        """Write a message."""
        author = by or self.people[0]
        message = SeenMessage(self._app.new_id(), author, text, reply_to=reply_to.id if reply_to else None)
        self._add(message)
        payload = self._payload(message) | {
            "files": [self._app.keep_file(file) for file in files],
            "reply_to": self._quote(reply_to) if reply_to else None,
            "forwarded_from": forwarded_from,
            "mentioned": mentioned,
            "album": album,
        }
        self._app.tell(self, "message", author, {"message": payload})
        return message

    def edit(self, message: SeenMessage, text: str) -> None:
        """Change what they wrote."""
        self.change(replace(message, text=text, edits=message.edits + 1))
        self._app.tell(self, "edited", message.author, {"message": self._payload(message) | {"text": text}})

    def press(self, message: SeenMessage, label: str, *, by: Sender | None = None) -> None:
        """Press the button with that label.

        Raises:
            LookupError: there is no such button to press (any more).
        """
        shown = self.find(message.id)
        button = next((button for button in shown.buttons if button.label == label), None) if shown else None
        if button is None or button.token is None:
            raise LookupError(f"there is no button {label!r}")
        self._press(message.id, button.token, by, {"opens": True} if button.form else {})

    def fill(self, form: OpenedForm | SeenMessage, *, by: Sender | None = None, **filled: str | Sequence[str]) -> None:
        """Send a form that is open, or stands in a message, with this in its fields.

        Raises:
            LookupError: there is no form in the message.
        """
        fields = {name: [words] if isinstance(words, str) else list(words) for name, words in filled.items()}
        message_id, asked = (form.message_id if isinstance(form, OpenedForm) else form.id), form.form
        if asked is None:
            raise LookupError("there is no form in this message")
        self._press(message_id, asked.token, by, {"filled": fields})

    def _press(self, message_id: str, token: str, by: Sender | None, more: Mapping[str, Any]) -> None:
        pressed = {"id": self._app.new_id(), "token": token, "message_id": message_id, **more}
        self._app.tell(self, "press", by or self.people[0], {"press": pressed})

    def open_link(self, link: str, *, by: Sender | None = None) -> None:
        """Follow a hello link: the app sends `/start` with its code."""
        self.say(f"/start {link.partition('?start=')[2]}", by=by)

    def block(self) -> None:
        """Want nothing more from the bot; in a group, take it out."""
        self.blocked = True
        self._app.tell(self, "left", self.people[0], {})

    # ---- what the app does for the bot -----------------------------------------------------------------------------

    def find(self, message_id: str) -> SeenMessage | None:
        """The message with this id, as it stands now."""
        return next((message for message in self._messages if message.id == message_id), None)

    def show(self, message: SeenMessage) -> None:
        """A new message of the bot's; it takes the draft's place."""
        self._draft = None
        self._typing_until = float("-inf")
        self._add(message)

    def change(self, message: SeenMessage) -> None:
        """A message says something else now."""
        self._messages = deque(
            (message if message.id == known.id else known for known in self._messages), self._messages.maxlen
        )
        self._ring()

    def take_away(self, message_id: str) -> None:
        """A message is gone."""
        message = self.find(message_id)
        if message is not None:
            self._messages.remove(message)
            self._ring()

    def show_draft(self, text: str) -> None:
        """What the bot is writing."""
        self._draft = text
        self._ring()

    def show_typing(self) -> None:
        """The bot is writing."""
        self._typing_until = self._app.clock.monotonic() + TYPING_LASTS
        self._ring()

    def show_mark(self, message_id: str, on: bool) -> None:
        """A message gets the sign that it is being answered, or loses it."""
        (self._marked.add if on else self._marked.discard)(message_id)
        self._ring()

    def show_note(self, note: str) -> None:
        """A word about a press."""
        self._notes.append(note)
        self._ring()

    def show_form(self, message_id: str, form: Form) -> None:
        """A button of a message opened a form."""
        self._form = OpenedForm(message_id, form, {})
        self._ring()

    def show_faults(self, faults: Mapping[str, str]) -> None:
        """What is wrong with the form that was sent; it closes where nothing is."""
        self._form = replace(self._form, faults=faults) if self._form is not None and faults else None
        self._ring()

    def _add(self, message: SeenMessage) -> None:
        self._messages.append(message)
        self._ring()

    def _payload(self, message: SeenMessage) -> dict[str, Any]:
        return {"id": message.id, "text": message.text}

    def _quote(self, message: SeenMessage) -> dict[str, Any]:
        from_bot = message.author == self._app.bot
        return {"id": message.id, "text": message.text, "author": message.author.name, "from_bot": from_bot}

    def _ring(self) -> None:
        self._version += 1
        self._bell.set()
        self._bell = asyncio.Event()
