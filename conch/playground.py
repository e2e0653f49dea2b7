"""The playground: a bot on each pretend app, two people to be, and what their phones show, for the web page.

The pretend apps remember nothing over a restart. So each of their lives gets bots of its own, and those of the life
before are taken away: no message can be mistaken for one of an earlier life. What differs from app to app is in
`conch.stages`.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from urllib.parse import parse_qs, urlsplit

import aiohttp
import structlog

from channels.base import HealthState
from channels.emulators.remote import ControlError, RemoteApp
from conch.app import App
from conch.pretend import PretendProcess
from conch.stages.base import (
    BOT_NAME,
    GROUP,
    NO_CONNECTION,
    OWNER,
    PRIVATE,
    STRANGER,
    UNREACHABLE,
    Cast,
    Fault,
    Json,
    Screen,
    Stage,
    translated,
)
from conch.stages.discord import DiscordStage
from conch.stages.slack import SlackStage
from conch.stages.teams import TeamsStage
from conch.stages.telegram import TelegramStage
from core.errors import ConchError, NotFound, TryLater, UsageError
from web.phones import Abilities, Breakage, Content, ScreenEvent, Spot

_log = structlog.get_logger(__name__)

POLL_SECONDS = 25.0
WELCOME_SECONDS = 15.0
LOOK_AGAIN_SECONDS = 0.05

ABOUT = {OWNER: "owns the bots", STRANGER: "is a stranger to them"}
BY = "playground"

STAGES: Sequence[Stage] = (TelegramStage(), DiscordStage(), SlackStage(), TeamsStage())
"""The apps that are played, in the order in which their phones stand."""


@dataclass(slots=True)
class _Life:
    """What holds while one life of the pretend app lasts."""

    cast: Cast
    channel_id: str
    reachable: bool = True


@dataclass(slots=True)
class PlayedApp:
    """A pretend app as the web page needs it; see `web.phones.PretendApp`."""

    stage: Stage
    remote: RemoteApp
    app: App
    _life: _Life | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _lives: int = 0

    @property
    def name(self) -> str:
        """As in `conch channels add`."""
        return self.stage.name

    @property
    def title(self) -> str:
        """As people call it."""
        return self.stage.title

    @property
    def abilities(self) -> Abilities:
        """What its phone can do."""
        return self.stage.abilities

    @property
    def breakages(self) -> Sequence[Breakage]:
        """What can be broken."""
        return (*(fault.breakage for fault in self.stage.faults), NO_CONNECTION)

    # ---- a new life ------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Make a bot, two people and a group, connect the bot as any other, and let one of the people own it.

        Raises:
            ConchError: the pretend app or the bot does not answer.
        """
        if self._life is not None:
            await self.app.registry.remove(self._life.channel_id)
            self._life = None
        try:
            cast = await self.stage.cast(self.remote)
            connected = await self.app.registry.add(self.stage.name, cast.keys)
            await self.stage.connected(self.remote, cast, connected.endpoint)
            await self._come_in(cast, connected.channel_id, connected.link)
        except (ControlError, aiohttp.ClientError, TimeoutError) as fault:
            raise ConchError(f"The pretend {self.title} could not be set up: {fault}") from fault
        self._life = _Life(cast, connected.channel_id)
        self._lives += 1
        self._poke()

    async def _come_in(self, cast: Cast, channel_id: str, link: str | None) -> None:
        """The owner by the bot's link, where the app has such links; the group as one that the bot is in."""
        ada = cast.players[OWNER]
        if cast.room:
            await self.app.groups.heard_of(channel_id, cast.room, self.stage.group_title)
            await self.app.groups.switch(channel_id, cast.room, True)
        async with asyncio.timeout(WELCOME_SECONDS):
            while self.app.registry.health()[channel_id].state is not HealthState.ONLINE:
                await self.app.clock.sleep(LOOK_AGAIN_SECONDS)
            if link is None:
                await self.app.people.let_in(channel_id, ada.id, by=BY, name=ada.name, username=ada.key)
                return
            code = parse_qs(urlsplit(link).query).get("start", [""])[0]
            hello = self.stage.screen(self.remote, cast, OWNER, PRIVATE, None)
            await hello.act("start", payload=code)
            while not any(message["by_bot"] for message in (await hello.look())["messages"]):
                await self.remote.events((await self.remote.state())["last_event"], wait=LOOK_AGAIN_SECONDS)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def state(self) -> Json:
        """Everything on the screens."""
        life = self._alive()
        with translated(self.title):
            after = (await self.remote.state())["last_event"]
            screens = {
                person: {place: await self._shown(life, person, place) for place in self._places}
                for person in life.cast.players
            }
        people = [{"id": key, "name": who.name, "about": ABOUT[key]} for key, who in life.cast.players.items()]
        return {
            "after": after,
            "bot": {"name": BOT_NAME},
            "people": people,
            "places": [{"id": place, "title": title} for place, title in self._places.items()],
            "screens": screens,
            "faults": await self._faults(life),
        }

    async def _shown(self, life: _Life, person: str, place: str) -> Json:
        messages, look = await self.stage.messages(self.remote, life.cast, person, place)
        return {"messages": messages, "draft": look.get("draft"), "doing": self.stage.doing(look)}

    async def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        """What happens; `again` where more did than can be told one by one, or a new life began."""
        told: Sequence[str] | None = None
        lives = self._lives
        while True:
            life = self._life
            if life is None:
                await self._changed.wait()
                continue
            if lives != self._lives:
                lives, after = self._lives, 0
                yield ScreenEvent(after, {"kind": "again"})
            news, last = await self._news(after)
            if last < after or bool(news and news[0]["number"] > after + 1):
                after = last
                yield ScreenEvent(after, {"kind": "again"})
                continue
            for event in news:
                after = event["number"]
                if (data := self._on_phones(event, life.cast)) is not None:
                    yield ScreenEvent(after, data)
            with suppress(TryLater):
                faults = await self._faults(life)
                if faults != told:
                    told = faults
                    yield ScreenEvent(after, {"kind": "faults", "faults": faults})

    def _on_phones(self, event: Json, cast: Cast) -> Json | None:
        """An event as the page takes it; None for what the page does not show."""
        found = self.stage.news(event)
        if found is None or (chat := cast.chats.get(found[0])) is None:
            return None
        whose, place = chat
        only_for = next((key for key, who in cast.players.items() if who.id == str(event.get("only_for"))), None)
        return {"person": only_for or whose, "place": place, **found[1]}

    async def file(self, file_id: str) -> Content:
        """A file that stands in a chat."""
        for places in (await self.state())["screens"].values():
            for screen in places.values():
                for file in (file for message in screen["messages"] for file in message["files"]):
                    if file["id"] == file_id:
                        with translated(self.title):
                            return Content(file["name"], file["mime"], await self.remote.file(file_id))
        raise NotFound("There is no such file.")

    async def _news(self, after: int) -> tuple[Sequence[Json], int]:
        """What came after a number, as soon as anything did here or there; waits while there is no pretend app."""
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
        """What will go wrong, in words, each once."""
        with translated(self.title):
            waiting = (await self.remote.state())["faults"]
        labels = list(dict.fromkeys(self._label(each["kind"]) for each in waiting))
        return labels if life.reachable else [*labels, NO_CONNECTION.label]

    def _label(self, kind: str) -> str:
        return next((fault.breakage.label for fault in self.stage.faults if fault.is_of(kind)), kind)

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def say(self, spot: Spot, text: str) -> None:
        """Write a message, or give a command."""
        with translated(self.title):
            await self.stage.say(self._screen(spot), text)

    async def reply(self, spot: Spot, message: str, text: str) -> None:
        """Answer a message."""
        await self._about(spot, "reply", message, text)

    async def edit(self, spot: Spot, message: str, text: str) -> None:
        """Change one's own words."""
        await self._about(spot, "edit", message, text)

    async def _about(self, spot: Spot, do: str, message: str, text: str) -> None:
        try:
            message_id = self.stage.message_id(message)
        except ValueError:
            raise UsageError("There is no such message.") from None
        with translated(self.title):
            await self._screen(spot).act(do, message=message_id, text=text)

    async def like(self, spot: Spot, message: str, *, on: bool) -> None:
        """Put a thumb under a message, or take it away."""
        if not self.abilities.likes:
            raise UsageError(f"Nothing is liked on the pretend {self.title}.")
        with translated(self.title):
            await self._screen(spot).act("react", message=message, remove=not on)

    async def forward(self, spot: Spot, text: str, of: str) -> None:
        """Pass on what someone else wrote."""
        with translated(self.title):
            await self._screen(spot).act("forward", text=text, of=of)

    async def press(self, spot: Spot, message: str, labels: Sequence[str]) -> Json:
        """Press a button or pick from a list."""
        with translated(self.title):
            return asdict(await self.stage.press(self._screen(spot), message, labels))

    async def fill_in(self, spot: Spot, form: str, values: Mapping[str, str | Sequence[str]]) -> Json:
        """Send a form."""
        with translated(self.title):
            return asdict(await self.stage.fill_in(self._screen(spot), form, values))

    async def attach(self, spot: Spot, file: Content, caption: str) -> None:
        """Send a picture or a file."""
        with translated(self.title):
            await self.stage.attach(self._screen(spot), file, caption)

    async def break_(self, name: str) -> None:
        """Let something go wrong."""
        life = self._alive()
        with translated(self.title):
            if name == UNREACHABLE:
                await self.remote.set_reachable(on=False)
                life.reachable = False
            else:
                for path, given in self._fault(name).asks:
                    await self.remote.ask("POST", path, {**given, **self._of_the_bot(path, life)})
        self._poke()

    def _fault(self, name: str) -> Fault:
        for fault in self.stage.faults:
            if fault.breakage.name == name:
                return fault
        raise UsageError(f"Nothing here breaks like “{name}”.")

    def _of_the_bot(self, path: str, life: _Life) -> Json:
        return {"bot": life.cast.bot} if path == "disconnect" else {}

    async def mend(self) -> None:
        """Let everything work again."""
        life = self._alive()
        with translated(self.title):
            await self.remote.clear_faults()
            await self.remote.set_reachable(on=True)
        life.reachable = True
        self._poke()

    # ---- inside ----------------------------------------------------------------------------------------------------

    @property
    def _places(self) -> Mapping[str, str]:
        """The chats of each phone, with their titles."""
        group = self.stage.group_title
        return {PRIVATE: BOT_NAME, GROUP: group} if group else {PRIVATE: BOT_NAME}

    def _alive(self) -> _Life:
        if self._life is None:
            raise TryLater(f"The pretend {self.title} is just starting.")
        return self._life

    def _screen(self, spot: Spot) -> Screen:
        life = self._alive()
        if spot.person not in life.cast.players:
            raise UsageError("Nobody of that id can be played.")
        if spot.place not in self._places:
            raise UsageError("There is no such chat.")
        return self.stage.screen(self.remote, life.cast, spot.person, spot.place, spot.thread)

    def _poke(self) -> None:
        """Let every stream look again."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


# ---- all of them -----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def played_apps(child: PretendProcess, app: App) -> AsyncIterator[Sequence[PlayedApp]]:
    """Every pretend app, to be begun by `begin_all`."""
    async with AsyncExitStack() as stack:
        played = []
        for stage in STAGES:
            remote = RemoteApp(child.addresses[stage.name].control_url, child.secret)
            played.append(PlayedApp(stage, await stack.enter_async_context(remote), app))
        yield played


async def begin_all(played: Sequence[PlayedApp]) -> None:
    """A new life for each; one that does not come up leaves the others as they are.

    Raises:
        ConchError: none came up.
    """
    failed = []
    for each, outcome in zip(played, await asyncio.gather(*map(_begun, played)), strict=True):
        if outcome is not None:
            failed.append(outcome)
            _log.error("a pretend app is left out", app=each.title, reason=str(outcome))
    if len(failed) == len(played):
        raise failed[0]


async def _begun(played: PlayedApp) -> ConchError | None:
    try:
        await played.begin()
    except ConchError as reason:
        return reason
    return None
