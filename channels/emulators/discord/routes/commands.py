"""Application commands: what a bot offers behind the slash, everywhere or in one server.

Belongs here: the addresses. What a command may look like belongs to `menus`.
"""

from typing import Any

from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.errors import ApiError, FormErrors, missing_access, unknown
from channels.emulators.discord.limits import COMMANDS
from channels.emulators.discord.menus import CHAT, check_command, kept_command


def _known(call: Call) -> dict[str, dict[str, Any]]:
    if call.place["application_id"] != call.bot.application_id:
        raise ApiError(403, 20012, "You are not authorized to perform this action on this application")
    guild_id = call.place.get("guild_id")
    if guild_id is None:
        return call.bot.commands
    guild = call.world.guilds.get(guild_id)
    if guild is None or call.bot.id not in guild.bots:
        raise missing_access()
    return call.bot.guild_commands.setdefault(guild_id, {})


async def read(call: Call) -> Reply:
    """GET: all of them."""
    return Reply(list(_known(call).values()))


async def replace(call: Call) -> Reply:
    """PUT: these instead of all that were there; one of the same name keeps its id."""
    known, errors = _known(call), FormErrors()
    given = call.body if isinstance(call.body, list) else []
    for place, command in enumerate(given):
        check_command(command, f"{place}", errors)
    names = [(command.get("type") or CHAT, command.get("name")) for command in given]
    for place, name in enumerate(names):
        if name in names[:place]:
            words = "Application command names must be unique"
            errors.add(f"{place}", "APPLICATION_COMMANDS_DUPLICATE_NAME", words)
    errors.raise_if_any()
    _must_be_few(given)
    before = {_key(command): command for command in known.values()}
    known.clear()
    for command in given:
        _store(call, known, command, before.get(_key(command)))
    _changed(call)
    return Reply(list(known.values()))


async def create(call: Call) -> Reply:
    """POST: one more, or a new one of the same name."""
    known, errors = _known(call), FormErrors()
    check_command(call.fields, "", errors)
    errors.raise_if_any()
    before = next((c for c in known.values() if _key(c) == _key(call.fields)), None)
    if before is None:
        _must_be_few([*known.values(), call.fields])
    stored = _store(call, known, call.fields, before)
    _changed(call)
    return Reply(stored, new=before is None)


async def edit(call: Call) -> Reply:
    """PATCH: change one."""
    known, errors = _known(call), FormErrors()
    before = _one(call, known)
    changed = before | call.fields
    check_command(changed, "", errors)
    errors.raise_if_any()
    stored = _store(call, known, changed, before)
    _changed(call)
    return Reply(stored)


async def delete(call: Call) -> Reply:
    """DELETE: take one away."""
    known = _known(call)
    del known[_one(call, known)["id"]]
    _changed(call)
    return Reply()


def _one(call: Call, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    command = known.get(call.place["command_id"])
    if command is None:
        raise unknown("application command")
    return command


def _key(command: dict[str, Any]) -> tuple[int, str]:
    return command.get("type") or CHAT, command["name"]


def _must_be_few(commands: list[dict[str, Any]]) -> None:
    count = sum(1 for command in commands if (command.get("type") or CHAT) == CHAT)
    if count > COMMANDS:
        raise ApiError(400, 30032, f"Maximum number of application commands reached ({COMMANDS}).")


def _store(
    call: Call, known: dict[str, dict[str, Any]], command: dict[str, Any], before: dict[str, Any] | None
) -> dict[str, Any]:
    command_id = before["id"] if before is not None else call.world.ids.next()
    stored = kept_command(command, command_id, call.world.ids.next(), call.bot.application_id)
    if "guild_id" in call.place:
        stored["guild_id"] = call.place["guild_id"]
    known[command_id] = stored
    return stored


def _changed(call: Call) -> None:
    call.world.show("menu", detail=call.bot.id)
