"""A bot's command menus: limits, scopes, and which one a person finds."""

from typing import Any

import pytest
from telegram import Bot, BotCommandScopeAllGroupChats, BotCommandScopeChat, BotCommandScopeChatMember

from channels.emulators.telegram.menus import Command
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from tests.channels.emulators.conftest import Wire

HELP = [("help", "Say what there is")]


def many(count: int) -> list[dict[str, str]]:
    return [{"command": f"c{number}", "description": "d"} for number in range(count)]


def one(command: str, description: str = "d") -> list[dict[str, str]]:
    return [{"command": command, "description": description}]


@pytest.mark.parametrize("commands", [many(100), one("a" * 32), one("a_1"), one("a", "d" * 256), one("/a")])
async def test_a_menu_at_the_edge_is_taken(wire: Wire, commands: list[dict[str, str]]) -> None:
    await wire("setMyCommands", commands=commands)

    assert len((await wire("getMyCommands"))["result"]) == len(commands)


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (many(101), "BOT_COMMANDS_TOO_MUCH"),
        (one("a" * 33), "command length must not exceed 32"),
        (one(""), "command must be non-empty"),
        (one("Help"), "BOT_COMMAND_INVALID"),
        (one("hilfe-bitte"), "BOT_COMMAND_INVALID"),
        (one("a", ""), "command description must be non-empty"),
        (one("a", "d" * 257), "command description length must not exceed 256"),
        (one("a") + one("a"), "strict: the same command twice in one menu"),
        ([{"command": "a"}], "can't parse BotCommand: can't find field \"description\""),
        ([{"command": "a", "description": "d", "help": "x"}], "strict: BotCommand has no field help"),
        (["a"], "can't parse BotCommand: expected an Object"),
    ],
)
async def test_a_menu_beyond_the_edge_is_refused(wire: Wire, commands: list[Any], words: str) -> None:
    answer = await wire("setMyCommands", commands=commands)

    assert answer["description"] == f"Bad Request: {words}"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"scope": {"type": "chat"}}, "can't parse BotCommandScope: can't find field \"chat_id\""),
        ({"scope": {"type": "everyone"}}, "can't parse BotCommandScope: Unsupported type specified"),
        ({"scope": {"type": "default", "chat_id": 5}}, "strict: a default scope has no field chat_id"),
        ({"scope": {"type": "chat", "chat_id": 5}}, "chat not found"),
        ({"scope": "default"}, "can't parse BotCommandScope JSON object"),
        ({"language_code": "german"}, "invalid language code specified"),
    ],
)
async def test_a_scope_that_does_not_exist_is_refused(wire: Wire, values: dict[str, Any], words: str) -> None:
    answer = await wire("setMyCommands", commands=one("a"), **values)

    assert answer["description"] == f"Bad Request: {words}"


async def test_a_person_finds_the_narrowest_menu(bot: Bot, ada: Player, chat: Screen) -> None:
    await bot.set_my_commands([("wide", "d")])
    await bot.set_my_commands([("weit", "d")], language_code="de")
    wide = chat.menu
    await bot.set_my_commands([("narrow", "d")], scope=BotCommandScopeChat(ada.id))
    narrow = chat.menu
    await bot.delete_my_commands(scope=BotCommandScopeChat(ada.id))

    assert (wide, narrow, chat.menu) == ((Command("wide", "d"),), (Command("narrow", "d"),), wide)


async def test_a_person_finds_the_menu_in_their_language(bot: Bot, telegram: PretendTelegram) -> None:
    await bot.set_my_commands([("wide", "d")])
    await bot.set_my_commands([("weit", "d")], language_code="de")

    menus = [telegram.person("P", language_code=code).private_chat().menu for code in ("de", "fr", None)]

    assert menus == [(Command("weit", "d"),), (Command("wide", "d"),), (Command("wide", "d"),)]


async def test_a_group_may_have_a_menu_of_its_own(bot: Bot, telegram: PretendTelegram, ada: Player) -> None:
    bob = telegram.person("Bob")
    group = telegram.group("Team", [ada, bob])
    await bot.set_my_commands([("everywhere", "d")])
    await bot.set_my_commands([("together", "d")], scope=BotCommandScopeAllGroupChats())
    await bot.set_my_commands([("bobs", "d")], scope=BotCommandScopeChatMember(group.id, bob.id))

    menus = [group.screen(person).menu[0].command for person in (ada, bob)]

    assert (menus, ada.private_chat().menu[0].command) == (["together", "bobs"], "everywhere")


async def test_an_empty_menu_is_none(bot: Bot, chat: Screen) -> None:
    await bot.set_my_commands(HELP)
    await bot.set_my_commands([])

    assert (chat.menu, await bot.get_my_commands()) == ((), ())
