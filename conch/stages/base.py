"""What the playground needs of a pretend app, whichever it is; `conch.playground` plays on it.

Belongs here: the contract of a stage, and what is the same on each. The page's side of it is in `web.phones`.
"""

import re
import secrets
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp

from channels.emulators.remote import ControlError, RemoteApp
from core.errors import TryLater, UsageError
from web.phones import PICTURES, Abilities, Breakage, Content

Json = Mapping[str, Any]

BOT_NAME, BOT_USERNAME = "Conch", "conch_playground_bot"
PRIVATE, GROUP = "private", "group"
"""The chats of each phone, by the names that the page knows them by."""

OWNER, STRANGER = "ada", "sam"

UNREACHABLE = "unreachable"
NO_CONNECTION = Breakage(UNREACHABLE, "No connection", "It is gone until you mend it.")


@dataclass(frozen=True, slots=True)
class Player:
    """Someone to be: `key` on the page, `id` in the app."""

    key: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Cast:
    """What one life of a pretend app is played with.

    `keys` are what is pasted to connect the bot, `group` is the control address's id of the group and `room` the id by
    which Conch knows it, both empty where bots answer in private only. `chats` says which chat on whose phone an id of
    the app's is; None is everybody.
    """

    bot: str
    keys: str
    players: Mapping[str, Player]
    group: str
    room: str
    chats: Mapping[str, tuple[str | None, str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A breakage, and what the control address is asked for it: each a path with what is given."""

    breakage: Breakage
    asks: Sequence[tuple[str, Json]]

    def is_of(self, kind: str) -> bool:
        """Whether a fault of this kind that waits is this one."""
        return any(given.get("kind") == kind for _, given in self.asks)


def fault(name: str, label: str, about: str, *methods: str, **given: Any) -> Fault:  # noqa: ANN401 - see `Faults.add`
    """One that strikes the next call of each of these methods; its kind is its name unless it is given."""
    asks = [("faults", {"kind": name, "method": method, **given}) for method in methods]
    return Fault(Breakage(name, label, about), asks)


@dataclass(frozen=True, slots=True)
class Screen:
    """A chat as somebody has it open. `where` is how the control address finds it."""

    remote: RemoteApp
    where: Json
    place: str
    thread: str | None = None

    async def look(self) -> Json:
        """What stands there."""
        seen: Json = await self.remote.ask("GET", "screen", dict(self.where))
        return seen

    async def act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 - JSON is anything
        """Let the person do something; see the app's `acts`."""
        return await self.remote.ask("POST", "act", {"do": do, **self.where, **given})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a press, a pick or a form brought: a line for whoever did it, a form that opens, what is wrong in one."""

    line: str = ""
    form: Json | None = None
    errors: Mapping[str, str] = field(default_factory=dict)


class Stage(Protocol):
    """A pretend app to play on."""

    @property
    def name(self) -> str:
        """As in `conch channels add`."""
        ...

    @property
    def title(self) -> str:
        """As people call it."""
        ...

    @property
    def group_title(self) -> str:
        """What stands above its group; empty where bots answer in private only."""
        ...

    @property
    def abilities(self) -> Abilities:
        """What its phone can do."""
        ...

    @property
    def faults(self) -> Sequence[Fault]:
        """What can be broken."""
        ...

    async def cast(self, remote: RemoteApp) -> Cast:
        """Make a bot, two people, and a group with all of them."""
        ...

    async def connected(self, remote: RemoteApp, cast: Cast, endpoint: str | None) -> None:
        """The bot is connected; `endpoint` is where the app must bring what is for it, where it brings."""
        ...

    def screen(self, remote: RemoteApp, cast: Cast, person: str, place: str, thread: str | None) -> Screen:
        """Where that person has that chat open."""
        ...

    async def messages(self, remote: RemoteApp, cast: Cast, person: str, place: str) -> tuple[Sequence[Json], Json]:
        """What stands in a chat as the page takes it, and the look at it that the app gave."""
        ...

    def doing(self, look: Json) -> str:
        """What the bot is doing there, in words; nothing where it is doing nothing."""
        ...

    def news(self, event: Json) -> tuple[str, Json] | None:
        """In which chat something happened and what, as the page takes it; None for what no phone shows."""
        ...

    def message_id(self, message: str) -> Any:  # noqa: ANN401 - numbers here, text there
        """The app's own id of a message.

        Raises:
            ValueError: it cannot be one.
        """
        ...

    async def say(self, screen: Screen, text: str) -> None:
        """Write, as people do in this app: also a command, or to the bot by its name."""
        ...

    async def attach(self, screen: Screen, file: Content, caption: str) -> None:
        """Send a picture or a file."""
        ...

    async def press(self, screen: Screen, message: str, labels: Sequence[str]) -> Outcome:
        """Press a button, or pick from a list."""
        ...

    async def fill_in(self, screen: Screen, form: str, values: Mapping[str, str | Sequence[str]]) -> Outcome:
        """Send a form with these values by the fields' labels."""
        ...


# ---- the same on each ------------------------------------------------------------------------------------------------


def to_the_bot(text: str) -> str | None:
    """What is said to the bot, where it is called by its name first."""
    match = re.match(rf"@{BOT_NAME}\b[\s,:]*", text, re.IGNORECASE)
    return text[match.end() :] or " " if match else None


def new_key() -> str:
    """Characters for a made-up key."""
    return secrets.token_urlsafe(27)


def drawn(raw: Json, **about: object) -> dict[str, Any]:
    """A message as the page takes it, with what each app calls the same; `about` is what it calls otherwise."""
    shared = {
        "id": str(raw["id"]),
        "thread": None,
        "by_bot": raw["by_bot"],
        "sender": raw["sender"],
        "at": raw["at"],
        "text": raw["text"],
        "parts": [],
        "rows": [],
        "card": None,
        "files": [],
        "reply_to": None,
        "quote": None,
        "edited": False,
        "only_you": False,
        "writing": False,
        "service": "",
        "forwarded_from": None,
        "reactions": [],
    }
    return shared | about


def carried(file: Content, caption: str) -> dict[str, Any]:
    """A file as the control addresses take it, without its name."""
    return {"data": b64encode(file.data).decode(), "caption": caption}


def drawn_file(raw: Json) -> Json:
    """A file as the page takes it."""
    about = {name: raw[name] for name in ("id", "name", "mime", "size")}
    return about | {"is_picture": raw["mime"] in PICTURES}


def drawn_rows(rows: Sequence[Sequence[Json]], of_list: str, list_id: str, style: Mapping[Any, str]) -> Sequence[Json]:
    """Rows of buttons and lists. `of_list` is what an option does, `list_id` names its list, `style` its looks."""
    found: list[dict[str, Any]] = []
    for row in rows:
        if row[0]["does"] != of_list:
            found.append({"buttons": [drawn_button(button, style) for button in row]})
            continue
        option = {"label": row[0]["label"], "chosen": bool(row[0].get("chosen"))}
        if found and found[-1].get("list") == row[0][list_id]:
            found[-1]["options"].append(option)
        else:
            found.append({"list": row[0][list_id], "multi": bool(row[0].get("multi")), "options": [option]})
    return found


def drawn_button(raw: Json, style: Mapping[Any, str]) -> Json:
    """A button: it presses unless it opens an address or copies."""
    does = raw["does"] if raw["does"] in ("url", "copy") else "press"
    value = raw["value"] if does != "press" else ""
    look = style.get(raw.get("style"), "")
    return {"label": raw["label"], "does": does, "value": value, "style": look, "off": bool(raw.get("disabled"))}


@contextmanager
def translated(title: str) -> Iterator[None]:
    """Errors of the control address as ours."""
    try:
        yield
    except ControlError as refusal:
        words = re.sub(r"^\d+: (\w+: )?", "", str(refusal)).strip("'\"")
        raise UsageError(f"The pretend {title} cannot do that: {words.removesuffix('.')}.") from refusal
    except (aiohttp.ClientError, TimeoutError) as failure:
        raise TryLater(f"The pretend {title} is just starting again. Try once more in a moment.") from failure


async def brought_by(screen: Screen, press: str, *, seconds: float = 5.0) -> Outcome:
    """What a press brought where the app has forms: a line, then perhaps a form.

    Raises:
        ControlError: the bot did not answer; in the app's own words.
    """
    answer = await screen.act("answer_to", press=press, wait=seconds)
    form = None
    try:
        form = await screen.act("form_of", press=press, wait=0.05)
    except ControlError as refusal:
        if refusal.status != WAITED_IN_VAIN:
            raise
    return Outcome(form=form, errors=answer.get("errors", {}))


WAITED_IN_VAIN = 504
