"""Rooms: opening direct messages, who is there, what was said."""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.chats import ChatKind, Message
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.methods.call import FLAG, JSON, NUMBER, TEXT, Call, Method
from channels.emulators.slack.people import Person

_MOST = 999


async def conversations_open(call: Call) -> Mapping[str, Any]:
    """The direct messages with one person."""
    users = [user for user in call.text("users").split(",") if user]
    if not users:
        raise ApiError("users_list_not_supplied")
    if len(users) > 1:
        call.complain("direct messages of several people are not played here")
    person = call.world.accounts.get(users[0])
    if not isinstance(person, Person):
        raise ApiError("user_not_found")
    chat = call.world.private_chat(person, call.bot)
    return {"channel": chat.to_json() if call.flag("return_im") else {"id": chat.id}}


async def info(call: Call) -> Mapping[str, Any]:
    """A room."""
    chat = call.world.chat_to_read(call.bot, call.text("channel"))
    member = {} if chat.private else {"is_member": call.bot.id in chat.members}
    return {"channel": chat.to_json() | member}


async def members(call: Call) -> Mapping[str, Any]:
    """The ids of who is in a room."""
    chat = call.world.chat_to_read(call.bot, call.text("channel"))
    return {"members": list(chat.members), "response_metadata": {"next_cursor": ""}}


async def history(call: Call) -> Mapping[str, Any]:
    """What was said in a room, newest first, without what is in threads."""
    chat = call.chat_to_read()
    own = [m for m in chat.messages.values() if m.thread is None or m.broadcast]
    found, more, cursor = _page(call, list(reversed(own)))
    return {"messages": [m.to_json() for m in found], "has_more": more, "response_metadata": {"next_cursor": cursor}}


async def replies(call: Call) -> Mapping[str, Any]:
    """A thread, oldest first, with the message that it is under."""
    chat = call.chat_to_read()
    parent = chat.messages.get(call.text("ts"))
    if parent is None or parent.deleted or parent.only_for is not None:
        raise ApiError("thread_not_found")
    found, more, cursor = _page(call, [parent, *chat.replies(parent.root)])
    return {"messages": [m.to_json() for m in found], "has_more": more, "response_metadata": {"next_cursor": cursor}}


async def join(call: Call) -> Mapping[str, Any]:
    """Come into a channel."""
    chat = call.world.chat_to_read(call.bot, call.text("channel"))
    if chat.kind is not ChatKind.CHANNEL:
        raise ApiError("method_not_supported_for_channel_type")
    if chat.archived:
        raise ApiError("is_archived")
    if call.bot.id not in chat.members:
        call.world.join(chat, call.bot)
    return {"channel": chat.to_json()}


async def leave(call: Call) -> Mapping[str, Any]:
    """Go out of a channel."""
    chat = call.world.chat_to_read(call.bot, call.text("channel"))
    if chat.private:
        raise ApiError("method_not_supported_for_channel_type")
    if call.bot.id not in chat.members:
        return {"not_in_channel": True}
    call.world.leave(chat, call.bot)
    return {}


async def set_status(call: Call) -> Mapping[str, Any]:
    """What the bot is doing in a thread; empty takes it away."""
    chat = call.chat_to_write("channel_id")
    thread = call.text("thread_ts")
    if thread not in chat.messages:
        raise ApiError("invalid_thread_ts")
    if call.text("status"):
        chat.statuses[thread] = (call.text("status"), call.world.clock.monotonic())
    else:
        chat.statuses.pop(thread, None)
    call.world.show("status", chat, thread=thread, status=call.text("status"))
    return {}


def _page(call: Call, messages: list[Message]) -> tuple[list[Message], bool, str]:
    oldest, latest = float(call.text("oldest") or 0), float(call.text("latest") or "inf")
    inclusive = call.flag("inclusive")
    limit = min(call.number("limit", 100), _MOST)
    start = _offset(call.text("cursor"))
    fitting = [
        m
        for m in messages
        if not m.deleted
        and m.only_for is None
        and (oldest < float(m.ts) < latest or (inclusive and float(m.ts) in (oldest, latest)))
    ]
    page = fitting[start : start + limit]
    more = start + limit < len(fitting)
    return page, more, f"from:{start + limit}" if more else ""


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    if not cursor.startswith("from:") or not cursor[5:].isdigit():
        raise ApiError("invalid_cursor")
    return int(cursor[5:])


_SPAN = {
    "channel": TEXT,
    "cursor": TEXT,
    "include_all_metadata": FLAG,
    "inclusive": FLAG,
    "latest": TEXT,
    "limit": NUMBER,
    "oldest": TEXT,
}
_HISTORY = ("channels:history", "groups:history", "im:history")
_READ = ("channels:read", "groups:read", "im:read")

METHODS = (
    Method(
        "conversations.open",
        {"channel": TEXT, "users": TEXT, "return_im": FLAG, "prevent_creation": FLAG},
        conversations_open,
        (),
        ("im:write",),
    ),
    Method(
        "conversations.info",
        {"channel": TEXT, "include_locale": FLAG, "include_num_members": FLAG},
        info,
        ("channel",),
        _READ,
    ),
    Method("conversations.members", {"channel": TEXT, "cursor": TEXT, "limit": NUMBER}, members, ("channel",), _READ),
    Method("conversations.history", _SPAN, history, ("channel",), _HISTORY),
    Method("conversations.replies", {**_SPAN, "ts": TEXT}, replies, ("channel", "ts"), _HISTORY),
    Method("conversations.join", {"channel": TEXT}, join, ("channel",), ("channels:join",)),
    Method("conversations.leave", {"channel": TEXT}, leave, ("channel",), _READ),
    Method(
        "assistant.threads.setStatus",
        {"channel_id": TEXT, "thread_ts": TEXT, "status": TEXT, "loading_messages": JSON},
        set_status,
        ("channel_id", "thread_ts"),
        ("assistant:write", "chat:write"),
    ),
)
