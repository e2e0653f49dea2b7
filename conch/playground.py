"""The playground: a bot on the pretend Telegram, two people to be, and what their phones show, for the web page.

The pretend Telegram remembers nothing over a restart. So each of its lives gets a bot of its own, and the bot of the
life before is taken away: no message can be mistaken for one of an earlier life.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from channels.emulators.telegram.remote import ControlError, RemoteScreen, RemoteTelegram
from channels.registry import ChannelRegistry
from core.errors import ConchError, NotFound, TryLater, UsageError
from web.playground import Breakage, Content, ScreenEvent

BOT_NAME, BOT_USERNAME = "Conch", "conch_playground_bot"
POLL_SECONDS = 25.0
WELCOME_SECONDS = 15.0

UNREACHABLE = "unreachable"
PHOTOS = frozenset({"image/png", "image/jpeg"})

FAULTS: Mapping[str, Mapping[str, Any]] = {
    "flood": {"kind": "flood", "method": "sendMessage", "seconds": 5.0},
    "slow": {"kind": "slow", "method": "sendMessage", "seconds": 5.0},
    "server_error": {"kind": "server_error", "method": "sendMessage", "status": 503},
    "cut": {"kind": "cut", "method": "sendMessage"},
    "lost": {"kind": "lost", "method": "sendMessage"},
    "refuse_html": {"kind": "refuse_html", "method": "sendMessage"},
    "conflict": {"kind": "conflict", "method": "getUpdates", "times": 3},
}
"""What each breakage is for the pretend Telegram; see its `FAULT_KINDS`."""

BREAKAGES = (
    Breakage("flood", "Too many requests", "Telegram has the bot wait for 5 seconds."),
    Breakage("slow", "Slow", "Telegram takes 5 seconds to answer."),
    Breakage("server_error", "Server error", "Telegram says that it is busy."),
    Breakage("cut", "Cut", "The line breaks before the answer is taken."),
    Breakage("lost", "Lost receipt", "It arrives, unknown to Conch: it may come twice."),
    Breakage("refuse_html", "Formatting refused", "Telegram does not take the markup."),
    Breakage("conflict", "Conflict", "Another program gets the messages for a minute."),
    Breakage(UNREACHABLE, "No connection", "Telegram is gone until you mend it."),
)
_LABELS = {breakage.name: breakage.label for breakage in BREAKAGES}


@dataclass(frozen=True, slots=True)
class Player:
    """Someone to be."""

    id: int
    name: str
    about: str


@dataclass(slots=True)
class _Life:
    """What holds while one life of the pretend Telegram lasts."""

    bot: int
    players: tuple[Player, ...]
    channel_id: str
    reachable: bool = True


@dataclass(slots=True)
class PlayedTelegram:
    """The pretend Telegram as the web page needs it; see `web.playground.PretendApp`."""

    remote: RemoteTelegram
    registry: ChannelRegistry
    _life: _Life | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _lives: int = 0

    @property
    def breakages(self) -> Sequence[Breakage]:
        """What can be broken."""
        return BREAKAGES

    # ---- a new life ------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Make a bot and two people, connect the bot as any other, and let one of the people own it.

        Raises:
            ConchError: the pretend Telegram or the bot does not answer.
        """
        if self._life is not None:
            await self.registry.remove(self._life.channel_id)
            self._life = None
        bot_id = 10**9 + secrets.randbelow(9 * 10**9)
        token = f"{bot_id}:{secrets.token_urlsafe(27)}"
        try:
            await self.remote.add_bot(token, BOT_NAME, BOT_USERNAME)
            ada = await self.remote.person("Ada", username="ada", language_code="en")
            sam = await self.remote.person("Sam", username="sam", language_code="en")
            connected = await self.registry.add("telegram", token)
            code = parse_qs(urlsplit(connected.link or "").query).get("start", [""])[0]
            hello = ada.private_chat(bot_id)
            await hello.start(code)
            await hello.wait_for_answer(timeout=WELCOME_SECONDS)
        except (ControlError, aiohttp.ClientError, TimeoutError) as fault:
            raise ConchError(f"The playground could not be set up: {fault}") from fault
        players = (Player(ada.id, "Ada", "owns the bot"), Player(sam.id, "Sam", "is a stranger to it"))
        self._life = _Life(bot_id, players, connected.channel_id)
        self._lives += 1
        self._poke()

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def state(self) -> Mapping[str, Any]:
        """Everything on the screens."""
        life = self._alive()
        with _translated():
            after = (await self.remote.state())["last_event"]
            screens = {
                str(player.id): await self.remote.ask("GET", "screen", {"person": player.id, "bot": life.bot})
                for player in life.players
            }
        return {
            "after": after,
            "bot": {"name": BOT_NAME},
            "people": [{"id": str(each.id), "name": each.name, "about": each.about} for each in life.players],
            "screens": screens,
            "faults": await self._faults(life),
        }

    async def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        """What happens; `again` where more did than can be told one by one, or a new life began."""
        told: Sequence[str] | None = None
        lives = self._lives
        while True:
            life = self._life
            if life is None:
                await self._changed.wait()
                continue
            news, last = await self._news(after)
            missed = last < after or bool(news and news[0]["number"] > after + 1)
            if missed or lives != self._lives:
                lives, after = self._lives, last
                yield ScreenEvent(last, {"kind": "again"})
                continue
            for event in news:
                after = event["number"]
                if (data := _on_screen(event, life.bot)) is not None:
                    yield ScreenEvent(after, data)
            with suppress(TryLater):
                faults = await self._faults(life)
                if faults != told:
                    told = faults
                    yield ScreenEvent(after, {"kind": "faults", "faults": faults})

    async def file(self, file_id: str) -> Content:
        """A file that stands in a chat."""
        for screen in (await self.state())["screens"].values():
            for message in screen["messages"]:
                if message["file"] and message["file"]["id"] == file_id:
                    with _translated():
                        data = await self.remote.file(file_id)
                    return Content(message["file"]["name"], message["file"]["mime"], data)
        raise NotFound("There is no such file.")

    async def _news(self, after: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """What came after a number, as soon as anything did here or there; waits while there is no pretend Telegram."""
        changed = asyncio.create_task(self._changed.wait())
        asked = asyncio.create_task(self.remote.events(after, wait=POLL_SECONDS))
        try:
            await asyncio.wait({changed, asked}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                return [], after
            try:
                return asked.result()
            except (ControlError, aiohttp.ClientError):
                await changed  # the next life says so
                return [], after
        finally:
            for task in (changed, asked):
                task.cancel()
            await asyncio.gather(changed, asked, return_exceptions=True)

    async def _faults(self, life: _Life) -> Sequence[str]:
        """What will go wrong, in words."""
        with _translated():
            waiting = (await self.remote.state())["faults"]
        labels = [_LABELS.get(fault["kind"], fault["kind"]) for fault in waiting]
        return labels if life.reachable else [*labels, _LABELS[UNREACHABLE]]

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def say(self, person: str, text: str) -> None:
        """Write a message."""
        with _translated():
            await self._screen(person).paste(text)

    async def reply(self, person: str, message: int, text: str) -> None:
        """Answer a message."""
        with _translated():
            await self._screen(person).reply(message, text)

    async def edit(self, person: str, message: int, text: str) -> None:
        """Change one's own words."""
        with _translated():
            await self._screen(person).edit(message, text)

    async def forward(self, person: str, text: str, of: str) -> None:
        """Pass on what someone else wrote."""
        with _translated():
            await self._screen(person).forward(text, of=of)

    async def press(self, person: str, message: int, label: str) -> None:
        """Press a button."""
        with _translated():
            await self._screen(person).press(message, label)

    async def attach(self, person: str, file: Content, caption: str) -> None:
        """Send a picture or a file."""
        screen = self._screen(person)
        with _translated():
            if file.mime in PHOTOS:
                await screen.photo(file.data, caption)
            else:
                await screen.file(file.name, file.data, caption)

    async def break_(self, name: str) -> None:
        """Let something go wrong."""
        life = self._alive()
        with _translated():
            if name == UNREACHABLE:
                await self.remote.set_reachable(on=False)
                life.reachable = False
            elif name in FAULTS:
                await self.remote.add_fault(**FAULTS[name])
            else:
                raise UsageError(f"Nothing here breaks like “{name}”.")
        self._poke()

    async def mend(self) -> None:
        """Let everything work again."""
        life = self._alive()
        with _translated():
            await self.remote.clear_faults()
            await self.remote.set_reachable(on=True)
        life.reachable = True
        self._poke()

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _alive(self) -> _Life:
        if self._life is None:
            raise TryLater("The pretend Telegram is just starting.")
        return self._life

    def _screen(self, person: str) -> RemoteScreen:
        life = self._alive()
        if person not in (str(player.id) for player in life.players):
            raise UsageError("Nobody of that id can be played.")
        return RemoteScreen(self.remote, {"person": int(person), "bot": life.bot})

    def _poke(self) -> None:
        """Let every stream look again."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _on_screen(event: Mapping[str, Any], bot: int) -> Mapping[str, Any] | None:
    """An event of the pretend Telegram as the page takes it; None for what the page does not show."""
    if event.get("bot") != bot:
        return None
    about = {"person": str(event["chat"])}
    match event["kind"]:
        case "message" | "edited" | "reaction":
            return about | {"kind": "message", "message": event["message"]}
        case "deleted":
            return about | {"kind": "deleted", "message_id": event["message"]["id"]}
        case "draft":
            return about | {"kind": "draft", "draft": event.get("draft")}
        case "action":
            return about | {"kind": "action", "action": event.get("detail")}
        case "press_answered":
            return about | {"kind": "answer", "text": (event["press"]["answer"] or {}).get("text", "")}
    return None


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the control address as ours."""
    try:
        yield
    except ControlError as refusal:
        raise UsageError(f"The pretend Telegram cannot do that: {refusal}.") from refusal
    except (aiohttp.ClientError, TimeoutError) as fault:
        raise TryLater("The pretend Telegram is just starting again. Try once more in a moment.") from fault
