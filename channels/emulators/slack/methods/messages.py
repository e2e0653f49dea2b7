"""Saying something, changing it, taking it away, and signs under it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from channels.emulators.slack import limits
from channels.emulators.slack.chats import Chat, Content, Message
from channels.emulators.slack.contents import content_of
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.methods.call import FLAG, JSON, NOT_PLAYED, TEXT, Call, Method
from channels.emulators.slack.people import TEAM_DOMAIN, Person


async def post_message(call: Call) -> Mapping[str, Any]:
    """A new message, in a thread where one is named; a person's id stands for the direct messages with them."""
    person = call.world.accounts.get(call.text("channel"))
    chat = call.world.private_chat(person, call.bot) if isinstance(person, Person) else call.chat_to_write()
    content = _content(call)
    thread = thread_of(call, chat)
    broadcast = call.flag("reply_broadcast") and thread is not None
    message = call.world.post(chat, call.bot, content, thread=thread, broadcast=broadcast)
    return {"channel": chat.id, "ts": message.ts, "message": message.to_json()}


async def post_ephemeral(call: Call) -> Mapping[str, Any]:
    """What one person sees, and only while they are there."""
    chat = call.chat_to_write()
    if call.text("user") not in chat.members:
        raise ApiError("user_not_in_channel")
    thread = thread_of(call, chat)
    message = call.world.post(chat, call.bot, _content(call), thread=thread, only_for=call.text("user"))
    for press in reversed(call.world.interactions.presses.values()):
        if press.chat is chat and press.person.id == message.only_for and press.bot is call.bot:
            press.notes.append(message.content.text)
            call.world.show("press_answered", chat, press=press.id)
            break
    return {"message_ts": message.ts}


async def update(call: Call) -> Mapping[str, Any]:
    """Change a message of the bot's own. Blocks that the call does not name stay; an empty list takes them away.

    Of blocks see slackapi/python-slack-sdk#523 and slack-go/slack#1214: the answer is `ok`, and nothing is changed.
    """
    chat = call.chat_to_read()
    message = call.message(chat, call.text("ts"))
    if message.sender is not call.bot:
        raise ApiError("cant_update_message")
    if message.streaming:
        raise ApiError("streaming_state_conflict")
    if len(call.text("text")) > limits.TEXT:
        raise ApiError("msg_too_long")
    content = content_of(call.world.strict, call.values)
    call.world.edit(message, _with_what_stays(call, content, message.content))
    shown = message.to_json()
    return {"channel": chat.id, "ts": message.ts, "text": message.content.text, "message": shown}


async def delete(call: Call) -> Mapping[str, Any]:
    """Take a message of the bot's own away."""
    chat = call.chat_to_read()
    message = call.message(chat, call.text("ts"))
    if message.sender is not call.bot:
        raise ApiError("cant_delete_message")
    call.world.delete(message)
    return {"channel": chat.id, "ts": message.ts}


async def permalink(call: Call) -> Mapping[str, Any]:
    """The address of a message."""
    chat = call.chat_to_read()
    message = call.message(chat, call.text("message_ts"))
    address = f"https://{TEAM_DOMAIN}.slack.com/archives/{chat.id}/p{message.ts.replace('.', '')}"
    return {"channel": chat.id, "permalink": address}


async def add_reaction(call: Call) -> Mapping[str, Any]:
    """Put an emoji under a message."""
    message = _reacted(call)
    if not call.world.react(message, call.bot, _emoji(call), added=True):
        raise ApiError("already_reacted")
    return {}


async def remove_reaction(call: Call) -> Mapping[str, Any]:
    """Take one's own emoji away."""
    message = _reacted(call)
    if not call.world.react(message, call.bot, _emoji(call), added=False):
        raise ApiError("no_reaction")
    return {}


def thread_of(call: Call, chat: Chat, name: str = "thread_ts") -> str | None:
    """The thread that is named: by its first message, or strictly refused by a reply."""
    ts = call.text(name)
    if not ts:
        return None
    parent: Message | None = chat.messages.get(ts)
    if parent is None or parent.only_for is not None:
        call.complain(f"{name} names no message of this channel")
        return ts
    if parent.thread is not None:
        call.complain(f"{name} is that of a reply, not of the message that it answers")
        return parent.thread
    return ts


def _content(call: Call) -> Content:
    if len(call.text("text")) > limits.TEXT:
        call.warnings.append("message_truncated")
    return content_of(call.world.strict, call.values)


def _with_what_stays(call: Call, content: Content, before: Content) -> Content:
    blocks, attachments = content.blocks, content.attachments
    if "blocks" not in call.values and "markdown_text" not in call.values:
        blocks = before.blocks
    if "attachments" not in call.values:
        attachments = before.attachments
    return replace(content, blocks=blocks, attachments=attachments, files=before.files)


def _reacted(call: Call) -> Message:
    if not call.text("timestamp") or not call.text("channel"):
        raise ApiError("no_item_specified")
    return call.message(call.chat_to_read(), call.text("timestamp"))


def _emoji(call: Call) -> str:
    name = call.text("name")
    if not name or name.strip(":") != name or not name.isascii() or " " in name:
        raise ApiError("invalid_name")
    return name


_SAID = {"blocks": JSON, "attachments": JSON, "text": TEXT, "markdown_text": TEXT, "metadata": JSON}
_LOOKS = dict.fromkeys(("as_user", "icon_emoji", "icon_url", "username", "link_names", "parse"), NOT_PLAYED)
_REACTION = {"channel": TEXT, "name": TEXT, "timestamp": TEXT}
_WRITE, _REACT = ("chat:write",), ("reactions:write",)

METHODS = (
    Method(
        "chat.postMessage",
        {
            **_SAID,
            **_LOOKS,
            "channel": TEXT,
            "thread_ts": TEXT,
            "reply_broadcast": FLAG,
            "mrkdwn": FLAG,
            "unfurl_links": FLAG,
            "unfurl_media": FLAG,
            "current_draft_last_updated_ts": NOT_PLAYED,
        },
        post_message,
        ("channel",),
        _WRITE,
    ),
    Method(
        "chat.postEphemeral",
        {**_SAID, **_LOOKS, "channel": TEXT, "user": TEXT, "thread_ts": TEXT},
        post_ephemeral,
        ("channel", "user"),
        _WRITE,
    ),
    Method(
        "chat.update",
        {
            **_SAID,
            "channel": TEXT,
            "ts": TEXT,
            "reply_broadcast": FLAG,
            **dict.fromkeys(("as_user", "unfurled_attachments", "link_names", "parse", "file_ids"), NOT_PLAYED),
        },
        update,
        ("channel", "ts"),
        _WRITE,
    ),
    Method("chat.delete", {"channel": TEXT, "ts": TEXT, "as_user": NOT_PLAYED}, delete, ("channel", "ts"), _WRITE),
    Method("chat.getPermalink", {"channel": TEXT, "message_ts": TEXT}, permalink, ("channel", "message_ts")),
    Method("reactions.add", _REACTION, add_reaction, ("name",), _REACT),
    Method(
        "reactions.remove",
        {**_REACTION, "file": NOT_PLAYED, "file_comment": NOT_PLAYED},
        remove_reaction,
        ("name",),
        _REACT,
    ),
)
