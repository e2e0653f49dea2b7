"""From a raw Bot API update to what happened, in Conch's own types.

Pure: no clock, no network, no SDK. What a message holds is `content`'s, whom it is meant for `mentions`'. Only updates
of `limits.ALLOWED_UPDATES` are looked at; shapes are those of Bot API 10.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from channels.base import (
    ChatRef,
    Edited,
    Inbound,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Moved,
    Press,
    Quoted,
    Sender,
    Update,
)
from channels.telegram import content, mentions
from channels.telegram.fields import (
    Json,
    need_number,
    need_text,
    need_thing,
    need_time,
    number,
    text,
    thing,
    things,
)
from core.events import ChatKind

_KINDS = {"private": ChatKind.PRIVATE, "group": ChatKind.GROUP, "supergroup": ChatKind.GROUP}
_MEMBERS = frozenset({"creator", "administrator", "member"})


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads updates for one bot; it must know the bot's own id and name to see who is meant."""

    channel_id: str
    bot_id: int
    username: str | None = None
    """Without the `@`."""

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What the update means: one thing, or nothing that concerns us.

        Raises:
            ValueError: Telegram could not have sent this.
        """
        if not isinstance(payload, Mapping):
            raise ValueError("an update is an object")
        update_id = str(need_number(payload, "update_id"))
        found: Inbound | None = None
        if message := thing(payload, "message"):
            found = self._moved(message, update_id) or self._message(message, update_id)
        elif edited := thing(payload, "edited_message"):
            now = self._message(edited, update_id)
            found = Edited(now) if now else None
        elif pressed := thing(payload, "callback_query"):
            found = self._press(pressed, update_id)
        elif membership := thing(payload, "my_chat_member"):
            found = self._membership(membership, update_id)
        return (found,) if found else ()

    def _message(self, message: Json, update_id: str) -> InboundMessage | None:
        """What a person wrote; None for bots, for anonymous admins and channels, and for what nobody wrote."""
        chat = self._chat(need_thing(message, "chat"), message)
        author = thing(message, "from")
        if chat is None or author is None or "sender_chat" in message or not content.SERVICE_FIELDS.isdisjoint(message):
            return None
        sender = _sender(author)
        if sender.is_bot:
            return None
        words, entities = content.read_words(message)
        addressed = mentions.read_address(words, things(message, entities), self.bot_id, self.username)
        if addressed.to_other_bot and chat.kind is ChatKind.GROUP:
            return None
        return InboundMessage(
            chat=chat,
            sender=sender,
            message_id=str(need_number(message, "message_id")),
            text=addressed.text,
            update_id=update_id,
            at=need_time(message, "edit_date" if "edit_date" in message else "date"),
            attachments=content.read_files(message),
            reply_to=self._quoted(message),
            forwarded_from=_forwarded_from(message),
            mentioned=addressed.mentioned,
            album=text(message, "media_group_id"),
        )

    def _moved(self, message: Json, update_id: str) -> Moved | None:
        """A group became a supergroup: told in the old one and, again, in the new one."""
        new, old = number(message, "migrate_to_chat_id"), number(message, "migrate_from_chat_id")
        if new is None and old is None:
            return None
        here, at = self._chat(need_thing(message, "chat")), need_time(message, "date")
        if here is None:
            return None
        if new is not None:
            return Moved(here, replace(here, id=str(new)), update_id, at)
        return Moved(replace(here, id=str(old)), here, update_id, at)

    def _chat(self, chat: Json, message: Json | None = None) -> ChatRef | None:
        """The room; None for a channel, where nobody talks with a bot.

        `message_thread_id` also counts the replies of an ordinary group; only a topic is a chat of its own.
        """
        kind = _KINDS.get(need_text(chat, "type"))
        if kind is None:
            return None
        in_topic = message is not None and message.get("is_topic_message") is True
        thread = number(message, "message_thread_id") if message and in_topic else None
        return ChatRef(
            channel_id=self.channel_id,
            id=str(need_number(chat, "id")),
            kind=kind,
            thread=None if thread is None else str(thread),
            title=text(chat, "title"),
        )

    def _quoted(self, message: Json) -> Quoted | None:
        """The message that was answered, or the part of it that was picked out.

        Every message of a topic formally answers the one that opened the topic; that is no quotation.
        """
        picked = thing(message, "quote")
        words = need_text(picked, "text") if picked else None
        original = thing(message, "reply_to_message")
        if original and "forum_topic_created" not in original:
            author = thing(original, "from")
            return Quoted(
                message_id=str(need_number(original, "message_id")),
                text=words if words is not None else content.describe(original),
                author=_author(original),
                from_bot=author is not None and author.get("id") == self.bot_id,
            )
        if elsewhere := thing(message, "external_reply"):
            said = words if words is not None else "[a message in another chat]"
            return Quoted(message_id="", text=said, author=_origin_name(need_thing(elsewhere, "origin")))
        return None

    def _press(self, pressed: Json, update_id: str) -> Press | None:
        """A button under one of our messages; None for games and for messages sent through inline mode.

        Telegram does not say when a button was pressed: `at` is the time of the message under which it stands, and the
        start of Unix time where even that is not known any more.
        """
        message, token = thing(pressed, "message"), text(pressed, "data")
        sender = _sender(need_thing(pressed, "from"))
        if message is None or token is None or sender.is_bot:
            return None
        chat = self._chat(need_thing(message, "chat"), message)
        if chat is None:
            return None
        return Press(
            id=need_text(pressed, "id"),
            token=token,
            message=MessageRef(chat, str(need_number(message, "message_id"))),
            sender=sender,
            update_id=update_id,
            at=need_time(message, "edit_date" if "edit_date" in message else "date"),
        )

    def _membership(self, change: Json, update_id: str) -> Joined | Left | None:
        """The bot came into or went out of a group, or was blocked; a person who unblocks it starts it by writing."""
        chat = self._chat(need_thing(change, "chat"))
        at = need_time(change, "date")
        was, is_now = (_is_member(need_thing(change, name)) for name in ("old_chat_member", "new_chat_member"))
        if chat is None or was == is_now:
            return None
        if not is_now:
            return Left(chat, update_id, at)
        if chat.kind is ChatKind.PRIVATE:
            return None
        return Joined(chat, _sender(need_thing(change, "from")), update_id, at)


def to_update(payload: object) -> Update | None:
    """The update as it is stored, by Telegram's number of it; None for what has no number."""
    update_id = payload.get("update_id") if isinstance(payload, dict) else None
    return Update(str(update_id), payload) if isinstance(payload, dict) and type(update_id) is int else None


def _sender(user: Json) -> Sender:
    return Sender(
        id=str(need_number(user, "id")),
        name=_full_name(user),
        username=text(user, "username"),
        is_bot=user.get("is_bot") is True,
    )


def _full_name(user: Json) -> str:
    last = text(user, "last_name")
    first = need_text(user, "first_name")
    return f"{first} {last}" if last else first


def _is_member(membership: Json) -> bool:
    status = need_text(membership, "status")
    return status in _MEMBERS or (status == "restricted" and membership.get("is_member") is True)


def _author(message: Json) -> str:
    """Who wrote a message, by name: a chat where somebody speaks for it, else the person."""
    if chat := thing(message, "sender_chat"):
        return _chat_name(chat)
    author = thing(message, "from")
    return _full_name(author) if author else _chat_name(need_thing(message, "chat"))


def _chat_name(chat: Json) -> str:
    return text(chat, "title") or text(chat, "first_name") or text(chat, "username") or "somebody"


def _forwarded_from(message: Json) -> str | None:
    origin = thing(message, "forward_origin")
    return _origin_name(origin) if origin else None


def _origin_name(origin: Json) -> str:
    """Whose words they were; people may hide behind a mere name (Bot API, type MessageOrigin)."""
    if user := thing(origin, "sender_user"):
        return _full_name(user)
    if chat := thing(origin, "sender_chat") or thing(origin, "chat"):
        return _chat_name(chat)
    return text(origin, "sender_user_name") or "somebody"
