"""What a person can be made to do from another process, by name.

Belongs here: from JSON to a verb of `screen` or `room`, and what it gave as JSON. Addresses belong to `control`.
"""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.slack.filling import seen_form
from channels.emulators.slack.interactions import Press
from channels.emulators.slack.people import Bot
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.room import Room
from channels.emulators.slack.screen import PATIENCE, Player, Screen
from channels.emulators.slack.seen import SeenForm

Given = Mapping[str, Any]
Act = Callable[[PretendSlack, Given], Awaitable[object]]


def person(slack: PretendSlack, person_id: object) -> Player:
    """Someone by id.

    Raises:
        LookupError: there is nobody with that id.
    """
    account = slack.world.accounts.get(str(person_id))
    if not isinstance(account, Player):
        raise LookupError(f"no person {person_id}")
    return account


def bot(slack: PretendSlack, bot_id: object) -> Bot:
    """An app by its bot user's id; the one that is always there where none is named.

    Raises:
        LookupError: there is no such app.
    """
    if bot_id is None:
        return slack.bot
    account = slack.world.accounts.get(str(bot_id))
    if not isinstance(account, Bot):
        raise LookupError(f"no bot {bot_id}")
    return account


def room(slack: PretendSlack, chat_id: object) -> Room:
    """A channel by its id.

    Raises:
        LookupError: there is no such channel.
    """
    return Room(slack.world, slack.world.chats[str(chat_id)])


def screen(slack: PretendSlack, given: Given) -> Screen:
    """What `person` has open: the channel `chat`, or else their direct messages with `bot`."""
    who = person(slack, given["person"])
    chat = slack.world.chats.get(str(given.get("chat")))
    if chat is not None and not chat.private:
        return Room(slack.world, chat).screen(who)
    return who.private_chat(bot(slack, given.get("bot")))


def pressed(slack: PretendSlack, given: Given) -> Press:
    """A press by its id.

    Raises:
        LookupError: there is none.
    """
    return slack.world.interactions.presses[str(given["press"])]


def _form(slack: PretendSlack, given: Given) -> SeenForm:
    return seen_form(slack.world.interactions.views[str(given["form"])], slack.world.name_of)


async def _say(slack: PretendSlack, given: Given) -> object:
    return (await screen(slack, given).say(given["text"], thread=given.get("thread"))).to_json()


async def _paste(slack: PretendSlack, given: Given) -> object:
    return (await screen(slack, given).paste(given["text"])).to_json()


async def _mention(slack: PretendSlack, given: Given) -> object:
    return (await screen(slack, given).mention(given["text"], thread=given.get("thread"))).to_json()


async def _reply(slack: PretendSlack, given: Given) -> object:
    return (await screen(slack, given).reply(given["message"], given["text"])).to_json()


async def _edit(slack: PretendSlack, given: Given) -> object:
    return (await screen(slack, given).edit(given["message"], given["text"])).to_json()


async def _delete(slack: PretendSlack, given: Given) -> object:
    await screen(slack, given).delete(given["message"])
    return {}


async def _file(slack: PretendSlack, given: Given) -> object:
    data, caption = b64decode(given.get("data", "")), given.get("caption", "")
    open_screen = screen(slack, given)
    sent = await open_screen.file(given["name"], data, caption, size=given.get("size"), thread=given.get("thread"))
    return sent.to_json()


async def _photo(slack: PretendSlack, given: Given) -> object:
    open_screen, caption = screen(slack, given), given.get("caption", "")
    sent = await (open_screen.photo(b64decode(given["data"]), caption) if "data" in given else open_screen.photo())
    return sent.to_json()


async def _album(slack: PretendSlack, given: Given) -> object:
    files = [(file["name"], b64decode(file["data"])) for file in given["files"]]
    return (await screen(slack, given).album(files, given.get("caption", ""))).to_json()


async def _command(slack: PretendSlack, given: Given) -> object:
    await screen(slack, given).command(given["words"])
    return {}


async def _slash(slack: PretendSlack, given: Given) -> object:
    return {"press": (await screen(slack, given).slash(given["name"], given.get("words", ""))).id}


async def _press(slack: PretendSlack, given: Given) -> object:
    """Press, and with `wait` (seconds) come back only with what it brought."""
    open_screen = screen(slack, given)
    press = await open_screen.press(given["message"], given["label"], stale=bool(given.get("stale")))
    if "wait" not in given:
        return {"press": press.id}
    answer = await open_screen.answer_to(press, timeout=float(given["wait"] or PATIENCE))
    return {"press": press.id, "answer": asdict(answer)}


async def _pick(slack: PretendSlack, given: Given) -> object:
    return {"press": (await screen(slack, given).pick(given["message"], given["labels"])).id}


async def _answer_to(slack: PretendSlack, given: Given) -> object:
    wait = float(given.get("wait") or PATIENCE)
    return asdict(await screen(slack, given).answer_to(pressed(slack, given), timeout=wait))


async def _form_of(slack: PretendSlack, given: Given) -> object:
    wait = float(given.get("wait") or PATIENCE)
    return (await screen(slack, given).form_of(pressed(slack, given), timeout=wait)).to_json()


async def _fill_in(slack: PretendSlack, given: Given) -> object:
    return {"press": (await screen(slack, given).fill_in(_form(slack, given), given["values"])).id}


async def _close(slack: PretendSlack, given: Given) -> object:
    await screen(slack, given).close(_form(slack, given))
    return {}


async def _react(slack: PretendSlack, given: Given) -> object:
    await screen(slack, given).react(given["message"], given["name"], remove=bool(given.get("remove")))
    return {}


async def _open_home(slack: PretendSlack, given: Given) -> object:
    await screen(slack, given).open_home(given.get("tab", "home"))
    return {}


async def _press_home(slack: PretendSlack, given: Given) -> object:
    return {"press": (await screen(slack, given).press_home(given["label"])).id}


async def _join(slack: PretendSlack, given: Given) -> object:
    await room(slack, given["chat"]).join(person(slack, given["person"]))
    return {}


async def _leave(slack: PretendSlack, given: Given) -> object:
    await room(slack, given["chat"]).leave(person(slack, given["person"]))
    return {}


async def _add_bot(slack: PretendSlack, given: Given) -> object:
    await room(slack, given["chat"]).add_bot(bot(slack, given.get("bot")))
    return {}


async def _remove_bot(slack: PretendSlack, given: Given) -> object:
    await room(slack, given["chat"]).remove_bot(bot(slack, given.get("bot")))
    return {}


async def _archive(slack: PretendSlack, given: Given) -> object:
    await room(slack, given["chat"]).archive(archived=bool(given.get("archived", True)))
    return {}


ACTS: dict[str, Act] = {
    "say": _say,
    "paste": _paste,
    "mention": _mention,
    "reply": _reply,
    "edit": _edit,
    "delete": _delete,
    "file": _file,
    "photo": _photo,
    "album": _album,
    "command": _command,
    "slash": _slash,
    "press": _press,
    "pick": _pick,
    "answer_to": _answer_to,
    "form_of": _form_of,
    "fill_in": _fill_in,
    "close": _close,
    "react": _react,
    "open_home": _open_home,
    "press_home": _press_home,
    "join": _join,
    "leave": _leave,
    "add_bot": _add_bot,
    "remove_bot": _remove_bot,
    "archive": _archive,
}
