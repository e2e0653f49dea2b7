"""What a person can be made to do from another process, by name.

Belongs here: from JSON to a verb of `screen` or `server`, and what it gave as JSON. Addresses belong to `control`.
"""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.discord.files import TINY_PNG
from channels.emulators.discord.interactions import Interaction
from channels.emulators.discord.modals import seen_form
from channels.emulators.discord.people import Bot
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Player, Screen
from channels.emulators.discord.server import Server
from channels.emulators.discord.view import PATIENCE

Given = Mapping[str, Any]
Act = Callable[[PretendDiscord, Given], Awaitable[object]]


def person(discord: PretendDiscord, person_id: object) -> Player:
    """Someone by id.

    Raises:
        LookupError: there is nobody with that id.
    """
    account = discord.world.accounts.get(str(person_id))
    if not isinstance(account, Player):
        raise LookupError(f"no person {person_id}")
    return account


def bot(discord: PretendDiscord, bot_id: object) -> Bot:
    """A bot by id; the one that is always there where none is named.

    Raises:
        LookupError: there is no such bot.
    """
    if bot_id is None:
        return discord.bot
    account = discord.world.accounts.get(str(bot_id))
    if not isinstance(account, Bot):
        raise LookupError(f"no bot {bot_id}")
    return account


def server(discord: PretendDiscord, guild_id: object) -> Server:
    """A server by its id.

    Raises:
        LookupError: there is none.
    """
    return Server(discord.world, discord.world.guilds[str(guild_id)])


def screen(discord: PretendDiscord, given: Given) -> Screen:
    """What `person` has open: `channel` of the server `group`, or their private chat with `bot`; or a `thread`.

    Raises:
        LookupError: one of them does not exist.
    """
    who = person(discord, given["person"])
    if given.get("group") is not None:
        shown = server(discord, given["group"]).screen(who, given.get("channel") or "general")
    else:
        shown = who.private_chat(bot(discord, given.get("bot")))
    return shown.in_thread(given["thread"]) if given.get("thread") else shown


def press(discord: PretendDiscord, given: Given) -> Interaction:
    """An earlier press or command by its id.

    Raises:
        LookupError: there is none.
    """
    return discord.world.interactions.known(given["press"])


async def _say(discord: PretendDiscord, given: Given) -> object:
    return (await screen(discord, given).say(given["text"])).to_json()


async def _mention(discord: PretendDiscord, given: Given) -> object:
    return (await screen(discord, given).mention(given["text"])).to_json()


async def _reply(discord: PretendDiscord, given: Given) -> object:
    shown = screen(discord, given)
    return (await shown.reply(given["message"], given["text"], ping=bool(given.get("ping", True)))).to_json()


async def _edit(discord: PretendDiscord, given: Given) -> object:
    return (await screen(discord, given).edit(given["message"], given["text"])).to_json()


async def _delete(discord: PretendDiscord, given: Given) -> object:
    await screen(discord, given).delete(given["message"])
    return {}


async def _photo(discord: PretendDiscord, given: Given) -> object:
    data = b64decode(given["data"]) if "data" in given else TINY_PNG
    return (await screen(discord, given).photo(data, given.get("caption", ""))).to_json()


async def _file(discord: PretendDiscord, given: Given) -> object:
    data, caption = b64decode(given.get("data", "")), given.get("caption", "")
    return (await screen(discord, given).file(given["name"], data, caption, size=given.get("size"))).to_json()


async def _album(discord: PretendDiscord, given: Given) -> object:
    files = [(file["name"], b64decode(file["data"])) for file in given["files"]]
    return (await screen(discord, given).album(files, given.get("caption", ""))).to_json()


async def _command(discord: PretendDiscord, given: Given) -> object:
    await screen(discord, given).command(given["words"])
    return {}


async def _pick(discord: PretendDiscord, given: Given) -> object:
    return {"press": (await screen(discord, given).pick(given["name"], **given.get("options", {}))).id}


async def _suggestions(discord: PretendDiscord, given: Given) -> object:
    return await screen(discord, given).suggestions(given["name"], given["option"], given["typed"])


async def _press(discord: PretendDiscord, given: Given) -> object:
    """Press, and with `wait` (seconds) come back only with what it brought."""
    shown = screen(discord, given)
    made = await shown.press(given["message"], given["label"], stale=bool(given.get("stale")))
    if "wait" not in given:
        return {"press": made.id}
    answer = await shown.answer_to(made, timeout=float(given["wait"] or PATIENCE))
    return {"press": made.id, "answer": asdict(answer)}


async def _choose(discord: PretendDiscord, given: Given) -> object:
    return {"press": (await screen(discord, given).choose(given["message"], given["labels"])).id}


async def _answer_to(discord: PretendDiscord, given: Given) -> object:
    made, wait = press(discord, given), float(given.get("wait") or PATIENCE)
    return asdict(await screen(discord, given).answer_to(made, timeout=wait))


async def _form_of(discord: PretendDiscord, given: Given) -> object:
    made, wait = press(discord, given), float(given.get("wait") or PATIENCE)
    return asdict(await screen(discord, given).form_of(made, timeout=wait))


async def _fill_in(discord: PretendDiscord, given: Given) -> object:
    sent = await screen(discord, given).fill_in(seen_form(press(discord, given)), given["values"])
    return {"press": sent.id}


async def _react(discord: PretendDiscord, given: Given) -> object:
    await screen(discord, given).react(given["message"], given["emoji"], on=bool(given.get("on", True)))
    return {}


async def _block(discord: PretendDiscord, given: Given) -> object:
    await screen(discord, given).block()
    return {}


async def _unblock(discord: PretendDiscord, given: Given) -> object:
    await screen(discord, given).unblock()
    return {}


async def _open_thread(discord: PretendDiscord, given: Given) -> object:
    opened = await screen(discord, given).open_thread(given["message"], given["name"])
    return {"thread": opened.channel.id}


async def _join(discord: PretendDiscord, given: Given) -> object:
    server(discord, given["group"]).join(person(discord, given["person"]))
    return {}


async def _leave(discord: PretendDiscord, given: Given) -> object:
    server(discord, given["group"]).leave(person(discord, given["person"]))
    return {}


async def _add_bot(discord: PretendDiscord, given: Given) -> object:
    await server(discord, given["group"]).add_bot(bot(discord, given.get("bot")))
    return {}


async def _remove_bot(discord: PretendDiscord, given: Given) -> object:
    await server(discord, given["group"]).remove_bot(bot(discord, given.get("bot")))
    return {}


async def _add_channel(discord: PretendDiscord, given: Given) -> object:
    return {"channel": await server(discord, given["group"]).add_channel(given["name"])}


async def _delete_channel(discord: PretendDiscord, given: Given) -> object:
    await server(discord, given["group"]).delete_channel(given["name"])
    return {}


async def _take_away(discord: PretendDiscord, given: Given) -> object:
    where, names = server(discord, given["group"]), given["permissions"]
    await where.take_away(bot(discord, given.get("bot")), *names, channel=given.get("channel"))
    return {}


async def _give_back(discord: PretendDiscord, given: Given) -> object:
    where, names = server(discord, given["group"]), given["permissions"]
    await where.give_back(bot(discord, given.get("bot")), *names, channel=given.get("channel"))
    return {}


ACTS: dict[str, Act] = {
    "say": _say,
    "mention": _mention,
    "reply": _reply,
    "edit": _edit,
    "delete": _delete,
    "photo": _photo,
    "file": _file,
    "album": _album,
    "command": _command,
    "pick": _pick,
    "suggestions": _suggestions,
    "press": _press,
    "choose": _choose,
    "answer_to": _answer_to,
    "form_of": _form_of,
    "fill_in": _fill_in,
    "react": _react,
    "block": _block,
    "unblock": _unblock,
    "open_thread": _open_thread,
    "join": _join,
    "leave": _leave,
    "add_bot": _add_bot,
    "remove_bot": _remove_bot,
    "add_channel": _add_channel,
    "delete_channel": _delete_channel,
    "take_away": _take_away,
    "give_back": _give_back,
}
