"""What a person sees of a chat: messages as they look now, a form. Frozen, and the same over HTTP as in process.

Belongs here: the picture, and its JSON for the control address. How it came about belongs to `chats` and `world`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from channels.emulators.slack import drawing
from channels.emulators.slack.chats import Content, Message
from channels.emulators.slack.drawing import SeenButton
from channels.emulators.slack.mrkdwn import Names
from channels.emulators.slack.people import Bot


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file under a message; `size` is in bytes, `id` fetches it."""

    name: str
    mime: str
    size: int
    id: str


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message on the screen; `id` is its `ts`. `thread` is that of the message it stands under."""

    id: str
    sender_id: str
    sender: str
    by_bot: bool
    text: str = ""
    buttons: tuple[tuple[SeenButton, ...], ...] = ()
    files: tuple[SeenFile, ...] = ()
    thread: str | None = None
    edited: bool = False
    revisions: tuple[str, ...] = ()
    """What it said before, oldest first."""
    reactions: tuple[str, ...] = ()
    """Names of emoji."""
    service: str | None = None
    """What happened, where nothing was said: `channel_join` …"""
    ephemeral: bool = False
    """Whether only this person sees it."""
    streaming: bool = False
    """Whether it is being written."""
    raw: str = ""
    """Its `text`, as notifications show it before they take the signs away."""
    parts: tuple[tuple[str, str], ...] = ()
    """The words with their signs, for whoever draws them: each part's kind (see `drawing.parts`) and text."""
    at: int = 0
    """Seconds since 1970."""

    @property
    def labels(self) -> list[list[str]]:
        """What can be pressed, by what stands on it."""
        return [[button.label for button in row] for row in self.buttons]

    @property
    def is_answer(self) -> bool:
        """Whether a bot said it, and has finished."""
        return self.by_bot and self.service is None and not self.streaming

    def to_json(self) -> dict[str, Any]:
        """As the control address gives it."""
        return asdict(self)

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> "SeenMessage":
        """The other way round."""
        fields = dict(json)
        fields["buttons"] = tuple(tuple(SeenButton(**button) for button in row) for row in json["buttons"])
        fields["files"] = tuple(SeenFile(**file) for file in json["files"])
        for name in ("revisions", "reactions"):
            fields[name] = tuple(json[name])
        fields["parts"] = tuple((kind, text) for kind, text in json["parts"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """What a press brought: a line that only the person sees, or what stands under a form's fields."""

    text: str
    errors: Mapping[str, str] = field(default_factory=dict)
    """Of a form, by its fields' labels."""


@dataclass(frozen=True, slots=True)
class SeenForm:
    """A form or a Home tab. `text` is what its other blocks say, `submit` what its button says."""

    id: str
    title: str
    fields: Mapping[str, str]
    """What stands on each field, by the field's label."""
    text: str = ""
    submit: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What can be picked in a field, by the field's label."""
    several: tuple[str, ...] = ()
    """Where several may be picked, by the field's label."""
    errors: Mapping[str, str] = field(default_factory=dict)
    buttons: tuple[tuple[SeenButton, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the control address gives it."""
        return asdict(self)

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> "SeenForm":
        """The other way round."""
        fields = dict(json)
        fields["choices"] = {label: tuple(options) for label, options in json["choices"].items()}
        fields["several"] = tuple(json["several"])
        fields["buttons"] = tuple(tuple(SeenButton(**button) for button in row) for row in json["buttons"])
        return cls(**fields)


def seen_message(message: Message, names: Names, content: Content | None = None) -> SeenMessage:
    """How a message looks: now, or with an earlier `content`."""
    content = content if content is not None else message.content
    return SeenMessage(
        id=message.ts,
        sender_id=message.sender.id,
        sender=message.sender.name,
        by_bot=isinstance(message.sender, Bot),
        text=drawing.words(content, names),
        buttons=drawing.rows(content),
        files=tuple(SeenFile(file.name, file.mime, file.size, file.id) for file in content.files),
        thread=message.thread,
        edited=message.edited is not None,
        revisions=tuple(drawing.words(earlier, names) for earlier in message.history),
        reactions=tuple(message.reactions),
        service=message.subtype,
        ephemeral=message.only_for is not None,
        streaming=message.streaming,
        raw=content.text,
        parts=tuple(drawing.parts(content, names)),
        at=int(message.ts.partition(".")[0]),
    )
