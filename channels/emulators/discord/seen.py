"""What a person sees of a channel: messages as they look now, a form, an answer. Frozen, and the same over HTTP as in
process.

Belongs here: the picture, and its JSON for the control address. How it came about belongs to `world`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from channels.emulators.discord import components as parts
from channels.emulators.discord.markdown import named, plain
from channels.emulators.discord.places import LOADING, Content, Message

PRESS, PICK, URL = "press", "pick", "url"


@dataclass(frozen=True, slots=True)
class SeenButton:
    """Something to press. `does` is `press`, `pick` (an option of a list) or `url`; `value` what it sends or opens.

    `custom_id` is the button's or the list's; `style` Discord's number for a button's colour.
    """

    label: str
    does: str
    value: str
    custom_id: str = ""
    style: int = 0
    disabled: bool = False
    chosen: bool = False
    multi: bool = False
    """Whether it is of a list where several are picked."""


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A picture or file under a message; `size` is in bytes, `id` fetches it."""

    name: str
    mime: str
    size: int
    id: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message on the screen. `text` is what is read, `raw` what was sent; `at`, `edited_at` seconds since 1970."""

    id: str
    sender_id: str
    sender: str
    by_bot: bool
    at: int
    text: str = ""
    raw: str = ""
    buttons: tuple[tuple[SeenButton, ...], ...] = ()
    files: tuple[SeenFile, ...] = ()
    reply_to: str | None = None
    edited_at: int | None = None
    revisions: tuple[str, ...] = ()
    """What it said before, oldest first."""
    reactions: tuple[str, ...] = ()
    pings: tuple[str, ...] = ()
    """Whose phone rang for it, by name."""
    ephemeral: bool = False
    """Whether only one person sees it."""
    thinking: bool = False
    """Whether it only says that the bot is thinking."""
    thread: str | None = None
    """The thread that hangs under it."""
    silent: bool = False
    parts: tuple[tuple[str, str], ...] = ()
    """The words with their signs, for whoever draws them: each part's kind (`markdown`, `embed`) and text."""

    @property
    def labels(self) -> list[list[str]]:
        """What can be pressed, by rows; each option of a list is a row."""
        return [[button.label for button in row] for row in self.buttons]

    @property
    def file(self) -> SeenFile | None:
        """The first file."""
        return self.files[0] if self.files else None

    def answers(self, command: str | None) -> bool:
        """Whether it is an answer to someone who gave this command last: it says more than just the command."""
        return self.by_bot and not self.thinking and not (self.ephemeral and command in (self.text, self.raw))

    def to_json(self) -> dict[str, Any]:
        """As the control address gives it."""
        return asdict(self)

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> "SeenMessage":
        """The other way round."""
        fields = dict(json)
        fields["buttons"] = tuple(tuple(SeenButton(**button) for button in row) for row in json["buttons"])
        fields["files"] = tuple(SeenFile(**file) for file in json["files"])
        for name in ("revisions", "reactions", "pings"):
            fields[name] = tuple(json[name])
        fields["parts"] = tuple((kind, text) for kind, text in json["parts"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """What a press brought that only the person who pressed sees; empty where nothing did."""

    text: str


@dataclass(frozen=True, slots=True)
class SeenForm:
    """A form that was opened. `fields` are labels by name, `texts` what stands between them, `id` who opened it."""

    id: str
    title: str
    fields: Mapping[str, str]
    texts: tuple[str, ...] = ()
    descriptions: Mapping[str, str] | None = None
    required: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] | None = None
    several: tuple[str, ...] = ()
    """Where several options may be picked, by name."""
    values: Mapping[str, str] | None = None
    """What is filled in already, by name."""


def seen_message(
    message: Message, names: Mapping[str, str], content: Content | None = None, *, thread: str | None = None
) -> SeenMessage:
    """How a message looks: now, or with an earlier `content`. `names` are of people and channels by id."""
    content = content if content is not None else message.content
    return SeenMessage(
        id=message.id,
        sender_id=message.author.id,
        sender=message.author.name,
        by_bot=message.author.is_bot,
        at=int(message.at.timestamp()),
        text=_text(content, names),
        raw=content.text,
        buttons=rows(content.components),
        files=tuple(SeenFile(a.name, a.mime, a.size, a.id, a.description) for a in content.attachments),
        reply_to=message.reply_to.id if message.reply_to is not None else None,
        edited_at=int(message.edited_at.timestamp()) if message.edited_at is not None else None,
        revisions=tuple(_text(earlier, names) for earlier in message.history),
        reactions=tuple(message.reactions),
        pings=message.pings,
        ephemeral=message.only_for is not None,
        thinking=bool(message.flags & LOADING),
        thread=thread,
        silent=bool(message.flags & 1 << 12),
        parts=tuple((kind, named(text, names)) for kind, text in _parts(content)),
    )


def _text(content: Content, names: Mapping[str, str]) -> str:
    """All words, those of embeds and text components among them, a line for each."""
    return "\n".join(plain(text, names) for _, text in _parts(content))


def _parts(content: Content) -> list[tuple[str, str]]:
    """What is written in it, piece by piece, with Discord's signs."""
    found = [("markdown", content.text)] if content.text else []
    for embed in content.embeds:
        found += [("embed", line) for line in _embed_lines(embed)]
    shown = [c["content"] for c in parts.within(content.components) if c["type"] == parts.TEXT_DISPLAY]
    return found + [("markdown", text) for text in shown]


def _embed_lines(embed: Mapping[str, Any]) -> list[str]:
    author, footer = embed.get("author") or {}, embed.get("footer") or {}
    lines = [author.get("name"), embed.get("title"), embed.get("description")]
    lines += [f"{field['name']}\n{field['value']}" for field in embed.get("fields") or []]
    return [line for line in [*lines, footer.get("text")] if line]


def rows(components: Iterable[Mapping[str, Any]]) -> tuple[tuple[SeenButton, ...], ...]:
    """What can be pressed, by rows."""
    found: list[tuple[SeenButton, ...]] = []
    for component in components:
        if component["type"] == parts.ROW:
            buttons = [_button(c) for c in component["components"] if c["type"] == parts.BUTTON]
            found += [tuple(buttons)] if buttons else []
            for inner in component["components"]:
                found += _options(inner)
        elif component["type"] == parts.CONTAINER:
            found += rows(component["components"])
        elif (component.get("accessory") or {}).get("type") == parts.BUTTON:
            found.append((_button(component["accessory"]),))
    return tuple(found)


def _button(button: Mapping[str, Any]) -> SeenButton:
    emoji = (button.get("emoji") or {}).get("name")
    label = " ".join(part for part in (emoji, button.get("label")) if part)
    custom_id, disabled = button.get("custom_id", ""), bool(button.get("disabled"))
    if button.get("style") == parts.LINK:
        return SeenButton(label, URL, button["url"], "", parts.LINK, disabled)
    return SeenButton(label, PRESS, custom_id, custom_id, button["style"], disabled)


def _options(select: Mapping[str, Any]) -> list[tuple[SeenButton, ...]]:
    return [
        (
            SeenButton(
                option["label"],
                PICK,
                option["value"],
                select["custom_id"],
                0,
                bool(select.get("disabled")),
                bool(option.get("default")),
                select.get("max_values", 1) > 1,
            ),
        )
        for option in select.get("options") or []
    ]
