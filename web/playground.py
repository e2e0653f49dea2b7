"""The playground's page and what it asks for: the pretend app's screens, what a person does there, what is broken.

The browser talks only to these routes, under the same gate as every other. Which pretend app answers, and where it
runs, is behind `PretendApp`; here nothing is known of it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import FastAPI, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from web.pages import Templates

API = "/playground/api"

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Shown in the page; everything else is only handed over as a file. No SVG: it can carry script."""

MOST_WORDS = 10_000
"""Characters of one message, before the pretend app has its own say."""

MOST_CAPTION = 1_024
"""Characters of the words that go with a file."""

MOST_NAME = 200
"""Characters of a file's name."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """Something that can be broken: its name on the wire, and the words on its button."""

    name: str
    label: str
    about: str


@dataclass(frozen=True, slots=True)
class ScreenEvent:
    """Something that happened on a screen; `number` says where to go on after it."""

    number: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """A file of a chat."""

    name: str
    mime: str
    data: bytes


class PretendApp(Protocol):
    """A pretend chat app, as the page needs it. `person` is the id of someone who can be played.

    Raises:
        UsageError: that cannot be done there (no such message, too long …).
        TryLater: the pretend app is not running now.
    """

    @property
    def breakages(self) -> Sequence[Breakage]:
        """What can be broken."""
        ...

    async def state(self) -> Mapping[str, Any]:
        """Everything on the screens: `bot`, `people`, `screens` by person, `faults`, and `after` to go on from."""
        ...

    def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        """What happens after that number, for ever."""
        ...

    async def say(self, person: str, text: str) -> None:
        """Write a message."""
        ...

    async def reply(self, person: str, message: int, text: str) -> None:
        """Answer a message."""
        ...

    async def edit(self, person: str, message: int, text: str) -> None:
        """Change one's own words."""
        ...

    async def forward(self, person: str, text: str, of: str) -> None:
        """Pass on what someone else wrote."""
        ...

    async def press(self, person: str, message: int, label: str) -> None:
        """Press a button."""
        ...

    async def attach(self, person: str, file: Content, caption: str) -> None:
        """Send a picture or a file."""
        ...

    async def file(self, file_id: str) -> Content:
        """A file that stands in a chat."""
        ...

    async def break_(self, name: str) -> None:
        """Let something go wrong once."""
        ...

    async def mend(self) -> None:
        """Let everything work again."""
        ...


class Doing(BaseModel):
    """What the page sends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    person: str


class Say(Doing):
    """New words."""

    text: str = Field(min_length=1, max_length=MOST_WORDS)


class About(Say):
    """Words about a message: a reply to it, or what it says from now on."""

    message: int


class Forward(Say):
    """Someone else's words."""

    of: str = Field(min_length=1, max_length=64)


class Press(Doing):
    """A button under a message."""

    message: int
    label: str


class Break(BaseModel):
    """Which breakage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str


class Playground:
    """The routes. `suggestions` are sentences that show something."""

    def __init__(self, app: PretendApp, suggestions: Sequence[str]) -> None:
        self._app = app
        self._suggestions = suggestions
        self._closing = asyncio.Event()

    def close(self) -> None:
        """End the streams; they would hold the server up for ever."""
        self._closing.set()

    def add_to(self, app: FastAPI, templates: Templates) -> None:
        """Register the routes."""

        async def page() -> Response:
            return templates.page(
                "playground.html",
                suggestions=self._suggestions,
                breakable=self._app.breakages,
                most={"words": MOST_WORDS, "caption": MOST_CAPTION, "name": MOST_NAME},
            )

        app.add_api_route("/playground", page, methods=["GET"], response_model=None)
        app.add_api_route(f"{API}/state", self.state, methods=["GET"])
        app.add_api_route(f"{API}/events", self.events, methods=["GET"], response_class=EventSourceResponse)
        app.add_api_route(f"{API}/files/{{file_id}}", self.file, methods=["GET"], response_model=None)
        does: Mapping[str, Callable[..., Awaitable[None]]] = {
            "say": self.say,
            "reply": self.reply,
            "edit": self.edit,
            "forward": self.forward,
            "press": self.press,
            "attach": self.attach,
            "break": self.break_,
            "mend": self.mend,
        }
        for name, handler in does.items():
            app.add_api_route(f"{API}/{name}", handler, methods=["POST"], status_code=204, response_model=None)

    async def state(self) -> JSONResponse:
        """Everything on the screens now."""
        return JSONResponse(await self._app.state())

    async def events(
        self, after: int = 0, last_event_id: Annotated[str | None, Header()] = None
    ) -> AsyncIterator[ServerSentEvent]:
        """What happens from there on; a browser that lost the line names the last number it got."""
        start = int(last_event_id) if last_event_id and last_event_id.isdecimal() else after
        async for event in _until(self._closing, self._app.events(start)):
            yield ServerSentEvent(event="screen", id=str(event.number), data=event.data)

    async def file(self, file_id: str) -> Response:
        """A file of a chat: a picture to look at, anything else to keep."""
        content = await self._app.file(file_id)
        if content.mime in PICTURES:
            return Response(content.data, media_type=content.mime)
        return Response(
            content.data, media_type="application/octet-stream", headers={"Content-Disposition": "attachment"}
        )

    async def say(self, doing: Say) -> None:
        """Write a message."""
        await self._app.say(doing.person, doing.text)

    async def reply(self, doing: About) -> None:
        """Answer a message."""
        await self._app.reply(doing.person, doing.message, doing.text)

    async def edit(self, doing: About) -> None:
        """Change one's own words."""
        await self._app.edit(doing.person, doing.message, doing.text)

    async def forward(self, doing: Forward) -> None:
        """Pass on what someone else wrote."""
        await self._app.forward(doing.person, doing.text, doing.of)

    async def press(self, doing: Press) -> None:
        """Press a button."""
        await self._app.press(doing.person, doing.message, doing.label)

    async def attach(
        self,
        request: Request,
        person: str,
        name: Annotated[str, Query(min_length=1, max_length=MOST_NAME)],
        caption: Annotated[str, Query(max_length=MOST_CAPTION)] = "",
    ) -> None:
        """Send the body as a picture or file."""
        mime = request.headers.get("content-type", "application/octet-stream").partition(";")[0]
        await self._app.attach(person, Content(name, mime, await request.body()), caption)

    async def break_(self, breakage: Break) -> None:
        """Let something go wrong once."""
        await self._app.break_(breakage.what)

    async def mend(self) -> None:
        """Let everything work again."""
        await self._app.mend()


async def _until(closing: asyncio.Event, events: AsyncIterator[ScreenEvent]) -> AsyncIterator[ScreenEvent]:
    """The events as they come, until `closing` is set."""
    closed = asyncio.create_task(closing.wait())
    try:
        while not closing.is_set():
            following = asyncio.ensure_future(anext(events, None))
            try:
                await asyncio.wait({closed, following}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not following.done():
                    following.cancel()
                    await asyncio.gather(following, return_exceptions=True)
            if following.cancelled() or (event := following.result()) is None:
                return
            yield event
    finally:
        closed.cancel()
