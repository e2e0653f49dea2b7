"""Changing what was said: new words, new buttons, gone, a reaction under it."""

from dataclasses import replace

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat, Message, Standing
from channels.emulators.telegram.content import Content
from channels.emulators.telegram.errors import NOT_MODIFIED, bad_request
from channels.emulators.telegram.methods import saying
from channels.emulators.telegram.methods.call import Call, Method
from channels.emulators.telegram.parameters import CHAT, FLAG, INTEGER, LIST, NOT_PLAYED, OBJECT, TEXT

_WHICH = {
    "chat_id": CHAT,
    "message_id": INTEGER,
    "reply_markup": OBJECT,
    "inline_message_id": NOT_PLAYED,
    "business_connection_id": NOT_PLAYED,
}


async def edit_message_text(call: Call) -> object:
    """A bot's own text at any time. Buttons that are not given again are gone."""
    text, keyboard, preview = saying.message_text(call), saying.keyboard(call), saying.link_preview(call)
    message = _own_message(call)
    if message.content.media is not None or message.content.service is not None:
        raise bad_request("there is no text in the message to edit")
    return _changed(call, message, Content(text, keyboard=keyboard, link_preview=preview))


async def edit_message_caption(call: Call) -> object:
    """The words under a bot's own picture or file."""
    caption, keyboard = saying.caption(call, call.values), saying.keyboard(call)
    message = _own_message(call)
    if message.content.media is None:
        raise bad_request("there is no caption in the message to edit")
    return _changed(call, message, replace(message.content, text=caption, keyboard=keyboard))


async def edit_message_reply_markup(call: Call) -> object:
    """Only the buttons; none given takes them away."""
    keyboard = saying.keyboard(call)
    message = _own_message(call)
    return _changed(call, message, replace(message.content, keyboard=keyboard))


async def delete_message(call: Call) -> object:
    """A message younger than 48 hours: the bot's own, any in a private chat, any in a group where it is an admin."""
    chat = call.chat_to_write()
    message = _message(call, chat, call.integer("message_id"), "delete")
    _delete(call, message)
    return True


async def delete_messages(call: Call) -> object:
    """Up to 100 at once; those that are not there are skipped."""
    ids = call.values.get("message_ids", [])
    if not ids:
        raise bad_request("message identifiers are not specified")
    if len(ids) > 100:
        raise bad_request("too many message identifiers specified")
    chat = call.chat_to_write()
    for message_id in ids:
        message = chat.messages.get(message_id)
        if message is not None and not message.deleted:
            _delete(call, message)
    return True


async def set_message_reaction(call: Call) -> object:
    """One emoji of Telegram's list, or none to take it back."""
    reactions = call.values.get("reaction", [])
    emoji = [r.get("emoji") if isinstance(r, dict) and r.get("type") == "emoji" else None for r in reactions]
    chat = call.chat_to_write()
    message = _message(call, chat, call.integer("message_id"), "react")
    if len(emoji) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    if any(e is None or e not in limits.REACTIONS for e in emoji):
        raise bad_request("REACTION_INVALID")
    call.world.react(message, call.bot, emoji[0] if emoji else None)
    return True


def _own_message(call: Call) -> Message:
    if "chat_id" not in call.values or "message_id" not in call.values:
        raise bad_request("message identifier is not specified")
    chat = call.chat_to_write()
    message = _message(call, chat, call.integer("message_id"), "edit")
    if message.sender is not call.bot:
        raise bad_request("message can't be edited")
    return message


def _message(call: Call, chat: Chat, message_id: int, purpose: str) -> Message:
    message = chat.messages.get(message_id)
    if message is None or message.deleted:
        raise bad_request(f"message to {purpose} not found")
    return message


def _changed(call: Call, message: Message, content: Content) -> object:
    if content == message.content:
        raise bad_request(NOT_MODIFIED)
    call.services.flood.pass_(call.bot, message.chat)
    call.world.edit(message, content)
    return message.to_json()


def _delete(call: Call, message: Message) -> None:
    age = call.world.clock.now().timestamp() - message.date
    if age >= limits.DELETE_SECONDS:
        raise bad_request("message can't be deleted for everyone")
    chat = message.chat
    may = message.sender is call.bot or chat.private or chat.bots.get(call.bot.id) is Standing.ADMINISTRATOR
    if not may:
        raise bad_request("message can't be deleted")
    call.world.delete(message)


METHODS = (
    Method(
        "editMessageText",
        {
            **_WHICH,
            "text": TEXT,
            "parse_mode": TEXT,
            "entities": LIST,
            "link_preview_options": OBJECT,
            "rich_message": NOT_PLAYED,
        },
        edit_message_text,
    ),
    Method(
        "editMessageCaption", {**_WHICH, **saying.CAPTION, "show_caption_above_media": NOT_PLAYED}, edit_message_caption
    ),
    Method("editMessageReplyMarkup", _WHICH, edit_message_reply_markup),
    Method("deleteMessage", {"chat_id": CHAT, "message_id": INTEGER}, delete_message),
    Method("deleteMessages", {"chat_id": CHAT, "message_ids": LIST}, delete_messages),
    Method(
        "setMessageReaction",
        {"chat_id": CHAT, "message_id": INTEGER, "reaction": LIST, "is_big": FLAG},
        set_message_reaction,
    ),
)
