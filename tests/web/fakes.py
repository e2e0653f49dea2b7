"""Stand-ins for what the web side is given: the owner's commands, and a pretend app."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from core.errors import NotFound, UsageError
from web.administration import ChannelView, ConnectedView, GroupView, HelloView, PeopleView, PersonView
from web.diagnosis import Answer, AppSays, BotFacts, Diagnosis, EngineFacts
from web.playground import Breakage, Content, ScreenEvent

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SHELL = ChannelView(id="c1", kind="telegram", name="Shell <b>", username="shell_bot", enabled=True, state="online")
PNG = Content("shell.png", "image/png", b"\x89PNG")
PAGE = Content("page.html", "text/html", b"<script>alert(1)</script>")


class FakeAdministration:
    """One bot and one person. `error` is raised by whatever is asked next."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.error: Exception | None = None

    def _note(self, *ask: object) -> None:
        self.asked.append(ask)
        if self.error is not None:
            raise self.error

    async def channels(self) -> Sequence[ChannelView]:
        self._note("channels")
        return (SHELL,)

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        self._note("add", kind, pasted)
        return ConnectedView(channel=SHELL, updated=False, hello=hello())

    async def link_channel(self, channel: str | None) -> HelloView:
        self._note("link", channel)
        return hello()

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        self._note("switch", channel, on)
        return SHELL.model_copy(update={"enabled": on})

    async def remove_channel(self, channel: str) -> ChannelView:
        self._note("remove", channel)
        return SHELL

    async def people(self, channel: str | None) -> PeopleView:
        self._note("people", channel)
        return PeopleView(people=(person("owner"),), requests=())

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        self._note("let in", person_id, channel)
        return person("person")

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        self._note("block", person_id, channel)
        return person("blocked")

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        self._note("remove person", person_id, channel)
        return person("person")

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        self._note("groups", channel)
        return (group(on=False),)

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        self._note("switch group", group_id, channel, on)
        return group(on=on)

    async def diagnose(self) -> Diagnosis:
        self._note("diagnose")
        return diagnosis()

    async def console_link(self) -> str:
        self._note("console link")
        return "http://127.0.0.1:7654/?token=new"


def diagnosis(**bot: Any) -> Diagnosis:
    """All is well in a running server, but for what is said of its bot."""
    facts = {"name": "@shell_bot", "kind": "telegram", "enabled": True, "state": "online", "since": NOON}
    says = AppSays(answer=Answer.WORKS, clock_ahead=0.2, waiting=0)
    return Diagnosis(
        running=True,
        can_store=True,
        bots=(BotFacts(**{**facts, "app": says, **bot}),),
        engines=(EngineFacts(id="demo", title="Demo", ready=True),),
        unsent={"pending": 0},
    )


def hello() -> HelloView:
    return HelloView(channel=SHELL, link="https://t.me/shell_bot?start=code", expires_at=NOON)


def person(role: str) -> PersonView:
    return PersonView(channel=SHELL, id="77", name="Ada", username="ada", role=role, since=NOON, last_seen=None)


def group(*, on: bool) -> GroupView:
    return GroupView(channel=SHELL, id="-1001", title="Team \x1b[2J", on=on, last_heard=NOON)


class FakePretendApp:
    """Remembers what was done to it; `happens` puts something into the stream."""

    breakages = (Breakage("flood", "Flood", "Telegram says: too many requests"),)

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []
        self.error: Exception | None = None
        self._stream: asyncio.Queue[ScreenEvent] = asyncio.Queue()
        self.asked_after: int | None = None

    def happens(self, number: int, **data: object) -> None:
        self._stream.put_nowait(ScreenEvent(number, data))

    async def state(self) -> Mapping[str, Any]:
        return {"after": 0, "bot": {"name": "Shell"}, "people": [], "screens": {}, "faults": []}

    async def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        self.asked_after = after
        while True:
            yield await self._stream.get()

    def _do(self, *what: object) -> None:
        if self.error is not None:
            raise self.error
        self.done.append(what)

    async def say(self, person: str, text: str) -> None:
        self._do("say", person, text)

    async def reply(self, person: str, message: int, text: str) -> None:
        self._do("reply", person, message, text)

    async def edit(self, person: str, message: int, text: str) -> None:
        self._do("edit", person, message, text)

    async def forward(self, person: str, text: str, of: str) -> None:
        self._do("forward", person, text, of)

    async def press(self, person: str, message: int, label: str) -> None:
        self._do("press", person, message, label)

    async def attach(self, person: str, file: Content, caption: str) -> None:
        self._do("attach", person, file, caption)

    async def file(self, file_id: str) -> Content:
        if file_id == "picture":
            return PNG
        if file_id == "page":
            return PAGE
        raise NotFound("There is no such file.")

    async def break_(self, name: str) -> None:
        if name != "flood":
            raise UsageError(f"There is no breakage {name!r}.")
        self._do("break", name)

    async def mend(self) -> None:
        self._do("mend")
