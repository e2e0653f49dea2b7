"""What a person can be made to do from another process, by name.

Belongs here: from JSON to a verb of `screen` or `room`, and what it gave as JSON. Addresses belong to `control`.
"""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.teams.people import Bot
from channels.emulators.teams.presses import Press
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.room import Room
from channels.emulators.teams.screen import PATIENCE, Player, Screen
from channels.emulators.teams.seen import SeenForm

Given = Mapping[str, Any]
Act = Callable[[PretendTeams, Given], Awaitable[object]]


def person(teams: PretendTeams, person_id: object) -> Player:
    """Someone by id.

    Raises:
        LookupError: there is nobody with that id.
    """
    account = teams.world.accounts.get(str(person_id))
    if not isinstance(account, Player):
        raise LookupError(f"no person {person_id}")
    return account


def bot(teams: PretendTeams, bot_id: object) -> Bot:
    """A bot by its id; the one that is always there where none is named.

    Raises:
        LookupError: there is no such bot.
    """
    if bot_id is None:
        return teams.bot
    account = teams.world.accounts.get(str(bot_id))
    if not isinstance(account, Bot):
        raise LookupError(f"no bot {bot_id}")
    return account


def room(teams: PretendTeams, chat_id: object) -> Room:
    """A group chat or a channel by its id.

    Raises:
        LookupError: there is none.
    """
    return Room(teams.world, teams.world.chats[str(chat_id)])


def screen(teams: PretendTeams, given: Given) -> Screen:
    """What `person` has open: the room `chat`, or else their private chat with `bot`, added or `new`."""
    who = person(teams, given["person"])
    chat = teams.world.chats.get(str(given.get("chat")))
    if chat is not None and not chat.private:
        return Room(teams.world, chat).screen(who)
    which = bot(teams, given.get("bot"))
    return who.new_chat(which) if given.get("new") else who.private_chat(which)


def pressed(teams: PretendTeams, given: Given) -> Press:
    """A press by its id.

    Raises:
        LookupError: there is none.
    """
    return teams.world.presses[str(given["press"])]


async def _say(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).say(given["text"], thread=given.get("thread"))).to_json()


async def _paste(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).paste(given["text"])).to_json()


async def _command(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).command(given["words"])).to_json()


async def _mention(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).mention(given["text"], thread=given.get("thread"))).to_json()


async def _reply(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).reply(given["message"], given["text"])).to_json()


async def _edit(teams: PretendTeams, given: Given) -> object:
    return (await screen(teams, given).edit(given["message"], given["text"])).to_json()


async def _delete(teams: PretendTeams, given: Given) -> object:
    await screen(teams, given).delete(given["message"])
    return {}


async def _file(teams: PretendTeams, given: Given) -> object:
    data, caption = b64decode(given.get("data", "")), given.get("caption", "")
    return (await screen(teams, given).file(given["name"], data, caption, size=given.get("size"))).to_json()


async def _photo(teams: PretendTeams, given: Given) -> object:
    open_screen, caption = screen(teams, given), given.get("caption", "")
    if "data" in given:
        return (await open_screen.photo(b64decode(given["data"]), caption)).to_json()
    return (await open_screen.photo(caption=caption)).to_json()


async def _album(teams: PretendTeams, given: Given) -> object:
    files = [(file["name"], b64decode(file["data"])) for file in given["files"]]
    return (await screen(teams, given).album(files, given.get("caption", ""))).to_json()


async def _start(teams: PretendTeams, given: Given) -> object:
    await screen(teams, {**given, "new": True}).start()
    return {}


async def _remove(teams: PretendTeams, given: Given) -> object:
    await screen(teams, given).remove()
    return {}


async def _block(teams: PretendTeams, given: Given) -> object:
    await screen(teams, {**given, "new": True}).block(blocked=bool(given.get("blocked", True)))
    return {}


async def _press(teams: PretendTeams, given: Given) -> object:
    """Press, and with `wait` (seconds) come back only with what it brought."""
    open_screen = screen(teams, given)
    press = await open_screen.press(given["message"], given["label"], stale=bool(given.get("stale")))
    if "wait" not in given:
        return {"press": press.id}
    answer = await open_screen.answer_to(press, timeout=float(given["wait"] or PATIENCE))
    return {"press": press.id, "answer": asdict(answer)}


async def _answer_to(teams: PretendTeams, given: Given) -> object:
    wait = float(given.get("wait") or PATIENCE)
    return asdict(await screen(teams, given).answer_to(pressed(teams, given), timeout=wait))


async def _form_of(teams: PretendTeams, given: Given) -> object:
    wait = float(given.get("wait") or PATIENCE)
    return (await screen(teams, given).form_of(pressed(teams, given), timeout=wait)).to_json()


async def _form_in(teams: PretendTeams, given: Given) -> object:
    return screen(teams, given).form_in(given["message"], given.get("inside", "")).to_json()


async def _fill_in(teams: PretendTeams, given: Given) -> object:
    form = SeenForm(str(given["form"]), "", {}, inside=str(given.get("inside", "")))
    made = await screen(teams, given).fill_in(form, given["values"], label=str(given.get("label", "")))
    return {"press": made.id}


async def _react(teams: PretendTeams, given: Given) -> object:
    name, remove = given.get("name", "like"), bool(given.get("remove"))
    await screen(teams, given).react(given["message"], name, remove=remove)
    return {}


async def _stop_stream(teams: PretendTeams, given: Given) -> object:
    await screen(teams, given).stop_stream(given["message"])
    return {}


async def _forge(teams: PretendTeams, given: Given) -> object:
    """Post a message with a bad token of a kind."""
    status, answer = await teams.forger.post(person(teams, given["person"]), given["text"], given["kind"])
    return {"status": status, "answer": answer}


async def _join(teams: PretendTeams, given: Given) -> object:
    await room(teams, given["chat"]).join(person(teams, given["person"]))
    return {}


async def _leave(teams: PretendTeams, given: Given) -> object:
    await room(teams, given["chat"]).leave(person(teams, given["person"]))
    return {}


async def _add_bot(teams: PretendTeams, given: Given) -> object:
    await room(teams, given["chat"]).add_bot(bot(teams, given.get("bot")))
    return {}


async def _remove_bot(teams: PretendTeams, given: Given) -> object:
    await room(teams, given["chat"]).remove_bot(bot(teams, given.get("bot")))
    return {}


ACTS: dict[str, Act] = {
    "say": _say,
    "paste": _paste,
    "command": _command,
    "mention": _mention,
    "reply": _reply,
    "edit": _edit,
    "delete": _delete,
    "file": _file,
    "photo": _photo,
    "album": _album,
    "start": _start,
    "remove": _remove,
    "block": _block,
    "press": _press,
    "answer_to": _answer_to,
    "form_of": _form_of,
    "form_in": _form_in,
    "fill_in": _fill_in,
    "react": _react,
    "stop_stream": _stop_stream,
    "forge": _forge,
    "join": _join,
    "leave": _leave,
    "add_bot": _add_bot,
    "remove_bot": _remove_bot,
}
