"""From a raw gateway event to what happened, in Conch's own types.

Pure: no clock, no network, no SDK. What is read is an envelope, as `events` makes it: `t` and `d` are Discord's own,
`place` is what the event does not say about where it happened, `at` when it came in. What a message holds is
`content`'s. Shapes are those of version 10 of the API.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from channels.base import (
    ChatRef,
    Edited,
    Inbound,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from channels.discord import content, tokens
from channels.discord.fields import Json, need_id, need_thing, number, text, thing, things, time, time_of_id
from core.events import ChatKind

_SAID = frozenset({0, 19})
"""Of all kinds of message, what a person wrote, and a reply [discord.com/developers/docs/resources/message]."""

COMMAND, COMPONENT, COMPLETION, MODAL = 2, 3, 4, 5
"""Kinds of interaction [discord.com/developers/docs/interactions/receiving-and-responding]."""

_COMMON_COMMAND = 1


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads events for one bot; it must know the bot's own id to see who is meant."""

    channel_id: str
    bot_id: str

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        """What the event means: one thing, nothing that concerns us, or a departure from several rooms at once.

        Raises:
            ValueError: Discord could not have sent this.
        """
        if not isinstance(payload, Mapping):
            raise ValueError("an event is an object")
        event = need_thing(payload, "d")
        place = thing(payload, "place") or {}
        match payload.get("t"):
            case "MESSAGE_CREATE":
                return _one(self._message(event, place, need_id(event)))
            case "MESSAGE_UPDATE":
                return _one(self._edited(event, place))
            case "INTERACTION_CREATE":
                return _one(self._interaction(event, place))
            case "GUILD_CREATE":
                return _one(self._joined(event, place))
            case "GUILD_DELETE":
                return self._left(event, place, payload)
        return ()

    # ---- messages --------------------------------------------------------------------------------------------------

    def _message(self, message: Json, place: Json, update_id: str) -> InboundMessage | None:
        """What a person wrote to the bot; None for bots, and for what is none of the bot's business."""
        author = thing(message, "author")
        if author is None or number(message, "type") not in _SAID or "webhook_id" in message:
            return None
        sender = _sender(author, thing(message, "member"))
        words, named = content.read_words(message, self.bot_id)
        files, quoted = content.read_files(message), self._quoted(message)
        if sender.is_bot or not (words or files or named):
            return None
        asked = named or (quoted is not None and quoted.from_bot)
        if not (asked or words.startswith("/") or self._reads_on(message, place)):
            return None
        chat = self._chat(message, place, sender.id, need_id(message) if asked else None)
        return InboundMessage(
            chat=chat,
            sender=sender,
            message_id=need_id(message),
            text=words,
            update_id=update_id,
            at=time(message, "edited_timestamp") or time(message, "timestamp") or time_of_id(need_id(message)),
            attachments=files,
            reply_to=quoted,
            forwarded_from="somebody" if content.is_passed_on(message) else None,
            mentioned=named,
        )

    def _reads_on(self, message: Json, place: Json) -> bool:
        """Whether words that name nobody may be for the bot: in private, and in a thread that it opened."""
        return text(message, "guild_id") is None or text(place, "owner") == self.bot_id

    def _edited(self, message: Json, place: Json) -> Edited | None:
        """A message is also told anew when Discord has looked at its links; then it was not edited."""
        edited_at = text(message, "edited_timestamp")
        if edited_at is None or thing(message, "author") is None:
            return None
        now = self._message(message, place, f"{need_id(message)}:{edited_at}")
        return Edited(now) if now else None

    def _chat(self, event: Json, place: Json, person_id: str, opens: str | None = None) -> ChatRef:
        """The room. `opens` is the message that opens a thread where it is not in one: the thread has its id."""
        if text(event, "guild_id") is None:
            return ChatRef(self.channel_id, person_id)
        channel, parent = need_id(event, "channel_id"), text(place, "parent")
        return ChatRef(
            channel_id=self.channel_id,
            id=parent or channel,
            kind=ChatKind.GROUP,
            thread=channel if parent else opens,
            title=text(place, "title"),
        )

    def _quoted(self, message: Json) -> Quoted | None:
        original = thing(message, "referenced_message")
        if original is None or number(message, "type") != 19:
            return None
        author = need_thing(original, "author")
        return Quoted(
            message_id=need_id(original),
            text=content.describe(original, self.bot_id),
            author=content.person_name(author),
            from_bot=need_id(author) == self.bot_id,
        )

    # ---- interactions ----------------------------------------------------------------------------------------------

    def _interaction(self, event: Json, place: Json) -> InboundMessage | Press | None:
        kind = number(event, "type")
        if kind == COMMAND:
            return self._command(event, place)
        if kind in (COMPONENT, MODAL):
            return self.press(event, place)
        return None

    def press(self, event: Json, place: Json) -> Press | None:
        """A button, a pick or a form that was sent; None for what has no message or was not put there by us."""
        message, data, sender = thing(event, "message"), need_thing(event, "data"), _who(event)
        token = tokens.pressed(data)
        if message is None or token is None or sender.is_bot:
            return None
        update_id = need_id(event)
        return Press(
            id=f"{update_id}:{text(event, 'token') or ''}",
            token=token,
            message=MessageRef(self._chat(event, place, sender.id), need_id(message)),
            sender=sender,
            update_id=update_id,
            at=time_of_id(update_id),
            filled=tokens.filled(data) if number(event, "type") == MODAL else None,
        )

    def typing(self, event: Json, place: Json) -> tuple[ChatRef, Sender, str] | None:
        """Where and by whom which command is being typed; None for a bot."""
        sender, name = _who(event), text(need_thing(event, "data"), "name")
        return None if sender.is_bot or name is None else (self._chat(event, place, sender.id), sender, name)

    def _command(self, event: Json, place: Json) -> InboundMessage | None:
        """A picked command is the words that it stands for."""
        sender, update_id = _who(event), need_id(event)
        words = command_words(event)
        if words is None or sender.is_bot:
            return None
        return InboundMessage(
            chat=self._chat(event, place, sender.id),
            sender=sender,
            message_id=update_id,
            text=words,
            update_id=update_id,
            at=time_of_id(update_id),
            mentioned=text(event, "guild_id") is not None,
        )

    # ---- servers ---------------------------------------------------------------------------------------------------

    def _joined(self, guild: Json, place: Json) -> Joined | None:
        """The bot was brought into a server: told of the room in which Discord itself greets."""
        room = text(place, "room")
        at = time(guild, "joined_at")
        if room is None or at is None:
            return None
        chat = ChatRef(self.channel_id, room, ChatKind.GROUP, title=text(place, "title"))
        return Joined(chat, None, f"joined:{need_id(guild)}:{at.isoformat()}", at)

    def _left(self, guild: Json, place: Json, payload: Json) -> Sequence[Left]:
        at = time(payload, "at")
        rooms = place.get("rooms")
        if at is None or not isinstance(rooms, list) or guild.get("unavailable") is True:
            return ()
        update_id = f"left:{need_id(guild)}:{at.isoformat()}"
        return tuple(Left(ChatRef(self.channel_id, str(room), ChatKind.GROUP), update_id, at) for room in rooms)


def command_words(event: Json) -> str | None:
    """What somebody would have typed: `/goal Learn Spanish`; None for what is no command of a menu."""
    data = need_thing(event, "data")
    if number(data, "type") not in (None, _COMMON_COMMAND):
        return None
    values = (str(option.get("value", "")).strip() for option in things(data, "options"))
    return " ".join([f"/{text(data, 'name') or ''}", *(value for value in values if value)])


def update_id_of(payload: Json) -> str:
    """The id under which an event is stored; the same on every road.

    Raises:
        ValueError: it has none.
    """
    event, kind = need_thing(payload, "d"), payload.get("t")
    if kind == "MESSAGE_UPDATE":
        return f"{need_id(event)}:{text(event, 'edited_timestamp') or ''}"
    if kind == "GUILD_CREATE":
        at = time(event, "joined_at")
        return f"joined:{need_id(event)}:{at.isoformat() if at else ''}"
    if kind == "GUILD_DELETE":
        at = time(payload, "at")
        return f"left:{need_id(event)}:{at.isoformat() if at else ''}"
    return need_id(event)


def _one(found: Inbound | None) -> Sequence[Inbound]:
    return (found,) if found else ()


def _who(event: Json) -> Sender:
    """In a server a person comes as a member of it."""
    member = thing(event, "member")
    user = need_thing(member, "user") if member else need_thing(event, "user")
    return _sender(user, member)


def _sender(user: Json, member: Json | None) -> Sender:
    return Sender(
        id=need_id(user),
        name=content.person_name(user, member),
        username=text(user, "username"),
        is_bot=user.get("bot") is True,
    )
