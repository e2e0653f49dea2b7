"""Commands behind the slash: registering them, what is refused, picking one."""

import asyncio
from typing import Any

import discord
import pytest

from channels.emulators.discord.menus import Command
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Screen
from channels.emulators.discord.server import Server
from tests.channels.emulators.discord.conftest import SdkBot, Wire

TEXT = {"type": 3, "name": "text", "description": "What it is"}
NUMBER = {"type": 4, "name": "count", "description": "How many", "required": True}
LEVEL = {
    "type": 3,
    "name": "level",
    "description": "How much",
    "choices": [{"name": "Low", "value": "l"}, {"name": "High", "value": "h"}],
}


def command(name: str = "goal", *options: dict[str, Any], **about: object) -> dict[str, Any]:
    return {"name": name, "description": "Set a goal", "options": list(options)} | about


def commands(pretend: PretendDiscord, guild: str = "") -> str:
    return f"/applications/{pretend.bot.application_id}{guild}/commands"


async def test_a_command_exists_once_it_is_registered(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    with pytest.raises(LookupError, match="no command /goal"):
        await chat.command("goal x")

    await wire("PUT", commands(pretend), [command("goal", TEXT)])

    assert chat.menu == (Command("goal", "Set a goal", ("text",)),)


async def test_a_command_reaches_the_sdk_with_what_was_typed(
    pretend: PretendDiscord, wire: Wire, bot: SdkBot, room: Screen
) -> None:
    await wire("PUT", commands(pretend), [command("goal", NUMBER, LEVEL, TEXT)])

    await room.command("goal 3 High learn all of it")
    heard: discord.Interaction = await bot.next("interaction")
    await heard.response.send_message("noted")

    data: Any = heard.data
    assert [(o["name"], o["value"]) for o in data["options"]] == [
        ("count", 3),
        ("level", "h"),
        ("text", "learn all of it"),
    ]
    assert (data["name"], heard.type) == ("goal", discord.InteractionType.application_command)
    assert (await room.wait_for_answer()).text == "noted"


async def test_what_only_repeats_the_command_is_no_answer(
    pretend: PretendDiscord, wire: Wire, bot: SdkBot, chat: Screen
) -> None:
    await wire("PUT", commands(pretend), [command("goal", TEXT)])

    await chat.command("goal learn *all*")
    heard: discord.Interaction = await bot.next("interaction")
    await heard.response.send_message(r"/goal learn \*all\*", ephemeral=True)
    await heard.followup.send("noted")

    assert [m.text for m in chat.messages] == ["/goal learn *all*", "noted"]
    assert (await chat.wait_for_answer()).text == "noted"
    with pytest.raises(TimeoutError):
        await chat.wait_for_answer(2, timeout=0.01)


async def test_options_can_be_given_by_name(pretend: PretendDiscord, wire: Wire, bot: SdkBot, chat: Screen) -> None:
    await wire("PUT", commands(pretend), [command("goal", TEXT, LEVEL)])

    picked = await chat.pick("goal", level="Low")
    heard: discord.Interaction = await bot.next("interaction")
    await heard.response.send_message("only you", ephemeral=True)

    assert picked.data["options"] == [{"name": "level", "type": 3, "value": "l"}]
    assert (await chat.answer_to(picked)).text == "only you"
    with pytest.raises(LookupError, match="has no 'other'"):
        await chat.pick("goal", other="x")


async def test_a_subcommand_is_the_next_word(pretend: PretendDiscord, wire: Wire, chat: Screen) -> None:
    inner = {"type": 1, "name": "set", "description": "Set it", "options": [TEXT]}
    await wire("PUT", commands(pretend), [command("goal", inner)])

    await chat.command("goal set learn")

    with pytest.raises(LookupError, match="has set, not 'drop'"):
        await chat.command("goal drop")


@pytest.mark.parametrize("words", ["goal", "goal many", "goal 1 Middle", "goal 1 Low too much"])
async def test_what_the_app_would_not_send(pretend: PretendDiscord, wire: Wire, chat: Screen, words: str) -> None:
    await wire("PUT", commands(pretend), [command("goal", NUMBER, LEVEL)])

    with pytest.raises(LookupError):
        await chat.command(words)


async def test_suggestions_come_from_the_bot(pretend: PretendDiscord, wire: Wire, bot: SdkBot, chat: Screen) -> None:
    await wire("PUT", commands(pretend), [command("goal", TEXT | {"autocomplete": True})])

    asking = asyncio.create_task(chat.suggestions("goal", "text", "le"))
    heard: discord.Interaction = await bot.next("interaction")
    await heard.response.autocomplete([discord.app_commands.Choice(name="Learn", value="learn")])

    data: Any = heard.data
    assert await asking == ["Learn"]
    assert (data["options"][0]["value"], data["options"][0]["focused"]) == ("le", True)


WRONG: list[tuple[dict[str, Any], str]] = [
    (command("Goal"), "name"),
    (command("two words"), "name"),
    (command(""), "name"),
    (command("x" * 33), "name"),
    (command("goal", description=""), "description"),
    (command("goal", description="x" * 101), "description"),
    (command("goal", TEXT, NUMBER), "options"),
    (command("goal", TEXT, TEXT), "options"),
    (command("goal", *(TEXT | {"name": f"o{n}"} for n in range(26))), "options"),
    (command("goal", LEVEL | {"choices": [{"name": str(n), "value": str(n)} for n in range(26)]}), "options"),
]


@pytest.mark.parametrize(("wrong", "where"), WRONG)
async def test_what_is_refused(pretend: PretendDiscord, wire: Wire, wrong: dict[str, Any], where: str) -> None:
    one = await wire("POST", commands(pretend), wrong)
    all_ = await wire("PUT", commands(pretend), [command(), wrong])

    assert (one.status, one.code, list(one.body["errors"])) == (400, 50035, [where])
    assert "1" in all_.body["errors"]
    assert pretend.bot.commands == {}


async def test_names_of_other_scripts_are_taken(pretend: PretendDiscord, wire: Wire) -> None:
    answers = [await wire("POST", commands(pretend), command(name)) for name in ("ziel-neu", "übung", "目標", "लक्ष्य")]

    assert [answer.status for answer in answers] == [201, 201, 201, 201]


async def test_a_hundred_and_no_more(pretend: PretendDiscord, wire: Wire) -> None:
    full = await wire("PUT", commands(pretend), [command(f"c{n}") for n in range(100)])
    more = await wire("POST", commands(pretend), command("more"))
    same = await wire("POST", commands(pretend), command("c1", description="New"))

    assert (full.status, more.status, more.code, same.status) == (200, 400, 30032, 200)
    assert len(pretend.bot.commands) == 100


async def test_replacing_keeps_the_id_of_the_same_name(pretend: PretendDiscord, wire: Wire) -> None:
    before = (await wire("PUT", commands(pretend), [command("a"), command("b")])).body
    after = (await wire("PUT", commands(pretend), [command("b", TEXT)])).body
    read = (await wire("GET", commands(pretend))).body

    assert after[0]["id"] == before[1]["id"]
    assert after[0]["version"] != before[1]["version"]
    assert read == after


async def test_one_is_changed_and_taken_away(pretend: PretendDiscord, wire: Wire) -> None:
    made = (await wire("POST", commands(pretend), command())).body["id"]

    changed = await wire("PATCH", f"{commands(pretend)}/{made}", {"description": "Other"})
    gone = await wire("DELETE", f"{commands(pretend)}/{made}")
    again = await wire("DELETE", f"{commands(pretend)}/{made}")

    assert (changed.body["description"], gone.status, again.code) == ("Other", 204, 10063)


async def test_a_servers_own_commands_are_only_there(
    pretend: PretendDiscord, wire: Wire, team: Server, room: Screen, chat: Screen
) -> None:
    await wire("PUT", commands(pretend, f"/guilds/{team.id}"), [command("local")])

    assert ([c.name for c in room.menu], [c.name for c in chat.menu]) == (["local"], [])


async def test_another_applications_commands_are_not_ours(pretend: PretendDiscord, wire: Wire) -> None:
    answer = await wire("GET", "/applications/1/commands")

    assert (answer.status, answer.code) == (403, 20012)


async def test_contexts_say_where_a_command_shows(
    pretend: PretendDiscord, wire: Wire, room: Screen, chat: Screen
) -> None:
    await wire("PUT", commands(pretend), [command("here", contexts=[0]), command("there", contexts=[1])])

    assert ([c.name for c in room.menu], [c.name for c in chat.menu]) == (["here"], ["there"])
