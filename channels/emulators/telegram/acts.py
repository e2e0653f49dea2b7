"""What the control address lets people do, by name: the reading of JSON for what `screen` and `group` do.

Belongs here: one entry for each act. A message is named by its id, a person, bot or chat too; bytes come as base64.
"""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.telegram.group import Group
from channels.emulators.telegram.people import Bot
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import PATIENCE, Player, Screen
from channels.emulators.telegram.seen import SeenMessage

Given = Mapping[str, Any]
Act = Callable[[PretendTelegram, Given], Awaitable[object]]


def person(telegram: PretendTelegram, person_id: object) -> Player:
    """Someone by id.

    Raises:
        LookupError: there is nobody with that id.
    """
    account = telegram.world.accounts.get(int(str(person_id)))
    if not isinstance(account, Player):
        raise LookupError(f"no person {person_id}")
    return account


def bot(telegram: PretendTelegram, bot_id: object) -> Bot:
    """A bot by id; the one that is always there where none is named.

    Raises:
        LookupError: there is no such bot.
    """
    if bot_id is None:
        return telegram.bot
    account = telegram.world.accounts.get(int(str(bot_id)))
    if not isinstance(account, Bot):
        raise LookupError(f"no bot {bot_id}")
    return account


def group(telegram: PretendTelegram, chat_id: object) -> Group:
    """A group by its chat id.

    Raises:
        LookupError: there is no such group.
    """
    return Group(telegram.world, telegram.world.groups[int(str(chat_id))])


def screen(telegram: PretendTelegram, given: Given) -> Screen:
    """What `person` has open: the group `chat`, or else their private chat with `bot`."""
    who = person(telegram, given["person"])
    if given.get("chat") is not None and int(given["chat"]) < 0:
        return group(telegram, given["chat"]).screen(who)
    return who.private_chat(bot(telegram, given.get("bot")))


async def _say(telegram: PretendTelegram, given: Given) -> object:
    return (await screen(telegram, given).say(given["text"], thread=given.get("thread"))).to_json()


async def _paste(telegram: PretendTelegram, given: Given) -> object:
    return [message.to_json() for message in await screen(telegram, given).paste(given["text"])]


async def _mention(telegram: PretendTelegram, given: Given) -> object:
    return (await screen(telegram, given).mention(given["text"], thread=given.get("thread"))).to_json()


async def _start(telegram: PretendTelegram, given: Given) -> object:
    return (await screen(telegram, given).start(given.get("payload", ""))).to_json()


async def _reply(telegram: PretendTelegram, given: Given) -> object:
    open_screen = screen(telegram, given)
    return (await open_screen.reply(given["message"], given["text"], quote=given.get("quote"))).to_json()


async def _forward(telegram: PretendTelegram, given: Given) -> object:
    of = given["of"] if isinstance(given["of"], str) else person(telegram, given["of"])
    return (await screen(telegram, given).forward(given["text"], of=of)).to_json()


async def _edit(telegram: PretendTelegram, given: Given) -> object:
    return (await screen(telegram, given).edit(given["message"], given["text"])).to_json()


async def _delete(telegram: PretendTelegram, given: Given) -> object:
    await screen(telegram, given).delete(given["message"])
    return {}


async def _photo(telegram: PretendTelegram, given: Given) -> object:
    data = b64decode(given["data"]) if "data" in given else TINY_PNG
    sent = await screen(telegram, given).photo(data, given.get("caption", ""), thread=given.get("thread"))
    return sent.to_json()


async def _file(telegram: PretendTelegram, given: Given) -> object:
    data, caption = b64decode(given.get("data", "")), given.get("caption", "")
    open_screen = screen(telegram, given)
    sent = await open_screen.file(given["name"], data, caption, size=given.get("size"), thread=given.get("thread"))
    return sent.to_json()


async def _voice(telegram: PretendTelegram, given: Given) -> object:
    data, duration = b64decode(given["data"]), given.get("duration", 1)
    return (await screen(telegram, given).voice(data, duration=duration)).to_json()


async def _album(telegram: PretendTelegram, given: Given) -> object:
    files = [(file["name"], b64decode(file["data"])) for file in given["files"]]
    sent: list[SeenMessage] = await screen(telegram, given).album(files, given.get("caption", ""))
    return [message.to_json() for message in sent]


async def _press(telegram: PretendTelegram, given: Given) -> object:
    """Press, and with `wait` (seconds) come back only with what it brought."""
    open_screen = screen(telegram, given)
    press = await open_screen.press(given["message"], given["label"], stale=bool(given.get("stale")))
    if "wait" not in given:
        return {"press": press.id}
    answer = await open_screen.answer_to(press, timeout=float(given["wait"] or PATIENCE))
    return {"press": press.id, "answer": asdict(answer)}


async def _react(telegram: PretendTelegram, given: Given) -> object:
    await screen(telegram, given).react(given["message"], given.get("emoji"))
    return {}


async def _block(telegram: PretendTelegram, given: Given) -> object:
    await screen(telegram, given).block()
    return {}


async def _unblock(telegram: PretendTelegram, given: Given) -> object:
    await screen(telegram, given).unblock()
    return {}


async def _join(telegram: PretendTelegram, given: Given) -> object:
    group(telegram, given["chat"]).join(person(telegram, given["person"]))
    return {}


async def _add_bot(telegram: PretendTelegram, given: Given) -> object:
    await group(telegram, given["chat"]).add_bot(bot(telegram, given.get("bot")), admin=bool(given.get("admin")))
    return {}


async def _remove_bot(telegram: PretendTelegram, given: Given) -> object:
    await group(telegram, given["chat"]).remove_bot(bot(telegram, given.get("bot")))
    return {}


async def _set_admin(telegram: PretendTelegram, given: Given) -> object:
    await group(telegram, given["chat"]).set_admin(bot(telegram, given.get("bot")), admin=bool(given["admin"]))
    return {}


async def _open_topic(telegram: PretendTelegram, given: Given) -> object:
    return {"thread": await group(telegram, given["chat"]).open_topic(given["name"])}


async def _upgrade(telegram: PretendTelegram, given: Given) -> object:
    return (await group(telegram, given["chat"]).upgrade()).chat.json


ACTS: dict[str, Act] = {
    "say": _say,
    "paste": _paste,
    "mention": _mention,
    "start": _start,
    "reply": _reply,
    "forward": _forward,
    "edit": _edit,
    "delete": _delete,
    "photo": _photo,
    "file": _file,
    "voice": _voice,
    "album": _album,
    "press": _press,
    "react": _react,
    "block": _block,
    "unblock": _unblock,
    "join": _join,
    "add_bot": _add_bot,
    "remove_bot": _remove_bot,
    "set_admin": _set_admin,
    "open_topic": _open_topic,
    "upgrade": _upgrade,
}
