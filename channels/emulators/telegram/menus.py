"""A bot's command menus: one list for each scope and language, and which of them a person sees.

Belongs here: storing, checking and choosing. Reading the call belongs to `methods/commands`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import bad_request, strict

SCOPES = limits.words(
    "default all_private_chats all_group_chats all_chat_administrators chat chat_administrators chat_member"
)
_NAME = re.compile(r"[a-z0-9_]+")
_LANGUAGE = re.compile(r"[a-z]{2}")


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom a menu is. `chat_id` and `user_id` only where the type names them."""

    type: str = "default"
    chat_id: int | None = None
    user_id: int | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A line of the menu."""

    command: str
    description: str


@dataclass(slots=True)
class CommandMenus:
    """The menus of one bot."""

    _menus: dict[tuple[Scope, str], tuple[Command, ...]] = field(default_factory=dict)

    def put(self, scope: Scope, language: str, commands: tuple[Command, ...]) -> None:
        """Replace a menu; an empty one is none."""
        if commands:
            self._menus[scope, language] = commands
        else:
            self._menus.pop((scope, language), None)

    def get(self, scope: Scope, language: str) -> tuple[Command, ...]:
        """The menu of exactly this scope and language."""
        return self._menus.get((scope, language), ())

    def seen_by(
        self, person_id: int, chat_id: int, *, private: bool, admin: bool, language: str
    ) -> tuple[Command, ...]:
        """What a person finds in a chat: the narrowest menu there is, in their language before any.

        Source: core.telegram.org/bots/api#botcommandscope, "Determining list of commands".
        """
        for scope in _narrowest_first(person_id, chat_id, private=private, admin=admin):
            for tongue in (language, ""):
                commands = self.get(scope, tongue)
                if commands:
                    return commands
        return ()


def _narrowest_first(person_id: int, chat_id: int, *, private: bool, admin: bool) -> Iterator[Scope]:
    if private:
        yield Scope("chat", chat_id)
        yield Scope("all_private_chats")
    else:
        yield Scope("chat_member", chat_id, person_id)
        if admin:
            yield Scope("chat_administrators", chat_id)
        yield Scope("chat", chat_id)
        if admin:
            yield Scope("all_chat_administrators")
        yield Scope("all_group_chats")
    yield Scope("default")


def checked_language(language: str) -> str:
    """A two-letter language code, or nothing.

    Raises:
        ApiError: 400 for anything else.
    """
    if language and not _LANGUAGE.fullmatch(language):
        raise bad_request("invalid language code specified")
    return language


def checked_commands(commands: Sequence[object]) -> tuple[Command, ...]:
    """The commands of a setMyCommands call.

    Raises:
        ApiError: 400 with TDLib's words for lengths, the server's for characters and count.
    """
    if len(commands) > limits.COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    checked = tuple(_checked(command) for command in commands)
    names = [command.command for command in checked]
    if len(set(names)) != len(names):
        raise strict("the same command twice in one menu")
    return checked


def _checked(command: object) -> Command:
    if not isinstance(command, dict):
        raise bad_request("can't parse BotCommand: expected an Object")
    for name in ("command", "description"):
        if not isinstance(command.get(name), str):
            raise bad_request(f"can't parse BotCommand: can't find field \"{name}\"")
    if command.keys() - {"command", "description"}:
        raise strict(f"BotCommand has no field {sorted(command.keys() - {'command', 'description'})[0]}")
    name, description = command["command"].strip().removeprefix("/"), command["description"].strip()
    if not name:
        raise bad_request("command must be non-empty")
    if len(name) > limits.COMMAND_LENGTH:
        raise bad_request(f"command length must not exceed {limits.COMMAND_LENGTH}")
    if not description:
        raise bad_request("command description must be non-empty")
    if len(description) > limits.COMMAND_DESCRIPTION_LENGTH:
        raise bad_request(f"command description length must not exceed {limits.COMMAND_DESCRIPTION_LENGTH}")
    if not _NAME.fullmatch(name):
        raise bad_request("BOT_COMMAND_INVALID")
    return Command(name, description)
