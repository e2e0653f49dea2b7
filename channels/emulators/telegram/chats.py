"""Where people and bots meet: private chats, groups and forums, with what is on the screen of them.

Belongs here: who is in a chat, its messages with their JSON, topics, drafts and "typing". What happens in a chat
belongs to `world`, what a person sees of it to `seen`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from channels.emulators.telegram.content import Content
from channels.emulators.telegram.people import Account, Bot, Person
from channels.emulators.telegram.text import Formatted


class ChatKind(StrEnum):
    """As the `type` of a `Chat` object."""

    PRIVATE = "private"
    GROUP = "group"
    SUPERGROUP = "supergroup"


class Standing(StrEnum):
    """What a bot is to a chat, as the `status` of a `ChatMember` object."""

    MEMBER = "member"
    ADMINISTRATOR = "administrator"
    LEFT = "left"
    KICKED = "kicked"


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that is still being written, as a person sees it. `at` is monotonic."""

    id: int
    text: Formatted
    at: float


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a forum; its id is that of the message that opened it."""

    id: int
    name: str
    icon_color: int


Thread = int | None
"""The topic that something stands in; None outside a forum and in its general topic."""


@dataclass(eq=False, slots=True)
class Message:
    """One message in one chat; `content` is what it says now, `history` what it said before, oldest first."""

    id: int
    chat: "Chat"
    sender: Account
    date: int
    content: Content
    reply_to: "Message | None" = None
    quote: dict[str, Any] | None = None
    thread: int | None = None
    forward_origin: dict[str, Any] | None = None
    album: str | None = None
    silent: bool = False
    protected: bool = False
    edit_date: int | None = None
    deleted: bool = False
    history: list[Content] = field(default_factory=list)
    reactions: dict[int, str] = field(default_factory=dict)
    """Who reacted, by account id, with which emoji."""

    def to_json(self, *, as_reply: bool = False) -> dict[str, Any]:
        """The `Message` object. As the message that another replies to, it does not say what it replies to itself."""
        json: dict[str, Any] = {
            "message_id": self.id,
            "from": self.sender.user,
            "chat": self.chat.json,
            "date": self.date,
        }
        if self.thread is not None:
            json["message_thread_id"] = self.thread
            json["is_topic_message"] = True
        if not as_reply:
            self._add_reply(json)
        optional = {
            "edit_date": self.edit_date,
            "forward_origin": self.forward_origin,
            "media_group_id": self.album,
            "has_protected_content": self.protected or None,
        }
        json.update((name, value) for name, value in optional.items() if value is not None)
        self._add_content(json)
        return json

    def _add_reply(self, json: dict[str, Any]) -> None:
        """In a topic, what replies to nothing replies to the start of the topic; bots are often misled by it."""
        replied = self.reply_to
        if replied is None and self.thread not in (None, self.id):
            replied = self.chat.messages.get(self.thread)
        if replied is not None and not replied.deleted:
            json["reply_to_message"] = replied.to_json(as_reply=True)
            if self.quote is not None:
                json["quote"] = self.quote

    def _add_content(self, json: dict[str, Any]) -> None:
        content = self.content
        entities = [self._entity(entity.to_json()) for entity in content.text.entities]
        if content.media is not None:
            json[content.media.kind] = content.media.json
            text_field, entities_field = "caption", "caption_entities"
        else:
            text_field, entities_field = "text", "entities"
        if content.text.text:
            json[text_field] = content.text.text
        if entities:
            json[entities_field] = entities
        if content.service is not None:
            json.update(content.service)
        if content.link_preview is not None:
            json["link_preview_options"] = content.link_preview
        if content.keyboard is not None:
            json["reply_markup"] = content.keyboard

    def _entity(self, json: dict[str, Any]) -> dict[str, Any]:
        user_id = json.pop("user_id", None)
        if user_id is not None:
            json["user"] = self.chat.known[user_id].user
        return json


@dataclass(eq=False)
class Chat:
    """A chat. `person` and `bot` are the two of a private one; `people` and `bots` are who is in a group."""

    id: int
    kind: ChatKind
    known: Mapping[int, Account]
    """Everyone there is, by id: a message may speak of someone outside the chat."""
    title: str | None = None
    forum: bool = False
    person: Person | None = None
    bot: Bot | None = None
    started: bool = False
    """Whether the person ever wrote to the bot; before that it may not write to them."""
    blocked: bool = False
    people: dict[int, Person] = field(default_factory=dict)
    admins: set[int] = field(default_factory=set)
    bots: dict[int, Standing] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    drafts: dict[Thread, Draft] = field(default_factory=dict)
    actions: dict[Thread, tuple[str, float]] = field(default_factory=dict)
    """What a bot is doing in each thread, and since when (monotonic)."""
    last_bot: int | None = None
    """The bot that spoke last; a bare command in a group is for it."""
    upgraded_to: int | None = None
    """The supergroup that this group became."""
    _last_id: int = 0

    @cached_property
    def json(self) -> dict[str, Any]:
        """The `Chat` object."""
        if self.person is not None:
            names = {"last_name": self.person.last_name, "username": self.person.username}
            given = {name: value for name, value in names.items() if value is not None}
            return {"id": self.id, "type": self.kind.value, "first_name": self.person.first_name, **given}
        forum = {"is_forum": True} if self.forum else {}
        return {"id": self.id, "type": self.kind.value, "title": self.title, **forum}

    @property
    def private(self) -> bool:
        """Whether it is between one person and one bot."""
        return self.kind is ChatKind.PRIVATE

    @property
    def upcoming_id(self) -> int:
        """The id that the next message will have. Each chat counts for itself: an id alone says nothing."""
        return self._last_id + 1

    def next_id(self) -> int:
        """Take the next message's id."""
        self._last_id += 1
        return self._last_id

    def has_bot(self, bot: Bot) -> bool:
        """Whether the bot is here and hears something."""
        if self.bot is not None:
            return self.bot is bot and self.started and not self.blocked
        return self.bots.get(bot.id) in (Standing.MEMBER, Standing.ADMINISTRATOR)

    def quiet(self, thread: Thread) -> None:
        """Take draft and "typing" off the screen: the message is there."""
        self.drafts.pop(thread, None)
        self.actions.pop(thread, None)
