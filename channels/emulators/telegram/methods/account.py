"""A bot and itself: who it is, its menus, and answering those who press its buttons."""

from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import bad_request, strict
from channels.emulators.telegram.links import checked_link
from channels.emulators.telegram.menus import SCOPES, Command, Scope, checked_commands, checked_language
from channels.emulators.telegram.methods.call import Call, Method
from channels.emulators.telegram.parameters import FLAG, INTEGER, LIST, OBJECT, TEXT
from channels.emulators.telegram.presses import PressAnswer
from channels.emulators.telegram.text import units

_SCOPE_FIELDS = {"chat": {"chat_id"}, "chat_administrators": {"chat_id"}, "chat_member": {"chat_id", "user_id"}}


async def get_me(call: Call) -> object:
    """The bot as `User`."""
    return call.bot.me


async def set_my_commands(call: Call) -> object:
    """Up to 100 commands for one scope and language; none takes the menu away."""
    commands = checked_commands(call.values.get("commands", []))
    _put(call, commands)
    return True


async def delete_my_commands(call: Call) -> object:
    """The menu of one scope and language is gone; the next wider one shows."""
    _put(call, ())
    return True


async def get_my_commands(call: Call) -> object:
    """The menu of exactly one scope and language."""
    commands = call.bot.menus.get(_scope(call), checked_language(call.text("language_code")))
    return [{"command": c.command, "description": c.description} for c in commands]


async def answer_callback_query(call: Call) -> object:
    """Once for each press, within 15 seconds; up to 200 characters."""
    text, url = call.text("text"), call.text("url") or None
    if units(text) > limits.PRESS_ANSWER_UNITS:
        raise bad_request("MESSAGE_TOO_LONG")
    if url is not None and checked_link(url) is None:
        raise bad_request("URL_INVALID")
    press = call.world.presses.answer(
        call.bot, call.text("callback_query_id"), PressAnswer(text, call.flag("show_alert"), url)
    )
    call.world.show("press_answered", press.message.chat, press)
    return True


def _put(call: Call, commands: tuple[Command, ...]) -> None:
    call.bot.menus.put(_scope(call), checked_language(call.text("language_code")), commands)
    call.world.show_menu(call.bot)


def _scope(call: Call) -> Scope:
    given: dict[str, Any] = call.values.get("scope", {"type": "default"})
    kind = given.get("type")
    if kind not in SCOPES:
        raise bad_request("can't parse BotCommandScope: Unsupported type specified")
    fields = _SCOPE_FIELDS.get(kind, set())
    if given.keys() - fields - {"type"}:
        raise strict(f"a {kind} scope has no field {sorted(given.keys() - fields - {'type'})[0]}")
    for name in sorted(fields):
        if name not in given:
            raise bad_request(f"can't parse BotCommandScope: can't find field \"{name}\"")
    chat_id = int(given["chat_id"]) if "chat_id" in given else None
    if chat_id is not None:
        call.world.chat_to_read(call.bot, chat_id)
    return Scope(kind, chat_id, given.get("user_id"))


_MENU = {"scope": OBJECT, "language_code": TEXT}

METHODS = (
    Method("getMe", {}, get_me),
    Method("setMyCommands", {**_MENU, "commands": LIST}, set_my_commands),
    Method("deleteMyCommands", _MENU, delete_my_commands),
    Method("getMyCommands", _MENU, get_my_commands),
    Method(
        "answerCallbackQuery",
        {"callback_query_id": TEXT, "text": TEXT, "show_alert": FLAG, "url": TEXT, "cache_time": INTEGER},
        answer_callback_query,
    ),
)
