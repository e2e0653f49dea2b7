"""Rooms and what stands in them: private chats, channels, messages.

Belongs here: the records and a message's JSON. What happens to them belongs to `world`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from channels.emulators.slack.files import SlackFile
from channels.emulators.slack.people import TEAM_ID, Account, Bot, Person
from channels.emulators.slack.typed import rich_text

Block = Mapping[str, Any]


class ChatKind(StrEnum):
    """What a room is, in the words of `channel_type`."""

    IM = "im"
    CHANNEL = "channel"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says. `text` is mrkdwn, and the fallback where there are blocks."""

    text: str = ""
    blocks: Sequence[Block] = ()
    attachments: Sequence[Mapping[str, Any]] = ()
    files: Sequence[SlackFile] = ()
    metadata: Mapping[str, Any] | None = None


@dataclass(eq=False, slots=True)
class Message:
    """One message; `ts` is its id in its chat."""

    ts: str
    chat: "Chat"
    sender: Account
    content: Content
    thread: str | None = None
    """The `ts` of the message that the thread is under."""
    subtype: str | None = None
    """What happened where nothing was said: `channel_join` …"""
    only_for: str | None = None
    """The person who alone sees it."""
    broadcast: bool = False
    edited: str | None = None
    deleted: bool = False
    streaming: bool = False
    history: list[Content] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    """Who put which emoji there, by the emoji's name."""

    @property
    def root(self) -> str:
        """The thread it is in, or that it would begin."""
        return self.thread or self.ts

    def to_json(self) -> dict[str, Any]:
        """The message as the Web API gives it and as it stands in events."""
        content, sender = self.content, self.sender
        json: dict[str, Any] = {"type": "message", "user": sender.id, "text": content.text, "ts": self.ts}
        if self.subtype is not None:
            json["subtype"] = self.subtype
        if isinstance(sender, Bot):
            json |= {"bot_id": sender.bot_id, "app_id": sender.app_id, "bot_profile": sender.profile}
        json["team"] = TEAM_ID
        if content.blocks:
            json["blocks"] = list(content.blocks)
        elif isinstance(sender, Person) and content.text and self.subtype is None:
            json["blocks"] = [rich_text(content.text, self.ts)]
        if content.attachments:
            json["attachments"] = list(content.attachments)
        if content.files:
            json |= {"files": [file.json for file in content.files], "upload": False}
        if content.metadata is not None:
            json["metadata"] = content.metadata
        return json | self._about()

    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = {}
        if self.thread is not None:
            about["thread_ts"] = self.thread
            parent = self.chat.messages.get(self.thread)
            if parent is not None:
                about["parent_user_id"] = parent.sender.id
        elif self.chat.replies(self.ts):
            about |= {"thread_ts": self.ts, "reply_count": len(self.chat.replies(self.ts))}
        if self.edited is not None:
            about["edited"] = {"user": self.sender.id, "ts": self.edited}
        if self.reactions:
            about["reactions"] = [{"name": n, "users": who, "count": len(who)} for n, who in self.reactions.items()]
        if self.streaming:
            about["streaming_state"] = "in_progress"
        return about


@dataclass(eq=False, slots=True)
class Chat:
    """A private chat of a person with a bot, or a channel."""

    id: str
    kind: ChatKind
    title: str = ""
    members: dict[str, Account] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    archived: bool = False
    read_only: bool = False
    """Only some may post, and the bot is not among them."""
    statuses: dict[str, tuple[str, float]] = field(default_factory=dict)
    """What the bot is doing in a thread, and since when (monotonic)."""

    acts: dict[str, str] = field(default_factory=dict)
    """When each person last said or commanded something, as a `ts`."""

    @property
    def private(self) -> bool:
        """Whether only one person is there with the bot."""
        return self.kind is ChatKind.IM

    @property
    def people(self) -> list[Person]:
        """Its members that are people."""
        return [member for member in self.members.values() if isinstance(member, Person)]

    @property
    def bots(self) -> list[Bot]:
        """Its members that are apps."""
        return [member for member in self.members.values() if isinstance(member, Bot)]

    @property
    def name(self) -> str:
        """As payloads call it."""
        return "directmessage" if self.private else self.title

    def replies(self, ts: str) -> list[Message]:
        """What is in the thread under a message, without the message."""
        return [m for m in self.messages.values() if m.thread == ts and not m.deleted and m.only_for is None]

    def to_json(self) -> dict[str, Any]:
        """The `channel` object of conversations.info."""
        json: dict[str, Any] = {"id": self.id, "created": 1, "is_archived": self.archived, "context_team_id": TEAM_ID}
        if self.private:
            person = next(iter(self.people), None)
            return json | {"is_im": True, "user": person.id if person is not None else "", "is_org_shared": False}
        group = self.kind is ChatKind.GROUP
        return json | {
            "name": self.title,
            "name_normalized": self.title,
            "is_channel": not group,
            "is_group": group,
            "is_im": False,
            "is_mpim": False,
            "is_private": group,
            "num_members": len(self.members),
        }
