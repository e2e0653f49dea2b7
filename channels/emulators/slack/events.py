"""What an app is told, as Slack writes it: the inner events and the envelope around them.

Belongs here: JSON of events, and which subscription and scope each needs. Bringing them belongs to `deliveries`.
"""

import secrets
from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from channels.emulators.slack.chats import Chat, ChatKind, Message
from channels.emulators.slack.people import TEAM_ID, Bot

Event = Mapping[str, Any]

_SUBSCRIPTIONS = {
    ChatKind.IM: ("message.im", "im:history"),
    ChatKind.CHANNEL: ("message.channels", "channels:history"),
    ChatKind.GROUP: ("message.groups", "groups:history"),
}
_SCOPES = {
    "app_mention": "app_mentions:read",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
}


def is_told(bot: Bot, event: Event, kind: ChatKind | None) -> bool:
    """Whether an app has subscribed to such an event and may have it."""
    name: str = event["type"]
    scope = _SCOPES.get(name)
    if name == "message" and kind is not None:
        name, scope = _SUBSCRIPTIONS[kind]
    return name in bot.events and (scope is None or scope in bot.scopes)


def said(message: Message) -> dict[str, Any]:
    """`message`: somebody wrote. With files its subtype is `file_share`."""
    json = message.to_json()
    json.pop("reply_count", None)
    if message.content.files and "subtype" not in json:
        json["subtype"] = "file_share"
    if message.broadcast:
        json["subtype"] = "thread_broadcast"
    if not isinstance(message.sender, Bot) and message.subtype is None:
        json["client_msg_id"] = str(uuid5(NAMESPACE_URL, f"{message.chat.id}/{message.ts}"))
    return json | _where(message.chat) | {"event_ts": message.ts}


def mentioned(message: Message) -> dict[str, Any]:
    """`app_mention`: the same message once more, for the app that it names; it has no channel_type."""
    event = said(message) | {"type": "app_mention"}
    event.pop("channel_type")
    event.pop("subtype", None)
    return event


def changed(message: Message, before: Mapping[str, Any], ts: str) -> dict[str, Any]:
    """`message_changed`."""
    about = {"message": message.to_json(), "previous_message": dict(before)}
    return _hidden(message.chat, "message_changed", ts) | about


def deleted(message: Message, ts: str) -> dict[str, Any]:
    """`message_deleted`."""
    about = {"deleted_ts": message.ts, "previous_message": message.to_json()}
    return _hidden(message.chat, "message_deleted", ts) | about


def reacted(message: Message, user: str, name: str, ts: str, *, added: bool) -> dict[str, Any]:
    """`reaction_added` or `reaction_removed`."""
    return {
        "type": "reaction_added" if added else "reaction_removed",
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": message.chat.id, "ts": message.ts},
        "item_user": message.sender.id,
        "event_ts": ts,
    }


def came(chat: Chat, user: str, inviter: str | None, ts: str) -> dict[str, Any]:
    """`member_joined_channel`."""
    event = {"type": "member_joined_channel", "user": user, "channel": chat.id, "channel_type": _letter(chat)}
    by = {"inviter": inviter} if inviter is not None else {}
    return event | by | {"team": TEAM_ID, "event_ts": ts}


def went(chat: Chat, user: str, ts: str) -> dict[str, Any]:
    """`member_left_channel`."""
    event = {"type": "member_left_channel", "user": user, "channel": chat.id, "channel_type": _letter(chat)}
    return event | {"team": TEAM_ID, "event_ts": ts}


def home_opened(chat: Chat, user: str, ts: str, tab: str) -> dict[str, Any]:
    """`app_home_opened`."""
    return {"type": "app_home_opened", "user": user, "channel": chat.id, "tab": tab, "event_ts": ts}


def callback(bot: Bot, event: Event, at: int) -> dict[str, Any]:
    """The outer event; `at` in seconds since 1970."""
    authorization = {"enterprise_id": None, "team_id": bot.team_id, "user_id": bot.user_id}
    return {
        "token": "pretend",
        "team_id": bot.team_id,
        "context_team_id": bot.team_id,
        "context_enterprise_id": None,
        "api_app_id": bot.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev0{secrets.token_hex(5).upper()}",
        "event_time": at,
        "authorizations": [authorization | {"is_bot": True, "is_enterprise_install": False}],
        "is_ext_shared_channel": False,
        "event_context": secrets.token_urlsafe(12),
    }


def _where(chat: Chat) -> dict[str, Any]:
    return {"channel": chat.id, "channel_type": chat.kind.value}


def _hidden(chat: Chat, subtype: str, ts: str) -> dict[str, Any]:
    return {"type": "message", "subtype": subtype, "hidden": True, "ts": ts, "event_ts": ts} | _where(chat)


def _letter(chat: Chat) -> str:
    return "G" if chat.kind is ChatKind.GROUP else "C"
