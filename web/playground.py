"""The playground's page and what it asks for: the pretend apps' screens, what a person does there, what is broken.

The browser talks only to these routes, under the same gate as every other. Which pretend apps there are, and where they
run, is behind `web.phones.PretendApp`; here nothing is known of them.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from core.errors import NotFound, TryLater
from web.pages import Templates
from web.phones import PICTURES, Content, PretendApp, ScreenEvent, Spot

API = "/playground/api"

MOST_WORDS = 10_000
"""Characters of one message, before the pretend app has its own say."""

MOST_CAPTION = 1_024
"""Characters of the words that go with a file."""

MOST_NAME = 200
"""Characters of a file's name."""

MOST_LABELS = 30
"""Options picked at once, and fields of one form."""


class Doing(BaseModel):
    """What the page sends: who does something, and where."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    person: str
    place: str = "private"
    thread: str | None = None

    @property
    def spot(self) -> Spot:
        """As the pretend app takes it."""
        return Spot(self.person, self.place, self.thread)


class Say(Doing):
    """New words."""

    text: str = Field(min_length=1, max_length=MOST_WORDS)


class About(Say):
    """Words about a message: a reply to it, or what it says from now on."""

    message: str


class Like(Doing):
    """A thumb under a message, or taken away."""

    message: str
    on: bool = True


class Forward(Say):
    """Someone else's words."""

    of: str = Field(min_length=1, max_length=64)


class Press(Doing):
    """A button under a message, or options of a list."""

    message: str
    labels: list[str] = Field(min_length=1, max_length=MOST_LABELS)


class FillIn(Doing):
    """A form that is sent."""

    form: str
    values: dict[str, str | list[str]] = Field(max_length=MOST_LABELS)


class Break(BaseModel):
    """Which breakage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str


class Playground:
    """The routes. `suggestions` are sentences that show something."""

    def __init__(self, apps: Sequence[PretendApp], suggestions: Sequence[str]) -> None:
        self._apps = {app.name: app for app in apps}
        self._suggestions = suggestions
        self._closing = asyncio.Event()

    def close(self) -> None:
        """End the streams; they would hold the server up for ever."""
        self._closing.set()

    def add_to(self, app: FastAPI, templates: Templates) -> None:
        """Register the routes."""

        async def page(request: Request) -> Response:
            return templates.page(
                request,
                "playground.html",
                suggestions=self._suggestions,
                apps=list(self._apps.values()),
                abilities={name: asdict(each.abilities) for name, each in self._apps.items()},
                most={"words": MOST_WORDS, "caption": MOST_CAPTION, "name": MOST_NAME},
            )

        app.add_api_route("/playground", page, methods=["GET"], response_model=None)
        app.add_api_route(f"{API}/events", self.events, methods=["GET"], response_class=EventSourceResponse)
        app.add_api_route(f"{API}/{{app}}/state", self.state, methods=["GET"])
        app.add_api_route(f"{API}/{{app}}/files/{{file_id:path}}", self.file, methods=["GET"], response_model=None)
        does: Mapping[str, Callable[..., Awaitable[None]]] = {
            "say": self.say,
            "reply": self.reply,
            "edit": self.edit,
            "like": self.like,
            "forward": self.forward,
            "attach": self.attach,
            "break": self.break_,
            "mend": self.mend,
        }
        for name, handler in does.items():
            path = f"{API}/{{app}}/{name}"
            app.add_api_route(path, handler, methods=["POST"], status_code=204, response_model=None)
        app.add_api_route(f"{API}/{{app}}/press", self.press, methods=["POST"])
        app.add_api_route(f"{API}/{{app}}/fill_in", self.fill_in, methods=["POST"])

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def state(self, app: str) -> JSONResponse:
        """Everything on an app's screens now; of one that is just starting, `starting` says so."""
        try:
            return JSONResponse(await self._app(app).state())
        except TryLater as reason:
            return JSONResponse({"starting": str(reason)})

    async def events(
        self, after: str = "", last_event_id: Annotated[str | None, Header()] = None
    ) -> AsyncIterator[ServerSentEvent]:
        """What happens in all apps, each from its number on: `telegram:12,slack:7`.

        A browser that lost the line names the last numbers it got.
        """
        reached = dict.fromkeys(self._apps, 0) | _numbers(after, self._apps) | _numbers(last_event_id, self._apps)
        streams = {name: app.events(reached[name]) for name, app in self._apps.items()}
        async for name, event in _merged(self._closing, streams):
            reached[name] = event.number
            told = ",".join(f"{each}:{number}" for each, number in reached.items())
            yield ServerSentEvent(event="screen", id=told, data={"app": name, **event.data})

    async def file(self, app: str, file_id: str) -> Response:
        """A file of a chat: a picture to look at, anything else to keep."""
        content = await self._app(app).file(file_id)
        if content.mime in PICTURES:
            return Response(content.data, media_type=content.mime)
        return Response(
            content.data, media_type="application/octet-stream", headers={"Content-Disposition": "attachment"}
        )

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def say(self, app: str, doing: Say) -> None:
        """Write a message."""
        await self._app(app).say(doing.spot, doing.text)

    async def reply(self, app: str, doing: About) -> None:
        """Answer a message."""
        await self._app(app).reply(doing.spot, doing.message, doing.text)

    async def edit(self, app: str, doing: About) -> None:
        """Change one's own words."""
        await self._app(app).edit(doing.spot, doing.message, doing.text)

    async def like(self, app: str, doing: Like) -> None:
        """Like a message, or no more."""
        await self._app(app).like(doing.spot, doing.message, on=doing.on)

    async def forward(self, app: str, doing: Forward) -> None:
        """Pass on what someone else wrote."""
        await self._app(app).forward(doing.spot, doing.text, doing.of)

    async def press(self, app: str, doing: Press) -> JSONResponse:
        """Press a button, or pick from a list."""
        return JSONResponse(await self._app(app).press(doing.spot, doing.message, doing.labels))

    async def fill_in(self, app: str, doing: FillIn) -> JSONResponse:
        """Send a form."""
        return JSONResponse(await self._app(app).fill_in(doing.spot, doing.form, doing.values))

    async def attach(
        self,
        request: Request,
        app: str,
        person: str,
        name: Annotated[str, Query(min_length=1, max_length=MOST_NAME)],
        caption: Annotated[str, Query(max_length=MOST_CAPTION)] = "",
        place: str = "private",
        thread: str | None = None,
    ) -> None:
        """Send the body as a picture or file."""
        mime = request.headers.get("content-type", "application/octet-stream").partition(";")[0]
        content = Content(name, mime, await request.body())
        await self._app(app).attach(Spot(person, place, thread), content, caption)

    async def break_(self, app: str, breakage: Break) -> None:
        """Let something go wrong once."""
        await self._app(app).break_(breakage.what)

    async def mend(self, app: str) -> None:
        """Let everything work again."""
        await self._app(app).mend()

    def _app(self, name: str) -> PretendApp:
        if (app := self._apps.get(name)) is None:
            raise NotFound("There is no such pretend app.")
        return app


def _numbers(given: str | None, names: Mapping[str, object]) -> dict[str, int]:
    """The numbers of `telegram:12,slack:7`; what is odd in it counts as not said."""
    found = {}
    for each in (given or "").split(","):
        name, _, number = each.partition(":")
        if name in names and number.isascii() and number.isdecimal():
            found[name] = int(number)
    return found


async def _merged(
    closing: asyncio.Event, streams: Mapping[str, AsyncIterator[ScreenEvent]]
) -> AsyncIterator[tuple[str, ScreenEvent]]:
    """The events of all streams as they come, until `closing` is set; one that ends is left out from then on."""
    closed = asyncio.create_task(closing.wait())
    following = {_next(stream): (name, stream) for name, stream in streams.items()}
    try:
        while following and not closing.is_set():
            waiting: set[asyncio.Future[Any]] = {closed, *following}
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [each for each in following if each in done]:
                name, stream = following.pop(task)
                if (event := task.result()) is not None:
                    following[_next(stream)] = (name, stream)
                    yield name, event
    finally:
        closed.cancel()
        for task in following:
            task.cancel()
        await asyncio.gather(closed, *following, return_exceptions=True)


def _next(stream: AsyncIterator[ScreenEvent]) -> "asyncio.Future[ScreenEvent | None]":
    return asyncio.ensure_future(anext(stream, None))
