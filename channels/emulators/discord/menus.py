"""Commands that a person picks behind the slash: what Discord refuses, how it keeps them, how typed words fill them.

Belongs here: a command as data. Who registered it belongs to `people`, picking one to `screen`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.discord import limits
from channels.emulators.discord.errors import FormErrors

CHAT = 1
SUBCOMMAND, SUBCOMMAND_GROUP, STRING, INTEGER, BOOLEAN, NUMBER = 1, 2, 3, 4, 5, 10

_NAME = re.compile(r"[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}")
"""Letters and digits of any script, and all signs of the two whose vowels are neither."""

_SPECIAL = ("description", "name")


@dataclass(frozen=True, slots=True)
class Command:
    """A command as the person sees it in the list; `options` are the names of what it asks for."""

    name: str
    description: str
    options: tuple[str, ...] = ()


def check_command(command: Mapping[str, Any], path: str, errors: FormErrors) -> None:
    """Say what is wrong with a command."""
    prefix = f"{path}." if path else ""
    if (command.get("type") or CHAT) != CHAT:
        errors.length(f"{prefix}name", command.get("name"), limits.COMMAND_NAME, 1)
        return
    _check_named(command, prefix, errors)
    _check_options(command.get("options") or [], prefix, errors)
    if _characters(command) > limits.COMMAND_TOGETHER:
        words = f"Command exceeds maximum size ({limits.COMMAND_TOGETHER})"
        errors.add(path, "APPLICATION_COMMAND_TOO_LARGE", words)


def _check_named(thing: Mapping[str, Any], prefix: str, errors: FormErrors) -> None:
    name = thing.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.lower():
        words = "Command name is invalid"
        errors.add(f"{prefix}name", "APPLICATION_COMMAND_INVALID_NAME", words)
    errors.length(f"{prefix}description", thing.get("description"), limits.COMMAND_DESCRIPTION, 1)


def _check_options(options: list[dict[str, Any]], prefix: str, errors: FormErrors) -> None:
    errors.count(f"{prefix}options", len(options), limits.COMMAND_OPTIONS)
    names: set[str] = set()
    optional = False
    for place, option in enumerate(options):
        where = f"{prefix}options.{place}."
        _check_named(option, where, errors)
        if option.get("name") in names:
            words = "Option names must be unique"
            errors.add(f"{where}name", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", words)
        names.add(str(option.get("name")))
        if option.get("required") and optional:
            words = "Required options must be placed before non-required options"
            errors.add(where.rstrip("."), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", words)
        optional = optional or (option.get("type") not in (SUBCOMMAND, SUBCOMMAND_GROUP) and not option.get("required"))
        _check_choices(option.get("choices") or [], where, errors)
        if option.get("options"):
            _check_options(option["options"], where, errors)


def _check_choices(choices: list[dict[str, Any]], prefix: str, errors: FormErrors) -> None:
    errors.count(f"{prefix}choices", len(choices), limits.CHOICES)
    for place, choice in enumerate(choices):
        errors.length(f"{prefix}choices.{place}.name", choice.get("name"), limits.OPTION_TEXT, 1)
        if isinstance(choice.get("value"), str):
            errors.length(f"{prefix}choices.{place}.value", choice["value"], limits.OPTION_TEXT)


def _characters(command: Mapping[str, Any]) -> int:
    """Names, descriptions and choices of a command and all inside of it."""
    count = sum(len(str(command.get(name) or "")) for name in _SPECIAL)
    for choice in command.get("choices") or []:
        count += len(str(choice.get("name"))) + len(str(choice.get("value")))
    return count + sum(_characters(option) for option in command.get("options") or [])


def kept_command(command: Mapping[str, Any], command_id: str, version: str, application_id: str) -> dict[str, Any]:
    """As Discord keeps it."""
    given = {name: value for name, value in command.items() if value is not None}
    defaults = {
        "default_member_permissions": None,
        "dm_permission": True,
        "contexts": None,
        "integration_types": [0],
        "nsfw": False,
        "description": "",
        "type": CHAT,
    }
    return defaults | given | {"id": command_id, "version": version, "application_id": application_id}


def as_seen(commands: Iterable[Mapping[str, Any]]) -> tuple[Command, ...]:
    """The list behind the slash."""
    chat = [command for command in commands if command["type"] == CHAT]
    return tuple(
        Command(c["name"], c["description"], tuple(option["name"] for option in c.get("options") or [])) for c in chat
    )


def filled(command: Mapping[str, Any], words: str) -> list[dict[str, Any]]:
    """The options as a person fills them from typed words: a word each, the last one all that is left.

    Raises:
        LookupError: Discord would not send it: something required is missing, or not one of the choices.
    """
    options = command.get("options") or []
    inner = [o for o in options if o["type"] in (SUBCOMMAND, SUBCOMMAND_GROUP)]
    first, _, rest = words.partition(" ")
    if inner:
        chosen = next((o for o in inner if o["name"] == first), None)
        if chosen is None:
            raise LookupError(f"/{command['name']} has {', '.join(o['name'] for o in inner)}, not {first!r}")
        return [{"name": first, "type": chosen["type"], "options": filled(chosen, rest)}]
    return _in_order(command["name"], options, words)


def _in_order(name: str, options: list[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    given: list[dict[str, Any]] = []
    for place, option in enumerate(options):
        last = place == len(options) - 1
        word, _, rest = (words, "", "") if last else words.partition(" ")
        if word:
            given.append(option_value(option, word))
        elif option.get("required"):
            raise LookupError(f"/{name} wants {option['name']!r}")
        words = rest
    if words.strip():
        raise LookupError(f"/{name} takes no {words!r}")
    return given


def typed(command: Mapping[str, Any], options: list[dict[str, Any]]) -> str:
    """A command as it would be typed: `/goal learn it`."""
    words = [f"/{command['name']}"]
    for option in options:
        if "options" in option:
            return " ".join([*words, typed(option, option["options"]).removeprefix("/")])
        words.append(str(option.get("value", "")))
    return " ".join(words)


def option_value(option: Mapping[str, Any], word: object) -> dict[str, Any]:
    """One option as an interaction carries it.

    Raises:
        LookupError: not one of the choices, or no such number.
    """
    choices = option.get("choices") or []
    value: object = word
    if choices:
        chosen = [c["value"] for c in choices if word in (c["name"], c["value"])]
        if not chosen:
            raise LookupError(f"{word!r} is not one of {[c['name'] for c in choices]}")
        value = chosen[0]
    try:
        if option["type"] == INTEGER:
            value = int(str(value))
        elif option["type"] == NUMBER:
            value = float(str(value))
        elif option["type"] == BOOLEAN:
            value = str(value).lower() == "true"
    except ValueError:
        raise LookupError(f"{option['name']} takes a number, not {word!r}") from None
    return {"name": option["name"], "type": option["type"], "value": value}
