"""Activities as a bot is posted them, and the ids in them.

Belongs here: JSON out of what happened. Bringing it belongs to `deliveries`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from channels.emulators.teams.chats import THREAD_MARK, Chat, ChatKind, Content, Message
from channels.emulators.teams.people import TENANT, Account, Bot, Person

Activity = dict[str, Any]


def conversation(chat: Chat, root: str | None = None) -> dict[str, Any]:
    """The `conversation` of an activity; a thread has an id of its own."""
    conversation_id = chat.id + (f"{THREAD_MARK}{root}" if root is not None else "")
    about = {"id": conversation_id, "conversationType": str(chat.kind), "tenantId": TENANT}
    return about if chat.private else about | {"isGroup": True}


def channel_data(chat: Chat) -> dict[str, Any]:
    """What Teams adds to every activity."""
    data: dict[str, Any] = {"tenant": {"id": TENANT}}
    if chat.kind is ChatKind.CHANNEL:
        data |= {"teamsChannelId": chat.id, "teamsTeamId": chat.team}
        data |= {"channel": {"id": chat.id}, "team": {"id": chat.team}}
    return data


def activity(kind: str, chat: Chat, sender: Account, bot: Bot, activity_id: str, at: datetime) -> Activity:
    """What every activity has. Where it is posted from is added on the way."""
    when = at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
    return {
        "type": kind,
        "id": activity_id,
        "timestamp": when,
        "channelId": "msteams",
        "from": sender.brief,
        "recipient": bot.brief,
        "conversation": conversation(chat),
        "channelData": channel_data(chat),
    }


def from_client(person: Person) -> dict[str, Any]:
    """What the person's own app adds: language and time zone."""
    info = {"type": "clientInfo", "locale": person.locale, "country": "GB", "platform": "Windows"}
    return {"locale": person.locale, "localTimezone": person.timezone, "entities": [info]}


def message(said: Message, person: Person, bot: Bot, at: datetime, *, kind: str = "message") -> Activity:
    """Something that a person wrote, or changed (`messageUpdate`), or took away (`messageDelete`)."""
    payload = activity(kind, said.chat, person, bot, said.id, at) | from_client(person)
    payload["conversation"] = conversation(said.chat, _thread(said))
    content = said.content
    if kind != "messageDelete":
        payload |= {"text": content.text, "textFormat": "plain"}
        payload["entities"] = [*payload["entities"], *content.entities]
        payload["attachments"] = [*content.attachments, *_html(said)]
    if said.reply_to is not None:
        payload["replyToId"] = said.reply_to
    if kind != "message":
        event = {"messageUpdate": "editMessage", "messageDelete": "softDeleteMessage"}[kind]
        payload["channelData"] = payload["channelData"] | {"eventType": event}
    return payload


def value(pressed: Message, person: Person, bot: Bot, about: "Pressed", at: datetime) -> Activity:
    """What `Action.Submit` posts: a message with a value and, unless the card asks for it, no words."""
    payload = activity("message", pressed.chat, person, bot, about.id, at) | from_client(person)
    payload["conversation"] = conversation(pressed.chat, _thread(pressed))
    payload |= {"value": about.value, "replyToId": pressed.id}
    if about.text is not None:
        payload |= {"text": about.text, "textFormat": "plain"}
    source = {"source": {"name": "message"}, "legacy": {"replyToId": pressed.id}}
    payload["channelData"] = payload["channelData"] | source
    return payload


class Pressed:
    """What a press of `Action.Submit` carries."""

    def __init__(self, activity_id: str, value: object, text: str | None = None) -> None:
        self.id = activity_id
        self.value = value
        self.text = text


def invoke(
    name: str, chat: Chat, person: Person, bot: Bot, activity_id: str, value: object, at: datetime, **more: object
) -> Activity:
    """An invoke, which wants its answer at once."""
    payload = activity("invoke", chat, person, bot, activity_id, at) | from_client(person)
    return payload | {"name": name, "value": value, **more}


def members(
    chat: Chat, person: Person, bot: Bot, ids: Sequence[str], activity_id: str, at: datetime, *, added: bool
) -> Activity:
    """`conversationUpdate`: who came or went."""
    payload = activity("conversationUpdate", chat, person, bot, activity_id, at)
    if chat.kind is ChatKind.CHANNEL:
        event = "teamMemberAdded" if added else "teamMemberRemoved"
        payload["channelData"] = payload["channelData"] | {"eventType": event}
    return payload | {"membersAdded" if added else "membersRemoved": [{"id": each} for each in ids]}


def installation(chat: Chat, person: Person, bot: Bot, activity_id: str, at: datetime, *, added: bool) -> Activity:
    """`installationUpdate`: the bot was put there or taken away."""
    payload = activity("installationUpdate", chat, person, bot, activity_id, at)
    return payload | from_client(person) | {"action": "add" if added else "remove"}


def reaction(
    reacted: Message, person: Person, bot: Bot, kind: str, activity_id: str, at: datetime, *, added: bool
) -> Activity:
    """`messageReaction`."""
    payload = activity("messageReaction", reacted.chat, person, bot, activity_id, at)
    payload["conversation"] = conversation(reacted.chat, _thread(reacted))
    return payload | {"replyToId": reacted.id, "reactionsAdded" if added else "reactionsRemoved": [{"type": kind}]}


def _thread(message: Message) -> str | None:
    if message.chat.kind is not ChatKind.CHANNEL:
        return None
    return message.root or message.id


def _html(said: Message) -> list[Mapping[str, Any]]:
    """Where somebody is named, Teams brings the words as HTML too."""
    content: Content = said.content
    if not any(entity.get("type") == "mention" for entity in content.entities):
        return []
    words = escape(content.text, quote=False).replace("&lt;at&gt;", "<at>").replace("&lt;/at&gt;", "</at>")
    return [{"contentType": "text/html", "content": f"<p>{words}</p>"}]
