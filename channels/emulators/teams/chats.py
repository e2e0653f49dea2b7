"""Rooms and what stands in them: private chats, group chats, channels of teams, messages.

Belongs here: the records. What happens to them belongs to `world`, their JSON to `payloads`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from channels.emulators.teams.cards import CARD, for_old_apps
from channels.emulators.teams.people import Account, Bot, Person

Attachment = Mapping[str, Any]

THREAD_MARK = ";messageid="
"""Between a channel's id and that of the message that a thread is under."""


class ChatKind(StrEnum):
    """What a room is, in the words of `conversationType`."""

    PERSONAL = "personal"
    GROUP = "groupChat"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says. `text` is a small part of Markdown where a bot said it, and as it is where a person did."""

    text: str = ""
    attachments: Sequence[Attachment] = ()
    suggested: Sequence[Mapping[str, Any]] = ()
    entities: Sequence[Mapping[str, Any]] = ()
    text_format: str = "markdown"
    layout: str = "list"


@dataclass(eq=False, slots=True)
class Message:
    """One message; `number` is its place among all."""

    id: str
    number: int
    chat: "Chat"
    sender: Account
    content: Content
    root: str | None = None
    """The message that the thread is under, in a channel."""
    reply_to: str | None = None
    """The message that a person quotes."""
    service: str | None = None
    """What happened where nothing was said."""
    edited: bool = False
    deleted: bool = False
    streaming: bool = False
    informative: str = ""
    """What a bot says that it is doing, before there is more of a streamed message."""
    stopped: str = ""
    """Why nothing more of a streamed message is taken."""
    history: list[Content] = field(default_factory=list)
    cards: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The card that stands there for one person instead of the bot's, by the person's id."""
    reactions: dict[str, list[str]] = field(default_factory=dict)

    @property
    def by_bot(self) -> bool:
        """Whether a bot said it."""
        return isinstance(self.sender, Bot)

    def content_for(self, person: Person) -> Content:
        """What one person sees of it."""
        if person.old_app:
            return replace(self.content, attachments=[_for_old_apps(each) for each in self.content.attachments])
        card = self.cards.get(person.id)
        if card is None:
            return self.content
        seen = {"contentType": CARD, "content": card}
        return Content(self.content.text, [seen], text_format=self.content.text_format)


def _for_old_apps(attachment: Attachment) -> Attachment:
    if attachment.get("contentType") != CARD:
        return attachment
    return {**attachment, "content": for_old_apps(attachment["content"])}


@dataclass(eq=False, slots=True)
class Chat:
    """A private chat of a person with a bot, a group chat, or a channel of a team."""

    id: str
    kind: ChatKind
    title: str = ""
    members: dict[str, Account] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    team: str = ""
    """The id of the team, for a channel."""
    blocked: bool = False
    """Whether the person blocked the bot."""
    installed: bool = False
    """Whether the bot is there at all."""
    typing_since: float | None = None
    """When the bot last said that it types (monotonic)."""
    acts: dict[str, int] = field(default_factory=dict)
    """The number of what each person last said or did."""

    @property
    def private(self) -> bool:
        """Whether only one person is there with the bot."""
        return self.kind is ChatKind.PERSONAL

    @property
    def people(self) -> list[Person]:
        """Its members that are people."""
        return [member for member in self.members.values() if isinstance(member, Person)]

    @property
    def bots(self) -> list[Bot]:
        """Its members that are bots."""
        return [member for member in self.members.values() if isinstance(member, Bot)]
