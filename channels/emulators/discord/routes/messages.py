"""Messages of channels: saying, changing, taking away, reading back, reacting, typing.

Belongs here: what a bot does with its token. What it does with an interaction's belongs to `interactions`.
"""

from typing import Any
from urllib.parse import unquote

from channels.emulators.discord import limits, permissions
from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.errors import (
    ApiError,
    FormErrors,
    missing_permissions,
    not_the_author,
    thread_archived,
    unknown,
)
from channels.emulators.discord.forms import changed_content, check_message, new_content
from channels.emulators.discord.naming import check_allowed
from channels.emulators.discord.places import EPHEMERAL, LOADING, Channel, Message


async def create(call: Call) -> Reply:
    """POST: say something. The same nonce again, with `enforce_nonce`, gives the message that is there."""
    channel, body = call.channel_to_write(), call.fields
    check_message(body)
    _check_extras(body)
    if channel.archived and channel.parent is not None:
        call.world.archive(channel, archived=False)
    nonce = body.get("nonce")
    if nonce is not None and body.get("enforce_nonce"):
        before = call.world.sent_with(channel, call.bot, str(nonce), limits.NONCE_SECONDS)
        if before is not None:
            return Reply(call.told(before))
    needed = permissions.ATTACH_FILES if call.uploads else 0
    if not channel.may(call.bot, needed):
        raise missing_permissions()
    content = new_content(body, call.uploads, call.world.ids)
    message = call.world.post(
        channel,
        call.bot,
        content,
        body.get("allowed_mentions"),
        reply_to=_reply_to(body, channel),
        flags=(body.get("flags") or 0) & ~(EPHEMERAL | LOADING),
        nonce=nonce,
    )
    if nonce is not None:
        call.world.remember_nonce(message)
    return Reply(call.told(message))


def _check_extras(body: dict[str, Any]) -> None:
    errors = FormErrors()
    if body.get("allowed_mentions") is not None:
        check_allowed(body["allowed_mentions"], errors)
    if (body.get("flags") or 0) & EPHEMERAL:
        errors.add("flags", "MESSAGE_FLAGS_INVALID", "Only the answer to an interaction is for one person alone.")
    errors.raise_if_any()


def _reply_to(body: dict[str, Any], channel: Channel) -> Message | None:
    reference = body.get("message_reference")
    if reference is None:
        return None
    message = channel.messages.get(str(reference.get("message_id")))
    if message is not None and not message.deleted:
        return message
    if reference.get("fail_if_not_exists", True):
        errors = FormErrors()
        errors.add("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        errors.raise_if_any()
    return None


async def edit(call: Call) -> Reply:
    """PATCH: change one's own message."""
    channel = call.channel()
    message = call.message(channel)
    if message.author is not call.bot:
        raise not_the_author()
    if channel.archived:
        raise thread_archived()
    check_message(call.fields, flags=message.flags)
    call.world.edit(message, changed_content(call.fields, call.uploads, call.world.ids, message.content))
    return Reply(call.told(message))


async def delete(call: Call) -> Reply:
    """DELETE: one's own, or another's with the permission to manage messages."""
    channel = call.channel()
    message = call.message(channel)
    if message.author is not call.bot:
        if channel.guild is None:
            raise _not_in_private()
        call.channel(permissions.MANAGE_MESSAGES)
    call.world.delete(message)
    return Reply()


def _not_in_private() -> ApiError:
    return ApiError(403, 50003, "Cannot execute action on a DM channel")


async def get(call: Call) -> Reply:
    """GET: one message."""
    channel = call.channel(permissions.READ_MESSAGE_HISTORY)
    return Reply(call.told(call.message(channel)))


async def history(call: Call) -> Reply:
    """GET: up to 100 messages, newest first, `before`, `after` or `around` an id."""
    channel = call.channel(permissions.READ_MESSAGE_HISTORY)
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= limits.HISTORY:
        errors = FormErrors()
        errors.add("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
        errors.raise_if_any()
    there = [m for m in channel.messages.values() if not m.deleted and m.only_for is None]
    if "after" in call.query:
        chosen = [m for m in there if int(m.id) > int(call.query["after"])][:limit]
    elif "around" in call.query:
        older = [m for m in there if int(m.id) <= int(call.query["around"])][-(limit // 2 + 1) :]
        newer = [m for m in there if int(m.id) > int(call.query["around"])][: limit // 2]
        chosen = (older + newer)[:limit]
    else:
        before = int(call.query.get("before", 1 << 63))
        chosen = [m for m in there if int(m.id) < before][-limit:]
    return Reply([call.told(message) for message in reversed(chosen)])


async def typing(call: Call) -> Reply:
    """POST: show that it types, for ten seconds."""
    call.world.type_in(call.channel_to_write(), call.bot)
    return Reply()


async def react(call: Call) -> Reply:
    """PUT: put an emoji under a message."""
    message = call.message(call.channel(permissions.ADD_REACTIONS, permissions.READ_MESSAGE_HISTORY))
    call.world.react(message, call.bot, _emoji(call), on=True)
    return Reply()


async def unreact(call: Call) -> Reply:
    """DELETE: take one's own emoji away."""
    message = call.message(call.channel())
    call.world.react(message, call.bot, _emoji(call), on=False)
    return Reply()


def _emoji(call: Call) -> str:
    emoji = unquote(call.place["emoji_name"])
    if emoji.isascii():
        raise unknown("Emoji")
    return emoji
