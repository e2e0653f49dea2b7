"""Buttons under a message: what Telegram takes, and its words where it does not.

Belongs here: checking `reply_markup`. Keyboards that replace a person's own are refused: nothing here uses them.
"""

import json
from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import ApiError, bad_request, strict
from channels.emulators.telegram.links import checked_link, mentioned_user
from channels.emulators.telegram.text import units

ACTIONS = limits.words(
    "url callback_data web_app login_url switch_inline_query switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat copy_text callback_game pay",
)
"""What a button can do; it does exactly one [Bot API, InlineKeyboardButton]."""

PLAYED = frozenset({"url", "callback_data", "copy_text"})
"""What a person can do with a button here."""

STYLES = frozenset({"primary", "success", "danger"})
_LOOKS = frozenset({"text", "icon_custom_emoji_id", "style"})
_OTHER_MARKUP = ("keyboard", "remove_keyboard", "force_reply")


def checked_keyboard(markup: object) -> dict[str, Any] | None:
    """The keyboard as a message carries it; None where there is no button in it.

    Raises:
        ApiError: 400, in Telegram's words where it refuses, "strict: …" where it would quietly change something.
    """
    if not isinstance(markup, dict):
        raise bad_request("object expected as reply markup")
    for name in _OTHER_MARKUP:
        if name in markup:
            raise strict(f"the pretend Telegram plays inline keyboards only, not {name}")
    if markup.keys() - {"inline_keyboard"}:
        raise strict(f"InlineKeyboardMarkup has no field {sorted(markup.keys() - {'inline_keyboard'})[0]}")
    rows = markup.get("inline_keyboard")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    if not any(rows):
        return None
    _check_size(rows)
    return {"inline_keyboard": [[_checked_button(button) for button in row] for row in rows]}


def _check_size(rows: list[list[Any]]) -> None:
    if not all(rows):
        raise strict("an empty row of buttons")
    if any(len(row) > limits.BUTTONS_IN_ROW for row in rows):
        raise strict(f"more than {limits.BUTTONS_IN_ROW} buttons in a row")
    if sum(len(row) for row in rows) > limits.BUTTONS:
        raise bad_request("reply markup is too long")
    if len(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()) > limits.KEYBOARD_BYTES:
        raise bad_request("reply markup is too long")


def _checked_button(button: object) -> dict[str, Any]:
    if not isinstance(button, dict):
        raise _unreadable("InlineKeyboardButton must be an Object")
    text = button.get("text")
    if not isinstance(text, str):
        raise _unreadable('can\'t find field "text"')
    if not text.strip():
        raise strict("a button without words, which Telegram leaves out")
    unknown = button.keys() - ACTIONS - _LOOKS
    if unknown:
        raise strict(f"InlineKeyboardButton has no field {sorted(unknown)[0]}")
    if button.get("style", "primary") not in STYLES:
        raise strict(f"no button style {button['style']!r}")
    return _checked_action(button)


def _checked_action(button: dict[str, Any]) -> dict[str, Any]:
    given = [name for name in button if name in ACTIONS and button[name] not in ("", None)]
    if not given:
        raise _unreadable("Text buttons are unallowed in the inline keyboard")
    if len(given) > 1:
        raise strict(f"a button does exactly one thing, not {' and '.join(sorted(given))}")
    action = given[0]
    if action not in PLAYED:
        raise strict(f"the pretend Telegram plays no {action} buttons")
    value = button[action]
    if action == "callback_data":
        _check_data(value)
    elif action == "url":
        button = button | {"url": _checked_url(value)}
    else:
        _check_copied(value)
    return button


def _check_data(data: object) -> None:
    if not isinstance(data, str):
        raise _unreadable('field "callback_data" must be of type String')
    if not 1 <= len(data.encode()) <= limits.CALLBACK_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")


def _checked_url(url: object) -> str:
    if not isinstance(url, str):
        raise _unreadable('field "url" must be of type String')
    link = url if mentioned_user(url) is not None else checked_link(url.strip())
    if link is None:
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")
    return link


def _check_copied(copied: object) -> None:
    if not isinstance(copied, dict) or not isinstance(copied.get("text"), str):
        raise _unreadable('field "copy_text" must be of type Object')
    if copied.keys() - {"text"}:
        raise strict(f"CopyTextButton has no field {sorted(copied.keys() - {'text'})[0]}")
    if not 1 <= units(copied["text"]) <= limits.COPY_TEXT_UNITS:
        raise bad_request("BUTTON_COPY_TEXT_INVALID")


def _unreadable(words: str) -> ApiError:
    return bad_request(f"can't parse inline keyboard button: {words}")
