"""The menu of commands as Discord shows it, and the words that complete one.

Pure. A command that does not work in servers is not shown there. What a picked command means is `parse`'s.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.discord import limits
from channels.discord.fields import Json, number, text, things
from commands.menus import MenuEntry, NativeMenu
from commands.values import ValueItem

_COMMON, _TEXT_OPTION = 1, 3
_IN_SERVERS, _IN_PRIVATE = 0, 1
_OPTION = "value"
_ADDED_TO_SERVERS = 0


def commands_of(menu: NativeMenu) -> list[dict[str, Any]]:
    """The application's commands."""
    return [_command(entry) for entry in menu.default]


def differs(found: object, wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what Discord has is anything else than what is wanted; what Discord adds by itself counts for nothing."""
    if not isinstance(found, list) or len(found) != len(wanted):
        return True
    ours = {str(command.get("name")): command for command in found if isinstance(command, dict)}
    return any(_essence(ours.get(command["name"], {})) != _essence(command) for command in wanted)


def completions(menu: NativeMenu, data: Json, found: Sequence[ValueItem] | None = None) -> Mapping[str, str]:
    """The words that fit what somebody has typed of a command's value so far, by what a person reads.

    Of those that were `found`, else of those that the menu always has. One that is too long to come back is left out.
    """
    entry = next((entry for entry in menu.default if entry.name == text(data, "name")), None)
    if entry is None or entry.values is None:
        return {}
    items = entry.values.items if found is None else found
    typed = next((str(option.get("value", "")) for option in things(data, "options") if option.get("focused")), "")
    wanted = typed.strip().lower()
    fitting = (item for item in items if wanted in item.word.lower() or wanted in item.title.lower())
    return {item.title: item.word for item in fitting if len(item.word) <= limits.MAX_OPTION_TEXT}


def _command(entry: MenuEntry) -> dict[str, Any]:
    command: dict[str, Any] = {
        "name": entry.name,
        "type": _COMMON,
        "description": entry.description,
        "integration_types": [_ADDED_TO_SERVERS],
        "contexts": [_IN_SERVERS, _IN_PRIVATE] if entry.groups else [_IN_PRIVATE],
    }
    if entry.argument_hint:
        option = {"type": _TEXT_OPTION, "name": _OPTION, "description": entry.argument_hint, "required": False}
        command["options"] = [option | {"autocomplete": True} if entry.completes else option]
    return command


def _essence(command: Mapping[str, Any]) -> object:
    options = [
        (number(option, "type"), text(option, "name"), text(option, "description"), bool(option.get("autocomplete")))
        for option in things(command, "options")
    ]
    contexts = command.get("contexts")
    where = sorted(contexts) if isinstance(contexts, list) else None
    return command.get("type", _COMMON), command.get("description"), options, where
