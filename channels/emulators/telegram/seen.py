"""What a person sees of a chat: messages as they look now, a draft, the menu. Frozen, and the same over HTTP as in
process.

Belongs here: the picture, and its JSON for the control address. How it came about belongs to `chats` and `world`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from channels.emulators.telegram.chats import Draft, Message
from channels.emulators.telegram.content import Content, Media
from channels.emulators.telegram.people import Bot
from channels.emulators.telegram.text import Entity

DATA, URL, COPY = "data", "url", "copy"


@dataclass(frozen=True, slots=True)
class SeenButton:
    """A button. `does` is `data`, `url` or `copy`; `value` is what it sends, opens or copies.

    `style` is Telegram's word for its colour: `primary`, `success`, `danger`, or none.
    """

    label: str
    does: str
    value: str
    style: str | None = None


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A picture or file under a message; `size` is in bytes, `id` fetches it."""

    kind: str
    name: str
    mime: str
    size: int
    id: str


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message on the screen. `text` is the caption of a file; `at` and `edited_at` are in seconds since 1970."""

    id: int
    sender_id: int
    sender: str
    by_bot: bool
    at: int
    text: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: tuple[tuple[SeenButton, ...], ...] = ()
    file: SeenFile | None = None
    reply_to: int | None = None
    quote: str | None = None
    thread: int | None = None
    edited_at: int | None = None
    revisions: tuple[str, ...] = ()
    """What it said before, oldest first."""
    forwarded_from: str | None = None
    album: str | None = None
    reactions: tuple[str, ...] = ()
    service: str | None = None
    """What happened, where nothing was said: `new_chat_members`, `forum_topic_created` …"""
    preview: bool = False
    """Whether a link of it is shown with a preview."""
    silent: bool = False

    @property
    def labels(self) -> list[list[str]]:
        """The buttons by what stands on them."""
        return [[button.label for button in row] for row in self.buttons]

    def marked(self, kind: str) -> list[str]:
        """The stretches of the text that carry an entity of this kind."""
        encoded = self.text.encode("utf-16-le")
        found = [e for e in self.entities if e.type == kind]
        return [encoded[2 * e.offset : 2 * e.end].decode("utf-16-le") for e in found]

    def to_json(self) -> dict[str, Any]:
        """As the control address gives it."""
        return asdict(self) | {"entities": [entity.to_json() for entity in self.entities]}

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> "SeenMessage":
        """The other way round."""
        fields = dict(json)
        fields["entities"] = tuple(Entity(**entity) for entity in json["entities"])
        fields["buttons"] = tuple(tuple(SeenButton(**button) for button in row) for row in json["buttons"])
        fields["file"] = SeenFile(**json["file"]) if json["file"] is not None else None
        for name in ("revisions", "reactions"):
            fields[name] = tuple(json[name])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class SeenDraft:
    """An answer while it is written."""

    id: int
    text: str
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """What a press brought: a line at the top, or a window to close."""

    text: str
    alert: bool


def seen_message(message: Message, content: Content | None = None) -> SeenMessage:
    """How a message looks: now, or with an earlier `content`."""
    content = content if content is not None else message.content
    links = any(entity.type in ("url", "text_link") for entity in content.text.entities)
    return SeenMessage(
        id=message.id,
        sender_id=message.sender.id,
        sender=message.sender.name,
        by_bot=isinstance(message.sender, Bot),
        at=message.date,
        text=content.text.text,
        entities=content.text.entities,
        buttons=_buttons(content.keyboard),
        file=_file(content.media),
        reply_to=message.reply_to.id if message.reply_to is not None else None,
        quote=message.quote["text"] if message.quote is not None else None,
        thread=message.thread,
        edited_at=message.edit_date,
        revisions=tuple(earlier.text.text for earlier in message.history),
        forwarded_from=_origin(message.forward_origin),
        album=message.album,
        reactions=tuple(message.reactions.values()),
        service=next(iter(content.service), None) if content.service is not None else None,
        preview=links and not (content.link_preview or {}).get("is_disabled", False),
        silent=message.silent,
    )


def seen_draft(draft: Draft) -> SeenDraft:
    """How a draft looks."""
    return SeenDraft(draft.id, draft.text.text, draft.text.entities)


def _buttons(keyboard: dict[str, Any] | None) -> tuple[tuple[SeenButton, ...], ...]:
    if keyboard is None:
        return ()
    return tuple(tuple(_button(button) for button in row) for row in keyboard["inline_keyboard"])


def _button(button: dict[str, Any]) -> SeenButton:
    label, style = button["text"], button.get("style")
    if "callback_data" in button:
        return SeenButton(label, DATA, button["callback_data"], style)
    if "url" in button:
        return SeenButton(label, URL, button["url"], style)
    return SeenButton(label, COPY, button["copy_text"]["text"], style)


def _file(media: Media | None) -> SeenFile | None:
    if media is None:
        return None
    return SeenFile(media.kind, media.file.name, media.file.mime, media.file.size, media.file.id)


def _origin(origin: dict[str, Any] | None) -> str | None:
    if origin is None:
        return None
    name: str = origin["sender_user_name"] if origin["type"] == "hidden_user" else origin["sender_user"]["first_name"]
    return name
