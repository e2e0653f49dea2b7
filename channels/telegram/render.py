"""From Conch's own types to calls of the Bot API.

Pure: each function says which method is called with which JSON; `client` makes the call. Texts come in Telegram's HTML
or, in the `plain` manner, without any markup. Source of every field: core.telegram.org/bots/api, Bot API 10.1.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from channels.base import Button, ButtonStyle, ChatRef, MessageRef, OutboundFile, OutboundMessage, Press
from channels.telegram import limits
from commands.menus import MenuEntry
from core.errors import Refused, RefusedReason

_NO_PREVIEW = {"is_disabled": True}
"""Answers are full of links; a preview of the first one would push the words off the screen."""

_STYLES = {ButtonStyle.PRIMARY: "primary", ButtonStyle.DANGER: "danger"}
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of the Bot API.

    `repeatable`: making it twice is the same as making it once, so that a lost answer means "again" and not "perhaps".
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, OutboundFile] = field(default_factory=dict)
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Manner:
    """How a message is put, where the first way was refused."""

    plain: bool = False
    """The words without markup."""
    as_document: bool = False
    """A picture as a file."""
    caption: bool = False
    """What is edited has a file, so its words are a caption."""


USUAL = Manner()


def send(chat: ChatRef, message: OutboundMessage, manner: Manner = USUAL) -> tuple[ApiCall, ...]:
    """The calls that say the message, in order; the last one makes the message that counts.

    Words that are too long for a caption go before the file as a message of their own.
    """
    place = _place(chat)
    if message.silent:
        place["disable_notification"] = True
    answered = _answered(message)
    keyboard = _keyboard(message.buttons)
    words = message.fallback if manner.plain else message.text
    if message.file is None:
        return (ApiCall("sendMessage", place | answered | _text(words, manner) | keyboard),)
    if not words:
        return (_file(message.file, place | answered | keyboard, manner),)
    if _shown_length(words, manner) <= limits.MAX_CAPTION:
        return (_file(message.file, place | answered | _caption(words, manner) | keyboard, manner),)
    return (
        ApiCall("sendMessage", place | answered | _text(words, manner)),
        _file(message.file, place | keyboard, manner),
    )


def edit(message: MessageRef, new: OutboundMessage, manner: Manner = USUAL) -> ApiCall:
    """Make a message say something else; buttons that are not named again go away."""
    words = new.fallback if manner.plain else new.text
    where = _message(message)
    keyboard = _keyboard(new.buttons)
    if manner.caption:
        return ApiCall("editMessageCaption", where | _caption(words, manner) | keyboard, repeatable=True)
    return ApiCall("editMessageText", where | _text(words, manner) | keyboard, repeatable=True)


def delete(message: MessageRef) -> ApiCall:
    """Take a message away; Telegram allows it for 48 hours."""
    return ApiCall("deleteMessage", _message(message), repeatable=True)


def draft(chat: ChatRef, draft_id: int, text: str, fallback: str, manner: Manner = USUAL) -> ApiCall:
    """Show what is being written: for 30 seconds, or until it is shown anew or said."""
    words = fallback if manner.plain else text
    parameters = _place(chat) | {"draft_id": draft_id} | _text(words, manner, previews=False)
    return ApiCall("sendMessageDraft", parameters, repeatable=True)


def typing(chat: ChatRef) -> ApiCall:
    """Show that the bot writes."""
    return ApiCall("sendChatAction", _place(chat) | {"action": "typing"}, repeatable=True)


def answer_press(press: Press, note: str | None) -> ApiCall:
    """Stop the button's spinner; a note is cut where Telegram would refuse it."""
    parameters: dict[str, Any] = {"callback_query_id": press.id}
    if note:
        parameters["text"] = _cut(note, limits.MAX_PRESS_NOTE)
    return ApiCall("answerCallbackQuery", parameters, repeatable=True)


def set_menu(entries: Sequence[MenuEntry], scope: str) -> ApiCall:
    """Make one of the menus say this. An empty one is taken away, so that the next wider one is seen."""
    if not entries:
        return ApiCall("deleteMyCommands", {"scope": {"type": scope}}, repeatable=True)
    commands = [{"command": entry.name, "description": entry.description} for entry in entries]
    return ApiCall("setMyCommands", {"commands": commands, "scope": {"type": scope}}, repeatable=True)


def get_me() -> ApiCall:
    """Ask whose key this is."""
    return ApiCall("getMe", repeatable=True)


def get_webhook() -> ApiCall:
    """Ask whether updates are sent somewhere else."""
    return ApiCall("getWebhookInfo", repeatable=True)


def set_webhook(url: str, secret: str) -> ApiCall:
    """Have updates brought to an address from now on, each with the secret; those that wait already too."""
    parameters = {"url": url, "secret_token": secret, "allowed_updates": list(limits.ALLOWED_UPDATES)}
    return ApiCall("setWebhook", parameters, repeatable=True)


def delete_webhook() -> ApiCall:
    """Have updates kept for us again; those that wait already stay."""
    return ApiCall("deleteWebhook", {"drop_pending_updates": False}, repeatable=True)


def get_updates(offset: int, seconds: int) -> ApiCall:
    """Ask for what came in from `offset` on; everything before it is forgotten by Telegram. 0 forgets nothing."""
    parameters = {
        "timeout": seconds,
        "limit": limits.POLL_LIMIT,
        "allowed_updates": list(limits.ALLOWED_UPDATES),
    }
    return ApiCall("getUpdates", parameters | {"offset": offset} if offset else parameters, repeatable=True)


def get_file(handle: str) -> ApiCall:
    """Ask where a file lies; the place is good for an hour."""
    return ApiCall("getFile", {"file_id": handle}, repeatable=True)


def moved(call: ApiCall, chat_id: int) -> ApiCall:
    """The same call for a group that has a new id."""
    return replace(call, parameters={**call.parameters, "chat_id": chat_id})


def _place(chat: ChatRef) -> dict[str, Any]:
    place: dict[str, Any] = {"chat_id": _number(chat.id)}
    if chat.thread is not None:
        place["message_thread_id"] = _number(chat.thread)
    return place


def _message(message: MessageRef) -> dict[str, Any]:
    return {"chat_id": _number(message.chat.id), "message_id": _number(message.message_id)}


def _answered(message: OutboundMessage) -> dict[str, Any]:
    if message.reply_to is None:
        return {}
    # The answered message may have been deleted meanwhile; the answer must come all the same.
    return {"reply_parameters": {"message_id": _number(message.reply_to), "allow_sending_without_reply": True}}


def _number(given: str) -> int:
    try:
        return int(given)
    except ValueError as error:
        raise Refused(f"Telegram has no chat or message {given!r}.", RefusedReason.BAD_PAYLOAD) from error


def _text(words: str, manner: Manner, *, previews: bool = True) -> dict[str, Any]:
    parameters: dict[str, Any] = {"text": words}
    if previews:
        parameters["link_preview_options"] = _NO_PREVIEW
    if not manner.plain:
        parameters["parse_mode"] = "HTML"
    return parameters


def _caption(words: str, manner: Manner) -> dict[str, Any]:
    return {"caption": words} if manner.plain else {"caption": words, "parse_mode": "HTML"}


def _file(file: OutboundFile, parameters: Mapping[str, Any], manner: Manner) -> ApiCall:
    if file.mime in limits.PHOTO_TYPES and not manner.as_document:
        return ApiCall("sendPhoto", parameters, {"photo": file})
    return ApiCall("sendDocument", parameters, {"document": file})


def _keyboard(buttons: Sequence[Button]) -> dict[str, Any]:
    if not buttons:
        return {}
    return {"reply_markup": {"inline_keyboard": [[_button(button) for button in row] for row in _rows(buttons)]}}


def _button(button: Button) -> dict[str, str]:
    drawn = {"text": button.label}
    if button.url is not None:
        drawn["url"] = button.url
    elif button.token is not None:
        drawn["callback_data"] = button.token
    if style := _STYLES.get(button.style):
        drawn["style"] = style
    return drawn


def _rows(buttons: Sequence[Button]) -> list[list[Button]]:
    """Short labels side by side, long ones alone; all buttons of a row are as wide as each other."""
    rows: list[list[Button]] = []
    for button in buttons:
        row = [*rows[-1], button] if rows else [button]
        widest = max(len(other.label) for other in row)
        if rows and len(row) <= limits.BUTTONS_IN_A_ROW and widest * len(row) <= limits.LONGEST_ROW:
            rows[-1] = row
        else:
            rows.append([button])
    return rows


def _shown_length(words: str, manner: Manner) -> int:
    """As Telegram measures: in UTF-16 units, after the markup was read."""
    shown = words if manner.plain else html.unescape(_TAG.sub("", words))
    return _units(shown)


def _units(words: str) -> int:
    return len(words.encode("utf-16-le", "surrogatepass")) // 2


def _cut(words: str, longest: int) -> str:
    """The words, or as many as fit with a sign that there were more; `longest` is in UTF-16 units."""
    if _units(words) <= longest:
        return words
    kept = words.encode("utf-16-le", "surrogatepass")[: 2 * (longest - 1)].decode("utf-16-le", "ignore")
    return kept.rstrip() + "…"
